//! Agents: their numbers in the database, their settings, their state and their sizes.

use annals_core::ports::{AgentState, Agents, Counts, RetentionLimits, Totals, VectorModel};
use annals_core::{Agent, Grain, Period, Settings, Timestamp, latest_day};
use async_trait::async_trait;

use crate::columns::{grain, instant, json, maybe_instant, number, to_json};
use crate::db::{Db, Result, Row, params};
use crate::{Backend, SqlCatalog};
use crate::{changes, names, passages, totals};

#[async_trait]
impl<B: Backend> Agents for SqlCatalog<B> {
    async fn agents(
        &self,
        workspace: Option<&str>,
        after: Option<&Agent>,
        limit: usize,
    ) -> annals_core::Result<Vec<Agent>> {
        let (workspace, after) = (workspace.map(str::to_owned), after.cloned());
        let list = move |c: &dyn Db| page(c, workspace.as_deref(), after.as_ref(), limit);
        self.thread.read("listing agents", list).await
    }

    async fn resolve_agent(&self, workspace: &str, name: &str) -> annals_core::Result<Agent> {
        let agent = Agent::in_workspace(workspace, name)?;
        let (workspace, name) = (workspace.to_owned(), name.to_owned());
        let found = self.thread.read("finding an agent", move |c| names::owner(c, &workspace, &name)).await?;
        Ok(found.unwrap_or(agent))
    }

    async fn rename_agent(&self, agent: &Agent, name: &str) -> annals_core::Result<Agent> {
        let (agent, name) = (agent.clone(), name.to_owned());
        self.thread.write("renaming an agent", move |c| names::rename(c, &agent, &name)).await
    }

    async fn agents_with_work(&self, now: Timestamp) -> annals_core::Result<Vec<Agent>> {
        self.thread.read("listing agents that have work", move |c| with_work(c, now)).await
    }

    async fn agents_to_reembed(&self, model: &VectorModel) -> annals_core::Result<Vec<Agent>> {
        let model = model.clone();
        self.thread.read("listing agents to embed again", move |c| to_reembed(c, &model)).await
    }

    async fn agents_to_retain(&self, limits: &RetentionLimits) -> annals_core::Result<Vec<Agent>> {
        let limits = limits.clone();
        self.thread.read("listing agents to retain", move |c| totals::agents_to_retain(c, &limits)).await
    }

    async fn totals(&self, now: Timestamp) -> annals_core::Result<Totals> {
        self.thread.read("adding up all agents", move |c| totals::totals(c, now)).await
    }

    async fn agent_state(&self, agent: &Agent) -> annals_core::Result<AgentState> {
        let agent = agent.clone();
        self.thread.read("reading the state of an agent", move |c| agent_state(c, &agent)).await
    }

    async fn last_change(&self, agent: &Agent) -> annals_core::Result<u64> {
        let agent = agent.clone();
        self.thread.read("reading the last change of an agent", move |c| last_change(c, &agent)).await
    }

    async fn settings(&self, agent: &Agent) -> annals_core::Result<Settings> {
        let agent = agent.clone();
        self.thread.read("reading settings", move |c| settings(c, &agent)).await
    }

    async fn save_settings(&self, agent: &Agent, settings: &Settings) -> annals_core::Result<()> {
        let (agent, settings) = (agent.clone(), settings.clone());
        self.thread.write("saving settings", move |c| save_settings(c, &agent, &settings)).await
    }

    async fn counts(&self, agent: &Agent) -> annals_core::Result<Counts> {
        let agent = agent.clone();
        self.thread.read("counting memories", move |c| counts(c, &agent)).await
    }
}

