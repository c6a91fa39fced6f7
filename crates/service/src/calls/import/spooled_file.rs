//! The messages of an imported file on their way through the service, in a temporary file.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Seek, Write};

use annals_core::{Agent, Error, Message, Result};

use super::{MessageItem, unreadable};
use crate::operations::{MessageLine, MessageLines, MessageSource};
use crate::{Caller, Service};

/// The messages of a file, kept in a temporary file without a name: an import may read them twice, and they may not fit into
/// memory.
pub(super) struct SpooledFile {
    name: Option<String>,
    agents: BTreeMap<Agent, u64>,
    /// The agents by the names that the file uses, which may be former names.
    named: HashMap<String, Agent>,
    spool: BufWriter<File>,
}

impl SpooledFile {
    /// Creates the temporary file in the data folder.
    pub(super) async fn new(service: &Service, name: Option<String>) -> Result<SpooledFile> {
        let spool = service.nameless_file().map_err(spooling)?.into_std().await;
        Ok(SpooledFile { name, agents: BTreeMap::new(), named: HashMap::new(), spool: BufWriter::new(spool) })
    }

    /// Appends a message. `name` is the present or a former name of its agent, `line` the message's line in the file.
    pub(super) async fn add(
        &mut self,
        service: &Service,
        name: String,
        line: usize,
        message: MessageItem,
    ) -> Result<()> {
        let agent = match self.named.get(&name) {
            Some(agent) => agent.clone(),
            None => service.agent(&Caller::local(), &name).await?,
        };
        *self.agents.entry(agent.clone()).or_default() += 1;
        self.named.entry(name.clone()).or_insert(agent);
        serde_json::to_writer(&mut self.spool, &(name, line, message)).map_err(unreadable)?;
        self.spool.write_all(b"\n").map_err(spooling)
    }
}

impl MessageSource for SpooledFile {
    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn agents(&self) -> &BTreeMap<Agent, u64> {
        &self.agents
    }

    fn messages(&mut self) -> Result<MessageLines<'_>> {
        self.spool.rewind().map_err(spooling)?;
        let (lines, named) = (BufReader::new(self.spool.get_ref()).lines(), &self.named);
        Ok(Box::new(lines.map(|line| spooled(&line.map_err(spooling)?, named))))
    }
}

fn spooled(line: &str, named: &HashMap<String, Agent>) -> Result<MessageLine> {
    let (agent, line, message): (String, usize, MessageItem) = serde_json::from_str(line).map_err(unreadable)?;
    let MessageItem { conversation, id, role, name, content, at } = message;
    let message = Message { conversation, client_id: id, role, name, content, at };
    Ok(MessageLine { line, agent: named[&agent].clone(), message })
}

fn spooling(cause: std::io::Error) -> Error {
    Error::storage("keeping the messages of an import", cause)
}
