//! Agents: their numbers in the file, and their settings.

use annals_core::ports::AgentState;
use annals_core::{Agent, Grain, Period, Settings, Timestamp, latest_day};
use rusqlite::{Connection, OptionalExtension, params};

use crate::columns::{json, to_json};
use crate::failure::Result;
use crate::{changes, watermarks};

pub(crate) const AGENT_STATE: &str = include_str!("sql/agent_state.sql");
pub(crate) const WITH_WORK: &str = include_str!("sql/agents_with_work.sql");

/// Returns every agent that has settings, messages, ledger rows, fact operations or blocks, by name, then by workspace.
pub(crate) fn all(connection: &Connection) -> Result<Vec<Agent>> {
    let mut statement = connection.prepare_cached(include_str!("sql/agents.sql"))?;
    read_all(statement.query([])?)
}

fn read_all(mut rows: rusqlite::Rows<'_>) -> Result<Vec<Agent>> {
    let mut agents = Vec::new();
    while let Some(row) = rows.next()? {
        agents.push(Agent::in_workspace(row.get_ref(0)?.as_str().unwrap_or_default(), &row.get::<_, String>(1)?)?);
    }
    Ok(agents)
}

/// Returns the agents that may have roll-up work.
pub(crate) fn with_work(connection: &Connection, now: Timestamp) -> Result<Vec<Agent>> {
    let day = latest_day(now);
    let current = Grain::SUMMARIES.map(|grain| Period::of(grain, day).to_string());
    let mut statement = connection.prepare_cached(WITH_WORK)?;
    let rows = statement.query(rusqlite::params_from_iter(current))?;
    read_all(rows)
}

/// Returns the agent's number; 0 for an unknown agent. No row has the number 0, so queries with it return nothing.
pub(crate) fn known(connection: &Connection, agent: &Agent) -> Result<i64> {
    Ok(numbered(connection, agent.workspace(), agent.name())?.unwrap_or(0))
}

/// Returns the number of a row, even if the names are not valid names of an agent.
pub(crate) fn numbered(connection: &Connection, workspace: &str, name: &str) -> Result<Option<i64>> {
    let sql = "SELECT agent_id FROM agent WHERE workspace = ?1 AND name = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_row([workspace, name], |row| row.get(0)).optional()?)
}

/// Returns the agent's number; assigns one if it has none. An agent of the same name may have been erased before.
pub(crate) fn enrolled(connection: &Connection, agent: &Agent) -> Result<i64> {
    let number = known(connection, agent)?;
    if number > 0 {
        return Ok(number);
    }
    let sql = "INSERT INTO agent (workspace, name, erased) SELECT ?1, ?2, last FROM sequence RETURNING agent_id";
    Ok(connection.prepare_cached(sql)?.query_row([agent.workspace(), agent.name()], |row| row.get(0))?)
}

/// Records that something of the agent is erased now.
pub(crate) fn note_erasure(connection: &Connection, agent: &Agent) -> Result<()> {
    let sql = "UPDATE agent SET erased = (SELECT last FROM sequence) WHERE agent_id = ?1";
    connection.prepare_cached(sql)?.execute([known(connection, agent)?])?;
    Ok(())
}

/// Returns the agent's state: whether it is known, its settings and its backlog.
pub(crate) fn agent_state(connection: &Connection, agent: &Agent) -> Result<AgentState> {
    let mut statement = connection.prepare_cached(AGENT_STATE)?;
    let found = statement.query_row([known(connection, agent)?], |row| {
        let is_set = row.get_ref("settings")? != rusqlite::types::ValueRef::Null;
        let settings = if is_set { json(row, "settings")? } else { Settings::default() };
        Ok((row.get("known")?, settings))
    });
    let Some((known, settings)) = found.optional()? else { return Ok(AgentState::default()) };
    let applied = watermarks::watermark(connection, agent, Grain::Working)?.applied;
    let waiting = changes::backlog(connection, agent, Grain::Working, applied)?;
    Ok(AgentState { known, settings, waiting })
}

/// Returns the agent's settings; the defaults if it has none.
pub(crate) fn settings(connection: &Connection, agent: &Agent) -> Result<Settings> {
    let sql = "SELECT settings FROM agent WHERE agent_id = ?1 AND settings IS NOT NULL";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row([known(connection, agent)?], |row| json(row, "settings")).optional()?;
    Ok(found.unwrap_or_default())
}

pub(crate) fn save_settings(connection: &Connection, agent: &Agent, settings: &Settings) -> Result<()> {
    save_settings_of(connection, enrolled(connection, agent)?, settings)
}

/// Replaces the settings, by the agent's number.
pub(crate) fn save_settings_of(connection: &Connection, agent_id: i64, settings: &Settings) -> Result<()> {
    let sql = "UPDATE agent SET settings = ?2 WHERE agent_id = ?1";
    connection.prepare_cached(sql)?.execute(params![agent_id, to_json(settings)])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Folder, spoken_turn};
    use annals_core::{Agent, Catalog, Settings, Timestamp};
    use annals_testkit::agent;

    #[tokio::test]
    async fn agent_with_settings_or_messages_is_listed() {
        let folder = Folder::new();
        let catalog = folder.open();
        let (set, stated) = (agent("o'brien \"x\"; --"), agent("../μνήμη"));
        let elsewhere = Agent::in_workspace("another", "z").unwrap();
        assert_eq!(catalog.settings(&set).await.unwrap(), Settings::default());
        assert_eq!(catalog.agents().await.unwrap(), []);
        let settings = Settings {
            time_zone: "Pacific/Apia".into(),
            later_zones: vec![(Timestamp::UNIX_EPOCH, "Europe/Berlin".into())],
            language: "de".into(),
            ..Settings::default()
        };
        catalog.save_settings(&set, &settings).await.unwrap();
        for agent in [&stated, &elsewhere] {
            catalog.ingest(agent, vec![spoken_turn(agent, "1", "hello")], false, Timestamp::UNIX_EPOCH).await.unwrap();
        }
        assert_eq!(catalog.agents().await.unwrap(), [stated.clone(), set.clone(), elsewhere]);
        assert_eq!(catalog.settings(&set).await.unwrap(), settings);
        assert_eq!(catalog.settings(&stated).await.unwrap(), Settings::default());
    }
}
