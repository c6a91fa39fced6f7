//! Calls that import. The caller reads and checks the files, and sends the contents as items of input.

mod spooled_file;

use std::collections::BTreeMap;

use annals_core::ports::Record;
use annals_core::{Agent, Error, Result, Role, Timestamp};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::channel;

use super::{Call, Context, Input};
use crate::operations::{ImportRequest, MessageSource, RecordSource};
use crate::wire::{ImportAnswer, ImportItem, ItemsRequest, StoredItems};
use crate::{Caller, Service};
use spooled_file::SpooledFile;

/// Maximum number of items of another program that wait in memory to be stored.
const WAITING: usize = 64;

/// Imports the input: first files of messages, then exports. The items are [`ImportLine`]s.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Import {
    /// IANA time zone for all agents in the input; if absent, their zones stay as they are.
    pub time_zone: Option<String>,
    /// Whether to replace stored messages that have the same id but other content.
    pub revise: bool,
    /// Whether to import messages again that were forgotten.
    pub unforget: bool,
    /// Unknown fields that the caller found, with the number of lines that contain each. The answer repeats them.
    pub ignored: BTreeMap<String, u64>,
}

/// One item of the input of [`Import`].
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportLine {
    /// Begins a file of messages. The messages follow as items.
    File {
        /// The name of the file, if there are several.
        name: Option<String>,
    },
    Message {
        agent: String,
        /// Number of the message's line in the file, counted from 1.
        line: usize,
        message: MessageItem,
    },
    /// Begins an export. The records follow as items, in the order of [`Record`]'s ranks.
    Export {
        /// The agents of the records that follow.
        agents: Vec<ExportedAgent>,
    },
    /// A record of the export that has begun.
    Record {
        #[serde(flatten)]
        agent: AgentNames,
        record: Box<Record>,
    },
}

/// The names of an agent in an export.
#[derive(Debug, Serialize, Deserialize)]
pub struct AgentNames {
    /// Present name of the agent.
    #[serde(rename = "agent")]
    pub name: String,
    /// The name with which the agent was created, if it was renamed since. Ids in the records derive from it.
    pub created_as: Option<String>,
}

impl AgentNames {
    pub fn of(agent: &Agent) -> AgentNames {
        let created_as = agent.shown_name().map(|_| agent.key().to_owned());
        AgentNames { name: agent.name().to_owned(), created_as }
    }

    /// Returns an agent with the ids of the first name and the present name.
    pub fn agent(&self) -> Result<Agent> {
        Agent::new(self.created_as.as_deref().unwrap_or(&self.name))?.renamed(&self.name)
    }
}

/// An agent in an export, with the number of records that belong to it.
#[derive(Debug, Serialize, Deserialize)]
pub struct ExportedAgent {
    #[serde(flatten)]
    pub agent: AgentNames,
    /// Number of records of this agent in the input.
    pub records: u64,
}

/// A [`annals_core::Message`] as plain data.
#[derive(Debug, Serialize, Deserialize)]
pub struct MessageItem {
    pub conversation: String,
    /// The client's own id; if absent, one is derived from the message.
    pub id: Option<String>,
    pub role: Role,
    /// Name of the speaker, if the file has one.
    pub name: Option<String>,
    pub content: String,
    /// When the message was said.
    pub at: Timestamp,
}

impl Call for Import {
    const NAME: &'static str = "import";
    type Answer = ImportAnswer;

    async fn run(self, context: Context<'_>) -> Result<ImportAnswer> {
        let (service, now, progress) = (context.service(), context.now, context.progress);
        let mut lines = Lines { input: context.input, export: None };
        let files = files(service, &mut lines).await?;
        let Import { time_zone, revise, unforget, ignored } = self;
        let request = ImportRequest { files, ignored, time_zone, revise, unforget };
        let mut answer = service.import(request, now, progress).await?;
        while let Some(agents) = lines.export.take() {
            let agents = agents.into_iter().map(|exported| Ok((exported.agent.agent()?, exported.records)));
            let agents = agents.collect::<Result<_>>()?;
            service.restore_export(&mut lines, agents, now, progress, &mut answer).await?;
        }
        Ok(answer)
    }
}

/// Imports the input, items of another program, for one agent. The items are [`ImportItem`]s.
#[derive(Debug, Serialize, Deserialize)]
pub struct ImportItems {
    /// Name of the agent, which need not exist.
    pub agent: String,
    pub request: ItemsRequest,
}

impl Call for ImportItems {
    const NAME: &'static str = "import_items";
    type Answer = StoredItems;