/// SQL condition that a row of `agent` is a known agent: one with settings or data. An agent with only pruned turns is known by
/// its ledger rows, and one with only facts entered by hand by its fact operations.
macro_rules! is_known {
    () => {
        "-- The staging agent of a restore has no workspace.
        workspace <> '' AND (
            settings IS NOT NULL
            OR EXISTS (SELECT 1 FROM turn WHERE turn.agent_id = agent.agent_id)
            OR EXISTS (SELECT 1 FROM ledger WHERE ledger.agent_id = agent.agent_id)
            OR EXISTS (SELECT 1 FROM statement WHERE statement.agent_id = agent.agent_id)
            OR EXISTS (SELECT 1 FROM fact_operation WHERE fact_operation.agent_id = agent.agent_id)
            OR EXISTS (SELECT 1 FROM block WHERE block.agent_id = agent.agent_id)
            OR EXISTS (SELECT 1 FROM document WHERE document.agent_id = agent.agent_id)
        ) "
    };
}

pub(crate) use is_known;

/// SQL query for the known agents that come after a workspace and a key. The column `name` holds the key of an agent,
/// `shown_name` the name if it differs.
macro_rules! known_agents {
    ($rest:literal) => {
        concat!(
            "SELECT workspace, name, shown_name FROM agent WHERE (workspace, name) > (?1, ?2) AND ",
            is_known!(),
            $rest
        )
    };
}

pub(crate) const KNOWN: &str = is_known!();

pub(crate) const PAGE: &str = known_agents!("ORDER BY workspace, name LIMIT ?3");
pub(crate) const PAGE_OF_WORKSPACE: &str =
    known_agents!("AND workspace = ?4 AND name > ?5 ORDER BY workspace, name LIMIT ?3");
pub(crate) const AGENT_STATE: &str =
    concat!("SELECT settings, (", is_known!(), ") AS known FROM agent WHERE agent_id = ?1");
/// Selects the agents to embed again. Has the same conditions as [`annals_core::ports::Watermark::needs_reembedding`].
pub(crate) const TO_REEMBED: &str = concat!(
    "SELECT workspace, name, shown_name FROM agent
    WHERE EXISTS (
        SELECT 1 FROM watermark
        WHERE watermark.agent_id = agent.agent_id AND COALESCE(building_urgent, 0) = 0
            AND (building IS NOT NULL OR applied > 0 AND (model IS NULL OR model <> ?1 OR dimension <> ?2))
    ) AND ",
    is_known!(),
    "ORDER BY workspace, name"
);
pub(crate) const WITH_WORK: &str = include_str!("sql/agents_with_work.sql");

/// Returns up to `limit` known agents after the given one, by workspace, then by key. A known agent has settings,
/// messages, ledger rows, statements, fact operations, blocks or documents.
pub(crate) fn page(db: &dyn Db, workspace: Option<&str>, after: Option<&Agent>, limit: usize) -> Result<Vec<Agent>> {
    // No known agent has an empty name, so this position is before the first agent of a workspace.
    let (start, name) = after.map_or((workspace.unwrap_or_default(), ""), |after| (after.workspace(), after.key()));
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    match workspace {
        Some(workspace) => {
            // Parameters 4 and 5 repeat the lower bound in a form that can use the index over workspace and name.
            let from = if start == workspace { name } else { "" };
            db.query(PAGE_OF_WORKSPACE, params![start, name, limit, workspace, from], read)
        }
        None => db.query(PAGE, params![start, name, limit], read),
    }
}

/// Reads an agent from the columns `workspace`, `name` and `shown_name`. A row with an empty name stands for all erased agents
/// of its workspace.
pub(crate) fn read(row: &Row) -> Result<Agent> {
    let (workspace, key) = (row.text("workspace").unwrap_or_default(), row.get::<String>("name")?);
    if key.is_empty() {
        return Ok(Agent::erased(workspace)?);
    }
    let agent = Agent::in_workspace(workspace, &key)?;
    Ok(match row.get::<Option<String>>("shown_name")? {
        Some(name) => agent.renamed(&name)?,
        None => agent,
    })
}

