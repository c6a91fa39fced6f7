//! Requests to a running service: paths, query strings, bodies and MCP calls. It must answer every request without a server
//! error, and keep running.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::command::Annals;
use crate::fuzz::{Verdict, fuzz};
use crate::service::Served;
use crate::story::days;

/// Method and path in the first line, the body below it.
const GOOD: [&str; 45] = [
    "GET /v1/agents/ann/timeline?grains=working,daily&from=2026-01-01&to=2026-01-31&limit=10\n",
    "GET /v1/agents/ann/timeline?period=2026-W03&newest_first=true&conversation=day%203\n",
    "GET /v1/agents/ann/facts?about=ann&predicate=lives_in,works_at&depth=2&direction=in&as_of=2026-02-20T10:00:00Z\n",
    "GET /v1/agents/ann/facts?about=ann&to=Bern&history=true\n",
    "GET /v1/agents/ann/memories/t-abcdefghijklmnopqrstuvwxyz/sources\n",
    "GET /v1/operations/op-abcdefghijklmnopqrstuvwxyz\n",
    "GET /v1/agents?workspace=default\n",
    "POST /v1/agents/ann/search\n{\"query\": \"why was the trip to Kyoto cancelled last month?\", \"grains\": [\"weekly\"], \"from\": \"2026-01-01\", \"to\": \"2026-03-31\", \"limit\": 5, \"budget\": 500}",
    "POST /v1/agents/ann/search\n{\"query\": \"What happened 3 weeks ago?\", \"period\": \"2026-Q1\", \"minimum_days_ago\": 0, \"maximum_days_ago\": 400, \"kinds\": [\"turn\"], \"strict\": true}",
    "POST /v1/agents/ann/context\n{\"prompt\": \"Where does Ann live?\", \"budget_tokens\": 1500, \"speaker\": \"Ann\"}",
    "POST /v1/agents/ann/messages?wait=stored\n{\"conversation\": \"talk\", \"messages\": [{\"role\": \"user\", \"name\": \"Ann\", \"id\": \"1\", \"content\": \"I moved to Bern.\", \"at\": \"2026-03-04T18:30:00Z\"}], \"revise\": true}",
    "POST /v1/agents/ann/forget\n{\"subject\": \"Ann\", \"dry_run\": true}",
    "POST /v1/agents/ann/forget\n{\"from\": \"2026-01-01\", \"to\": \"2026-01-02\", \"dry_run\": true}",
    "POST /v1/agents/ann/facts\n{\"subject\": \"Ann\", \"predicate\": \"likes\", \"object\": \"figs\", \"at\": \"2026-03-04T18:30:00Z\"}",
    "PUT /v1/agents/ann/blocks\n{\"blocks\": [{\"name\": \"persona\", \"text\": \"Be kind.\"}]}",
    "PUT /v1/agents/ann/documents/notes.work/plan%2Fa.md\n{\"text\": \"# Trip\\n\\nWe go to Bern.\", \"lifetime_seconds\": 60, \"expected_version\": 0}",
    "PUT /v1/agents/ann/documents/notes/json\n{\"value\": {\"a\": [{\"t\": \"tea\"}]}, \"indexed\": [\"a[*].t\", \"a[-1]\"]}",
    "POST /v1/agents/ann/documents/search\n{\"query\": \"tea\", \"collection\": \"notes\", \"limit\": 3}",
    "PUT /compat/langgraph/ann/store/items\n{\"namespace\": [\"a\", \"b\"], \"key\": \"k\", \"value\": {\"n\": 1}, \"index\": [\"n\"], \"ttl\": 2.5}",
    "POST /compat/langgraph/ann/store/items/search\n{\"namespace_prefix\": [\"a\"], \"filter\": {\"n\": {\"$gte\": 1}}, \"query\": \"tea\", \"offset\": 1}",
    "POST /compat/anthropic/ann\n{\"command\": \"str_replace\", \"path\": \"/memories/a/../b.txt\", \"old_str\": \"a\", \"new_str\": \"b\"}",
    "POST /compat/anthropic/ann\n{\"command\": \"view\", \"path\": \"/memories/b.txt\", \"view_range\": [1, -1]}",
    "POST /compat/anthropic/ann\n{\"command\": \"create\", \"path\": \"/memories/b.txt\", \"file_text\": \"one\\ntwo\"}",
    "POST /compat/anthropic/ann\n{\"command\": \"insert\", \"path\": \"/memories/b.txt\", \"insert_line\": 1, \"insert_text\": \"x\"}",
    "POST /compat/anthropic/ann\n{\"command\": \"rename\", \"old_path\": \"/memories/b.txt\", \"new_path\": \"/memories/d/c.txt\"}",
    "POST /compat/anthropic/ann\n{\"command\": \"delete\", \"path\": \"/memories/d\"}",
    "POST /compat/langgraph/ann/store/namespaces\n{\"prefix\": [\"a\", \"*\"], \"suffix\": [\"b\"], \"max_depth\": 2, \"limit\": 5, \"offset\": 1}",
    "POST /compat/mem0/ann/v3/memories/add/\n{\"messages\": [{\"role\": \"user\", \"content\": \"I like tea.\"}], \"user_id\": \"ann\", \"metadata\": {\"topic\": \"home\"}, \"infer\": false, \"timestamp\": 1772641800}",
    "POST /compat/mem0/ann/v3/memories/search/\n{\"query\": \"tea two weeks ago\", \"filters\": {\"AND\": [{\"user_id\": \"ann\"}, {\"metadata\": {\"rating\": {\"gte\": 4}}}]}, \"top_k\": 3, \"threshold\": 0.1}",
    "POST /compat/mem0/ann/v3/memories/?page=1&page_size=2\n{\"filters\": {\"OR\": [{\"user_id\": \"*\"}, {\"created_at\": {\"lt\": \"2026-03-01\"}}, {\"NOT\": [{\"run_id\": {\"in\": [\"a\", \"b\"]}}]}]}}",
    "PUT /compat/mem0/ann/v1/memories/00000000-0000-4000-8000-000000000000/\n{\"text\": \"Espresso.\", \"metadata\": {\"rating\": 5}}",
    "PUT /compat/mem0/ann/v1/batch/\n{\"memories\": [{\"memory_id\": \"00000000-0000-4000-8000-000000000000\", \"text\": \"x\"}]}",
    "DELETE /compat/mem0/ann/v1/memories/?user_id=bob&run_id=chat-1\n",
    "POST /compat/openai/ann/v1/conversations\n{\"metadata\": {\"topic\": \"demo\"}, \"items\": [{\"type\": \"message\", \"role\": \"user\", \"content\": \"Hello!\"}]}",
    "POST /compat/openai/ann/v1/conversations/conv_1/items\n{\"items\": [{\"type\": \"message\", \"role\": \"assistant\", \"content\": [{\"type\": \"output_text\", \"text\": \"Hi.\", \"annotations\": []}]}, {\"type\": \"function_call\", \"call_id\": \"c\", \"name\": \"f\", \"arguments\": \"{}\"}, {\"type\": \"function_call_output\", \"call_id\": \"c\", \"output\": \"7\"}]}",
    "GET /compat/openai/ann/v1/conversations/conv_1/items?limit=3&order=desc&after=msg_1&include=x\n",
    "POST /mcp-memory/ann\n{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \"params\": {\"name\": \"create_entities\", \"arguments\": {\"entities\": [{\"name\": \"Ann\", \"entityType\": \"person\", \"observations\": [\"likes tea\"]}]}}}",
    "POST /mcp-memory/ann\n{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"tools/call\", \"params\": {\"name\": \"create_relations\", \"arguments\": {\"relations\": [{\"from\": \"Ann\", \"to\": \"Bob\", \"relationType\": \"knows\"}]}}}",
    "POST /mcp-memory/ann\n{\"jsonrpc\": \"2.0\", \"id\": 3, \"method\": \"tools/call\", \"params\": {\"name\": \"search_nodes\", \"arguments\": {\"query\": \"tea\"}}}",
    "POST /mcp-memory/ann\n{\"jsonrpc\": \"2.0\", \"id\": 4, \"method\": \"tools/call\", \"params\": {\"name\": \"delete_observations\", \"arguments\": {\"deletions\": [{\"entityName\": \"Ann\", \"observations\": [\"likes tea\"]}]}}}",
    "PUT /v1/agents/ann/settings\n{\"time_zone\": \"Europe/Lisbon\", \"language\": \"pt\", \"plan\": \"keep\", \"prompts\": {\"daily\": \"Say it in short. {{ sources }}\"}}",
    "PATCH /v1/agents/ann/memories/t-abcdefghijklmnopqrstuvwxyz\n{\"text\": \"Ann moved to Basel.\"}",
    "POST /v1/agents/ann/tools/search_memory\n{\"query\": \"Kyoto\", \"limit\": 3}",
    "POST /mcp\n{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\", \"params\": {\"name\": \"timeline\", \"arguments\": {\"period\": \"2026-01\", \"agent\": \"ann\"}}}",
    "POST /mcp\n{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"initialize\", \"params\": {\"protocolVersion\": \"2025-06-18\", \"capabilities\": {}, \"clientInfo\": {\"name\": \"x\", \"version\": \"1\"}}}",
];