    async fn run(self, context: Context<'_>) -> Result<StoredItems> {
        let (service, now, progress) = (context.service(), context.now, context.progress);
        let input = context.input;
        let agent = service.agent(&Caller::local(), &self.agent).await?;
        let (sender, mut received) = channel(WAITING);
        let forward = async move {
            while let Some(item) = input.next().await? {
                let item: ImportItem = serde_json::from_value(item).map_err(unreadable)?;
                if sender.send(item).await.is_err() {
                    break;
                }
            }
            Ok(())
        };
        // An error of the input cancels the import. Items that were received and not yet stored are lost until the import is
        // repeated.
        let import = service.import_items(&agent, &self.request, &mut received, now, progress);
        let ((), stored) = tokio::try_join!(forward, import)?;
        Ok(stored)
    }
}

fn unreadable(cause: serde_json::Error) -> Error {
    Error::storage("reading an item of an import", cause)
}

/// The items of the input, in sections: `next` returns `None` at the end of the input and where an export begins.
struct Lines<'a> {
    input: &'a mut dyn Input,
    /// The agents of the export that has begun and is not restored yet.
    export: Option<Vec<ExportedAgent>>,
}

impl Lines<'_> {
    async fn next(&mut self) -> Result<Option<ImportLine>> {
        match self.input.next().await?.map(serde_json::from_value).transpose().map_err(unreadable)? {
            Some(ImportLine::Export { agents }) => {
                self.export = Some(agents);
                Ok(None)
            }
            line => Ok(line),
        }
    }
}

/// Copies the messages of all files to temporary files, up to the first export or the end of the input.
async fn files(service: &Service, lines: &mut Lines<'_>) -> Result<Vec<Box<dyn MessageSource>>> {
    let mut files: Vec<SpooledFile> = Vec::new();
    while let Some(line) = lines.next().await? {
        match (line, files.last_mut()) {
            (ImportLine::File { name }, _) => files.push(SpooledFile::new(service, name).await?),
            (ImportLine::Message { agent, line, message }, Some(file)) => {
                file.add(service, agent, line, message).await?;
            }
            _ => return Err(out_of_place()),
        }
    }
    Ok(files.into_iter().map(|file| Box::new(file) as Box<dyn MessageSource>).collect())
}

#[async_trait]
impl RecordSource for Lines<'_> {
    async fn next(&mut self) -> Result<Option<(Agent, Record)>> {
        match Lines::next(self).await? {
            Some(ImportLine::Record { agent, record }) => Ok(Some((agent.agent()?, *record))),
            Some(_) => Err(out_of_place()),
            None => Ok(None),
        }
    }
}