/// Returns the known agents that have a dirty or degraded period which may be over in some time zone, an urgent generation to
/// build, or changes that a table or extraction has not applied.
pub(crate) fn with_work(db: &dyn Db, now: Timestamp) -> Result<Vec<Agent>> {
    let day = latest_day(now);
    let current = Grain::SUMMARIES.map(|grain| Period::of(grain, day).to_string());
    let [daily, weekly, monthly, quarterly, yearly] = current;
    db.query(WITH_WORK, params![daily, weekly, monthly, quarterly, yearly], read)
}

/// Returns the known agents that have a table with vectors of another model, or an unfinished generation that is not urgent.
pub(crate) fn to_reembed(db: &dyn Db, model: &VectorModel) -> Result<Vec<Agent>> {
    let dimension = i64::try_from(model.dimension).unwrap_or(i64::MAX);
    db.query(TO_REEMBED, params![model.name, dimension], read)
}

/// Returns the agent's number; 0 for an agent without a row. No row has the number 0, so queries with it return nothing.
pub(crate) fn known(db: &dyn Db, agent: &Agent) -> Result<i64> {
    Ok(row_id(db, agent.workspace(), agent.key())?.unwrap_or(0))
}

/// Returns the number of the agent's row; `None` if there is none. The names need not be valid: a staging agent has no
/// workspace.
pub(crate) fn row_id(db: &dyn Db, workspace: &str, name: &str) -> Result<Option<i64>> {
    let sql = "SELECT agent_id FROM agent WHERE workspace = ?1 AND name = ?2";
    db.query_optional(sql, params![workspace, name], |row| row.get(0))
}

/// Returns the agent's number; adds the agent if it has none. The new row counts as erased up to the sequence floor: an agent
/// that was erased may have had the same name, and no answer to a request of that agent may be saved.
pub(crate) fn enrolled(db: &dyn Db, agent: &Agent) -> Result<i64> {
    let number = known(db, agent)?;
    if number > 0 {
        return Ok(number);
    }
    names::check_free(db, agent, agent.key())?;
    let sql = "INSERT INTO agent (workspace, name, erased) SELECT ?1, ?2, seq FROM sequence_floor RETURNING agent_id";
    db.query_one(sql, params![agent.workspace(), agent.key()], |row| row.get(0))
}

/// Records that data of the agent is erased now: sets `erased` to the agent's last sequence number.
pub(crate) fn note_erasure(db: &dyn Db, agent: &Agent) -> Result<()> {
    let sql = "UPDATE agent SET erased = seq WHERE agent_id = ?1 AND erased < seq";
    db.execute(sql, params![known(db, agent)?])?;
    Ok(())
}

/// Returns the agent's state: whether it is known, its settings and its backlog.
pub(crate) fn agent_state(db: &dyn Db, agent: &Agent) -> Result<AgentState> {
    let found = db.query_optional(AGENT_STATE, params![known(db, agent)?], |row| {
        let is_set = !row.is_null("settings")?;
        let settings = if is_set { json(row, "settings")? } else { Settings::default() };
        Ok((row.get("known")?, settings))
    })?;
    let Some((known, settings)) = found else { return Ok(AgentState::default()) };
    let applied = changes::watermark(db, agent, Grain::Working)?.applied;
    let waiting = changes::backlog(db, agent, Grain::Working, applied)?;
    Ok(AgentState { known, settings, waiting })
}

fn last_change(db: &dyn Db, agent: &Agent) -> Result<u64> {
    let found = db.query_optional("SELECT seq FROM agent WHERE agent_id = ?1", params![known(db, agent)?], |row| {
        number(row, "seq")
    })?;
    Ok(found.unwrap_or_default())
}

/// Returns the agent's settings; the defaults if it has none.
pub(crate) fn settings(db: &dyn Db, agent: &Agent) -> Result<Settings> {
    let sql = "SELECT settings FROM agent WHERE agent_id = ?1 AND settings IS NOT NULL";
    let found = db.query_optional(sql, params![known(db, agent)?], |row| json(row, "settings"))?;
    Ok(found.unwrap_or_default())
}

