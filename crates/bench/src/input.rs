//! Reads the two input files: messages, and questions with the ids of the messages that answer them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use annals_core::{Agent, Error, Message, Result, Role, Timestamp};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The messages of each agent, in the order of the file.
pub(crate) type Messages = BTreeMap<Agent, Vec<Message>>;

/// A question to one agent.
#[derive(Debug, PartialEq)]
pub(crate) struct Question {
    pub agent: Agent,
    pub text: String,
    /// Time at which the question is asked. Never before the messages that answer it.
    pub at: Timestamp,
    /// The type of the question, as the file names it.
    pub class: String,
    /// Ids of the existing messages that answer it.
    pub evidence: HashSet<String>,
    /// The conversations of these messages.
    pub conversations: HashSet<String>,
}

#[derive(Deserialize)]
struct MessageLine {
    agent: String,
    conversation: String,
    id: Option<String>,
    role: String,
    name: Option<String>,
    content: String,
    at: Timestamp,
}

#[derive(Deserialize)]
struct QuestionLine {
    agent: String,
    query: String,
    at: Timestamp,
    #[serde(default, rename = "type")]
    class: String,
    evidence: Vec<String>,
}

/// Reads the messages. The writer validates their contents.
pub(crate) fn messages(path: &Path) -> Result<Messages> {
    let mut messages = Messages::new();
    for line in lines::<MessageLine>(path)? {
        let message = Message {
            conversation: line.conversation,
            client_id: line.id,
            role: line.role.parse::<Role>()?,
            name: line.name,
            content: line.content,
            at: line.at,
        };
        messages.entry(Agent::new(&line.agent)?).or_default().push(message);
    }
    Ok(messages)
}

/// Reads the questions. Leaves out the questions that no existing message answers, and returns the number of these.
pub(crate) fn questions(path: &Path, messages: &Messages) -> Result<(Vec<Question>, usize)> {
    let lines = lines::<QuestionLine>(path)?;
    let (all, message_lines) = (lines.len(), message_lines(messages));
    let mut questions = Vec::new();
    for line in lines {
        let agent = Agent::new(&line.agent)?;
        let Some(message_lines) = message_lines.get(&agent) else { continue };
        let known: HashSet<String> =
            line.evidence.into_iter().filter(|id| message_lines.contains_key(id.as_str())).collect();
        if !known.is_empty() {
            let conversations = known.iter().map(|id| message_lines[id.as_str()].0.to_owned()).collect();
            let QuestionLine { query: text, at, class, .. } = line;
            // Some sets date a question to the morning of a day and its evidence to the evening.
            let at = known.iter().map(|id| message_lines[id.as_str()].1).fold(at, Timestamp::max);
            questions.push(Question { agent, text, at, class, evidence: known, conversations });
        }
    }
    let left_out = all - questions.len();
    Ok((questions, left_out))
}

/// Returns only the texts of the questions, of all agents.
pub(crate) fn question_texts(path: &Path) -> Result<Vec<String>> {
    Ok(lines::<QuestionLine>(path)?.into_iter().map(|line| line.query).collect())
}

/// Returns conversation and time of each message by agent and client id.
fn message_lines(messages: &Messages) -> HashMap<&Agent, HashMap<&str, (&str, Timestamp)>> {
    messages
        .iter()
        .map(|(agent, messages)| {
            let message_lines = messages.iter().filter_map(|message| {
                Some((message.client_id.as_deref()?, (message.conversation.as_str(), message.at)))
            });
            (agent, message_lines.collect())
        })
        .collect()
}

/// Reads a file with one JSON object per line. Skips blank lines. Fails at the first line that cannot be parsed.
pub(crate) fn lines<L: DeserializeOwned>(path: &Path) -> Result<Vec<L>> {
    let wrong = |cause| Error::storage(format!("cannot read {}", path.display()), cause);
    let text = std::fs::read_to_string(path).map_err(wrong)?;
    let numbered = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    numbered
        .map(|(line, number)| {
            let location = || format!("line {number} of {}", path.display());
            serde_json::from_str(line).map_err(|error| Error::invalid(location(), error.to_string()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(lines: &[&str]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), lines.join("\n")).unwrap();
        file
    }

    #[test]
    fn unanswerable_questions_are_left_out_and_counted() {
        let history = file(&[
            r#"{"agent":"a","conversation":"c","id":"1","role":"user","content":"x","at":"2026-03-04T10:00:00Z","more":1}"#,
            "",
        ]);
        let messages = messages(history.path()).unwrap();
        let question = |agent: &str, evidence: &str| {
            format!(
                r#"{{"agent":"{agent}","query":"?","at":"2026-03-05T10:00:00Z","type":"t","evidence":[{evidence}]}}"#
            )
        };
        let lines = [question("a", r#""1","9""#), question("a", r#""9""#), question("a", ""), question("b", r#""1""#)];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let (questions, left_out) = questions(file(&lines).path(), &messages).unwrap();
        assert_eq!((questions.len(), left_out), (1, 3));
        assert_eq!(questions[0].evidence, HashSet::from(["1".to_owned()]));
        assert_eq!(questions[0].conversations, HashSet::from(["c".to_owned()]));
    }

    #[test]
    fn unreadable_line_is_reported_by_number() {
        let error = messages(file(&["{}"]).path()).unwrap_err().to_string();
        assert!(error.starts_with("line 1 of ") && error.contains("agent"), "{error}");
    }
}