fn out_of_place() -> Error {
    Error::storage(
        "reading an item of an import",
        "files of messages come first, and records after the beginning of an export",
    )
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::sync::Arc;

    use annals_testkit::{agent, at};
    use serde_json::Value;

    use super::*;
    use crate::NoProgress;
    use crate::calls::NoOutput;
    use crate::fixture::{NOW, TestHost, service, service_with_memories};
    use crate::wire::ItemIn;

    struct Queued(VecDeque<Value>);

    #[async_trait]
    impl Input for Queued {
        async fn next(&mut self) -> Result<Option<Value>> {
            Ok(self.0.pop_front())
        }
    }

    async fn run<C: Call>(host: &TestHost, call: C, items: &[impl Serialize]) -> Result<C::Answer> {
        let input = items.iter().map(|item| serde_json::to_value(item).unwrap());
        let context = Context {
            host,
            now: at(NOW),
            progress: &NoProgress,
            input: &mut Queued(input.collect()),
            output: &mut NoOutput,
        };
        call.run(context).await
    }

    async fn import(host: &TestHost, lines: Vec<ImportLine>) -> Result<ImportAnswer> {
        run(host, Import::default(), &lines).await
    }

    fn file() -> ImportLine {
        ImportLine::File { name: None }
    }

    fn line(agent: &str, number: usize, content: &str) -> ImportLine {
        let message = MessageItem {
            conversation: "c".into(),
            id: Some(number.to_string()),
            role: Role::User,
            name: None,
            content: content.into(),
            at: at("2026-03-04T18:30:00Z"),
        };
        ImportLine::Message { agent: agent.into(), line: number, message }
    }

    #[tokio::test]
    async fn messages_are_grouped_by_agent_and_faults_name_their_line() {
        let host = TestHost(service(Arc::new(|| at(NOW))));
        let answer =
            import(&host, vec![file(), line("a", 1, "one"), line("a", 3, "two"), line("b", 2, "three")]).await.unwrap();
        assert_eq!((answer.agents, answer.accepted), (2, 3));
        let Err(Error::Faults(faults)) =
            import(&host, vec![file(), line("a", 1, "one"), line("a", 3, "changed")]).await
        else {
            panic!("line 3 has other content than before")
        };
        assert_eq!(faults.iter().map(|fault| fault.line).collect::<Vec<_>>(), [Some(3)]);
    }

    #[tokio::test]
    async fn exports_after_messages_are_restored_one_after_another() {
        let me = agent("ann");
        let from = service_with_memories(&me).await;
        let mut records = from.parts.store.records(&me, None, 1000).await.unwrap();
        records.sort_by_key(Record::rank);
        let export = |name: &str| {
            let names = || AgentNames::of(&agent(name));
            let agents = vec![ExportedAgent { agent: names(), records: records.len() as u64 }];
            let of_agent = records.iter().cloned().map(Box::new);
            let of_agent = of_agent.map(|record| ImportLine::Record { agent: names(), record });
            std::iter::once(ImportLine::Export { agents }).chain(of_agent).collect::<Vec<_>>()
        };
        let host = TestHost(service(Arc::new(|| at(NOW))));
        let parts = [vec![file(), line("zoe", 1, "Hello.")], export("ann"), export("bob")];
        let answer = import(&host, parts.into_iter().flatten().collect()).await.unwrap();
        assert_eq!((answer.agents, answer.accepted, answer.restored), (3, 1, 2 * records.len() as u64));
        for name in ["ann", "bob"] {
            assert_eq!(host.0.memories_of(&agent(name), annals_core::Grain::Daily).await.unwrap().len(), 2);
        }
        let stray = ImportLine::Record { agent: AgentNames::of(&agent("x")), record: Box::new(records[0].clone()) };
        assert!(import(&host, vec![stray]).await.is_err(), "a record without an export");
    }

    #[tokio::test]
    async fn export_of_a_renamed_agent_is_restored_under_both_names() {
        let me = agent("ann");
        let from = service_with_memories(&me).await;
        from.rename_agent(&me, "anna").await.unwrap();
        let renamed = from.agent(&Caller::local(), "ann").await.unwrap();
        let mut records = from.parts.store.records(&renamed, None, 1000).await.unwrap();
        records.sort_by_key(Record::rank);
        let exported = ExportedAgent { agent: AgentNames::of(&renamed), records: records.len() as u64 };
        let of_agent = records.into_iter().map(Box::new);
        let of_agent = of_agent.map(|record| ImportLine::Record { agent: AgentNames::of(&renamed), record });
        let lines = std::iter::once(ImportLine::Export { agents: vec![exported] }).chain(of_agent).collect();
        let host = TestHost(service(Arc::new(|| at(NOW))));
        import(&host, lines).await.unwrap();
        for name in ["ann", "anna"] {
            let found = host.0.agent(&Caller::local(), name).await.unwrap();
            assert_eq!((found.key(), found.name()), ("ann", "anna"));
            assert_eq!(host.0.memories_of(&found, annals_core::Grain::Daily).await.unwrap().len(), 2);
        }
        // Messages under either name are of the same agent.
        let answer = import(&host, vec![file(), line("ann", 1, "one"), line("anna", 2, "two")]).await.unwrap();
        assert_eq!((answer.agents, answer.accepted), (1, 2));
    }

    #[tokio::test]
    async fn items_of_another_program_are_stored_until_one_is_unreadable() {
        let host = TestHost(service(Arc::new(|| at(NOW))));
        let request = || ItemsRequest { from: "chatgpt".into(), ..ItemsRequest::default() };
        let call = || ImportItems { agent: "ann".into(), request: request() };
        let item = |id: &str| {
            let item = ItemIn::Message {
                conversation: "c".into(),
                id: id.into(),
                role: Role::User,
                name: None,
                content: "Hello.".into(),
                at: at("2026-03-04T18:30:00Z"),
            };
            serde_json::to_value(ImportItem { location: id.into(), item }).unwrap()
        };
        let stored = run(&host, call(), &[item("1"), item("2")]).await.unwrap();
        assert_eq!(stored.messages.new, 2);
        let error = run(&host, call(), &[item("3"), Value::from("x")]).await.unwrap_err();
        assert!(error.to_string().contains("reading an item of an import"), "{error}");
    }
}