pub(crate) fn save_settings(db: &dyn Db, agent: &Agent, settings: &Settings) -> Result<()> {
    save_settings_of(db, enrolled(db, agent)?, settings)
}

/// Replaces the settings of the agent with this number.
pub(crate) fn save_settings_of(db: &dyn Db, agent_id: i64, settings: &Settings) -> Result<()> {
    let sql = "UPDATE agent SET settings = ?2 WHERE agent_id = ?1";
    db.execute(sql, params![agent_id, to_json(settings)])?;
    Ok(())
}

pub(crate) const COUNT_TURNS: &str = "SELECT count(*) AS n FROM turn WHERE agent_id = ?1";
pub(crate) const COUNT_STATEMENTS: &str = "SELECT count(*) AS n FROM statement WHERE agent_id = ?1";
pub(crate) const COUNT_SUMMARIES: &str = "SELECT grain, count(*) AS n FROM summary WHERE agent_id = ?1 GROUP BY grain";
pub(crate) const FIRST_TURN: &str = "SELECT at FROM turn WHERE agent_id = ?1 ORDER BY at LIMIT 1";
pub(crate) const LAST_TURN: &str = "SELECT at FROM turn WHERE agent_id = ?1 ORDER BY at DESC LIMIT 1";

/// Returns the number of memories per grain, the instants of the first and the last turn, and the instant of the last ingest.
pub(crate) fn counts(db: &dyn Db, agent: &Agent) -> Result<Counts> {
    let agent_id = known(db, agent)?;
    let mut counts = Counts::default();
    for sql in [COUNT_TURNS, COUNT_STATEMENTS, passages::COUNT] {
        let rows: u64 = db.query_one(sql, params![agent_id], |row| number(row, "n"))?;
        counts.memories[0] += rows;
    }
    for (grain, summaries) in
        db.query(COUNT_SUMMARIES, params![agent_id], |row| Ok((grain(row)?, number(row, "n")?)))?
    {
        counts.memories[grain as usize] = summaries;
    }
    let edge =
        |sql| -> Result<Option<Timestamp>> { db.query_optional(sql, params![agent_id], |row| instant(row, "at")) };
    counts.extent = edge(FIRST_TURN)?.zip(edge(LAST_TURN)?);
    let sql = "SELECT ingested_at FROM agent WHERE agent_id = ?1";
    counts.last_ingest = db.query_optional(sql, params![agent_id], |row| maybe_instant(row, "ingested_at"))?.flatten();
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use annals_core::ports::OnConflict;
    use annals_core::prelude::*;
    use annals_core::{Agent, Settings, Timestamp};
    use annals_testkit::agent;

    use crate::fixture::{Folder, user_turn};

    #[tokio::test]
    async fn agent_with_settings_or_messages_is_listed() {
        let folder = Folder::new();
        let catalog = folder.open();
        let (set, unset) = (agent("o'brien \"x\"; --"), agent("../μνήμη"));
        let elsewhere = Agent::in_workspace("another", "z").unwrap();
        assert_eq!(catalog.settings(&set).await.unwrap(), Settings::default());
        assert_eq!(catalog.all_agents().await.unwrap(), []);
        let settings = Settings {
            time_zone: "Pacific/Apia".into(),
            later_zones: vec![(Timestamp::UNIX_EPOCH, "Europe/Berlin".into())],
            language: "de".into(),
            ..Settings::default()
        };
        catalog.save_settings(&set, &settings).await.unwrap();
        for agent in [&unset, &elsewhere] {
            catalog
                .ingest(agent, vec![user_turn(agent, "1", "hello")], OnConflict::Refuse, Timestamp::UNIX_EPOCH)
                .await
                .unwrap();
        }
        assert_eq!(catalog.all_agents().await.unwrap(), [elsewhere, unset.clone(), set.clone()]);
        assert_eq!(catalog.settings(&set).await.unwrap(), settings);
        assert_eq!(catalog.settings(&unset).await.unwrap(), Settings::default());
    }
}