#[test]
fn mutated_requests_cause_no_server_error() {
    let annals = Annals::new();
    annals.import(&days("ann", 20, 1));
    annals.json(&["rollup"]);
    let served = Served::over_unlimited(annals);
    let address = served.address.trim_start_matches("http://").to_owned();
    let good = GOOD.map(|request| request.as_bytes().to_vec());
    fuzz("requests", &good, |input| {
        check(&ask(&address, input)?)?;
        let ready = ask(&address, b"GET /readyz\n")?;
        if ready.starts_with("HTTP/1.1 200") { Ok(()) } else { Err(format!("not ready: {ready}")) }
    });
    let sound = served.annals.run(&["verify", "--json"]);
    assert!(sound.out.contains("\"catalog\":[]"), "{} {}", sound.out, sound.err);
}

/// Checks that the status is not a server error.
fn check(answer: &str) -> Verdict {
    let status = answer.split(' ').nth(1).and_then(|status| status.parse::<u16>().ok());
    match status {
        Some(200..500) => Ok(()),
        _ => Err(format!("answered: {answer}")),
    }
}

/// Sends the input as a request on its own connection. Returns the whole response.
pub fn ask(address: &str, input: &[u8]) -> Result<String, String> {
    let end = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    let (line, body) = (&input[..end], input.get(end + 1..).unwrap_or_default());
    let head = format!(
        " HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let failed = |error: std::io::Error| format!("no answer: {error}");
    let mut stream = TcpStream::connect(address).map_err(failed)?;
    // The service may answer before it has read the whole request, and then close the connection.
    let _ = stream.write_all(&[line, head.as_bytes(), body].concat());
    stream.set_read_timeout(Some(Duration::from_secs(90))).map_err(failed)?;
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Err(error) if error.kind() == ErrorKind::WouldBlock => Err(failed(error)),
        // Closed in the middle of a request that is too long.
        _ if answer.is_empty() => Ok("HTTP/1.1 400 closed".to_owned()),
        _ => Ok(String::from_utf8_lossy(&answer).into_owned()),
    }
}
