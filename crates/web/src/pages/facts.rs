//! The page of facts: a table, a graph of the facts around a name if one is given, and the changes between two days.

use std::collections::{BTreeMap, HashSet};

use annals_core::ports::Scope;
use annals_core::{ALIAS, Agent, Date, Error, MERGED_BECAUSE, MemoryId, SPEAKER, Timestamp, Zones};
use annals_service::wire::{FactEntry, FactView, FactsRequest, PeriodsRequest, Verb, When};
use axum::extract::{Path, State};
use maud::{Markup, html};

use super::{Shown, graph};
use crate::failure::Failure;
use crate::fields::{Fields, Form, Query};
use crate::layout::{Page, redirect, token};
use crate::site::Site;
use crate::visit::Visitor;
use crate::{labels, link};

/// Maximum number of facts on one page of the table.
const PAGE_SIZE: usize = 200;
/// Maximum number of facts in the graph. With more, lines cannot be distinguished.
const MAX_GRAPH_FACTS: usize = 200;

/// Serves `GET /agents/{agent}/facts`: the facts, or the changes between two days.
pub(crate) async fn show(
    State(site): State<Site>,
    visitor: Visitor,
    Path(name): Path<String>,
    Query(query): Query,
) -> Shown {
    let agent = visitor.agent(&site.service, &name, Scope::Search).await?;
    let view =
        View { site: &site, visitor: &visitor, agent: &agent, zones: site.service.zones(&agent).await?, query: &query };
    let content = match (query.parsed::<Date>("as_of")?, query.parsed::<Date>("compare")?) {
        (Some(before), Some(after)) => view.changes(before, after).await?,
        (as_of, _) => view.table_and_graph(as_of).await?,
    };
    let page = Page {
        title: "Facts".into(),
        visitor: Some(&visitor),
        agent: Some(agent.name()),
        tab: Some("facts"),
        ..Page::default()
    };
    let (first, today) = view.days().await?;
    Ok(page.show(html! {
        h1 { "Facts" }
        (form(&name, &query))
        @if let Some(first) = first { (slider(first, today, query.parsed("as_of")?)) }
        div #facts { (content) }
    }))
}

/// Serves `POST /agents/{agent}/facts`: enters or retracts a fact.
pub(crate) async fn enter(
    State(site): State<Site>,
    visitor: Visitor,
    Path(name): Path<String>,
    Form(form): Form,
) -> Shown {
    let agent = visitor.agent(&site.service, &name, Scope::Admin).await?;
    let subject = form.required("subject")?.to_owned();
    let entry = FactEntry {
        verb: if form.get("verb") == Some("retract") { Verb::Retract } else { Verb::Add },
        subject: subject.clone(),
        predicate: form.required("predicate")?.to_owned(),
        object: form.get("object").map(str::to_owned),
        at: form.parsed::<When>("at")?,
    };
    site.service.enter_fact(&agent, entry, site.service.now()).await?;
    Ok(redirect(&link::with(&link::agent(&name, "facts"), [("about", subject.as_str()), ("history", "yes")])))
}

struct View<'a> {
    site: &'a Site,
    visitor: &'a Visitor,
    agent: &'a Agent,
    zones: Zones,
    query: &'a Fields,
}

impl View<'_> {
    fn request(&self, as_of: Option<Date>) -> FactsRequest {
        FactsRequest {
            about: self.query.get("about").map(str::to_owned),
            predicate: self.query.get("predicate").map(str::to_owned),
            as_of: as_of.map(When::Day),
            history: self.query.get("history").is_some(),
            limit: Some(PAGE_SIZE),
            cursor: self.query.get("after").map(str::to_owned),
            ..FactsRequest::default()
        }
    }

    async fn table_and_graph(&self, as_of: Option<Date>) -> Result<Markup, Failure> {
        let (service, now) = (&self.site.service, self.site.service.now());
        let answer = service.facts(self.agent, self.request(as_of), now).await?;
        let picture = match self.query.get("about") {
            Some(about) => {
                let depth = self.query.parsed("depth")?.unwrap_or(1).clamp(1, 2);
                let request = FactsRequest {
                    depth: Some(depth),
                    limit: Some(MAX_GRAPH_FACTS),
                    cursor: None,
                    ..self.request(as_of)
                };
                let walk = service.facts(self.agent, request, now).await?;
                self.graph(about, depth, &walk.facts)
            }
            None => html! {},
        };
        let speakers = self.speakers(&answer.facts).await?;
        let next = answer.next_cursor.as_deref().map(|cursor| self.address("after", cursor));
        Ok(html! {
            @if answer.facts.is_empty() { p.empty { "No facts. They are extracted from messages by the job rollup; “also ended” shows former ones." } }
            @else { (self.table(&answer.facts, &speakers, "Facts")) }
            @if let Some(next) = next { p { a href=(next) { "More facts" } } }
            (picture)
            @if self.visitor.caller.may(Scope::Admin) { (self.entry()) }
        })
    }

    /// Returns the first day with a memory, if there is one, and today.
    async fn days(&self) -> Result<(Option<Date>, Date), Error> {
        let now = self.site.service.now();
        let today = self.zones.day_of(now);
        let request = PeriodsRequest { from: Some(Date::MIN), to: Some(Date::MIN) };
        Ok((self.site.service.periods(self.agent, request, now).await?.first, today))
    }

    /// Returns the address of this page with `name` set to `value` and the other fields unchanged. Leaves out the position in
    /// the table and the day of comparison.
    fn address(&self, name: &str, value: &str) -> String {
        let kept = ["about", "predicate", "as_of", "history", "depth"].into_iter().filter(|kept| *kept != name);
        let kept = kept.filter_map(|name| Some((name, self.query.get(name)?)));
        link::with(&link::agent(self.agent.name(), "facts"), kept.chain([(name, value)]))
    }

    fn graph(&self, about: &str, depth: u32, facts: &[FactView]) -> Markup {
        let about_link = |name: &str| link::with(&link::agent(self.agent.name(), "facts"), [("about", name)]);
        html! {
            section.graph {
                h2 { "Around " bdi { (about) } }
                p.hint { "Dashed lines have ended. A name leads to its own facts. "
                    @if depth == 1 { a href=(self.address("depth", "2")) { "Two steps" } } @else { a href=(self.address("depth", "1")) { "One step" } } }
                (graph::draw(about, facts, &about_link))
            }
        }
    }

    /// Draws the facts that began and the facts that ended between two days. Compares all facts. With a limit, a fact that one
    /// of the two lists lacks would look as if it had begun or ended.
    async fn changes(&self, before: Date, after: Date) -> Result<Markup, Failure> {
        let now = self.site.service.now();
        let at = async |day: Date| {
            let request = FactsRequest { limit: None, cursor: None, history: false, ..self.request(Some(day)) };
            Ok::<_, Error>(self.site.service.ask_facts(self.agent, request, now).await?.facts)
        };
        let (former, present) = (at(before).await?, at(after).await?);
        let missing = |facts: &[FactView], other: &[FactView]| -> Vec<FactView> {
            let known: HashSet<&str> = other.iter().map(|fact| fact.id.as_str()).collect();
            facts.iter().filter(|fact| !known.contains(fact.id.as_str())).cloned().collect()
        };
        let (ended, begun) = (missing(&former, &present), missing(&present, &former));
        let speakers = self.speakers(&[ended.as_slice(), begun.as_slice()].concat()).await?;
        Ok(html! {
            h2 { "Between " (labels::day(before)) " and " (labels::day(after)) }
            @if ended.is_empty() && begun.is_empty() { p.empty { "No fact began or ended." } }
            @if !begun.is_empty() { (self.table(&begun, &speakers, "Began")) }
            @if !ended.is_empty() { (self.table(&ended, &speakers, "Ended")) }
        })
    }

    /// Returns the speaker of the first source of each fact, by the id of the source. Leaves out sources that are not stored
    /// any more.
    async fn speakers(&self, facts: &[FactView]) -> Result<BTreeMap<String, String>, Error> {
        let ids: Vec<MemoryId> =
            facts.iter().filter_map(|fact| fact.source_ids.first()).map(MemoryId::from_text).collect();
        let turns = self.site.service.memories(self.agent, &ids).await?;
        Ok(turns.iter().filter_map(|turn| Some((turn.id.to_string(), turn.speaker()?.to_owned()))).collect())
    }

    fn table(&self, facts: &[FactView], speakers: &BTreeMap<String, String>, caption: &str) -> Markup {
        html! {
            div.scroll tabindex="0" role="region" aria-label=(caption) {
                table.facts {
                    caption { (caption) " " span.number { (facts.len()) } }
                    thead { tr {
                        th scope="col" { "Who" } th scope="col" { "What" } th scope="col" { "Value" } th scope="col" { "Since" }
                        th scope="col" { "Until" } th scope="col" { "Said by" } th scope="col" { "Source" }
                        @if self.visitor.caller.may(Scope::Admin) { th scope="col" { span.hidden { "Change" } } }
                    } }
                    tbody { @for fact in facts { (self.row(fact, speakers)) } }
                }
            }
        }
    }

    fn row(&self, fact: &FactView, speakers: &BTreeMap<String, String>) -> Markup {
        let about = |name: &str| link::with(&link::agent(self.agent.name(), "facts"), [("about", name)]);
        let source = fact.source_ids.first();
        let stated = fact.properties.get(SPEAKER).and_then(|speaker| speaker.as_str());
        let speaker = stated.or_else(|| speakers.get(source?).map(String::as_str));
        let why = fact.properties.get(MERGED_BECAUSE).and_then(|why| why.as_str()).map(|why| why.replace('_', " "));
        html! {
            tr.ended[fact.valid_to.is_some()] {
                td { a href=(about(&fact.subject)) { bdi { (fact.subject) } } }
                td { (fact.predicate.replace('_', " ")) }
                td {
                    bdi { (fact.object) }
                    @if let Some(why) = why { span.hint { " same as, because " (why) } }
                    @else if fact.predicate == ALIAS { span.hint { " another name" } }
                }
                td { (self.day(&fact.valid_from)) }
                td { @if let Some(end) = &fact.valid_to { (self.day(end)) } @else { "holds" } }
                td { @if let Some(speaker) = speaker { bdi { (speaker) } } @else { span.hint { "unknown" } } }
                td {
                    @match source {
                        Some(id) if id.starts_with("t-") => a href=(link::memory(self.agent.name(), id)) { (self.day(&fact.said.from)) },
                        Some(_) => span.hint { "entered by hand" },
                        None => span.hint { "inferred" },
                    }
                }
                @if self.visitor.caller.may(Scope::Admin) { td { @if fact.valid_to.is_none() && source.is_some() { (self.retract(fact)) } } }
            }
        }
    }

    fn retract(&self, fact: &FactView) -> Markup {
        let label = format!("Retract: {} {} {}", fact.subject, fact.predicate.replace('_', " "), fact.object);
        html! {
            form method="post" action=(link::agent(self.agent.name(), "facts")) {
                (token(self.visitor))
                input type="hidden" name="verb" value="retract";
                input type="hidden" name="subject" value=(fact.subject);
                input type="hidden" name="predicate" value=(fact.predicate);
                input type="hidden" name="object" value=(fact.object);
                button.plain type="submit" aria-label=(label) { "Retract" }
            }
        }
    }

    fn entry(&self) -> Markup {
        html! {
            details {
                summary { "Enter a fact" }
                form.row method="post" action=(link::agent(self.agent.name(), "facts")) {
                    (token(self.visitor))
                    label { "Who " input name="subject" required value=(self.query.get("about").unwrap_or_default()); }
                    label { "What " input name="predicate" required placeholder="lives_in"; }
                    label { "Value " input name="object" required; }
                    label { "Since " input type="date" name="at"; }
                    button type="submit" { "Enter" }
                }
            }
        }
    }

    fn day(&self, moment: &str) -> Markup {
        match moment.parse::<Timestamp>() {
            Ok(at) => html! { time datetime=(at) { (labels::day(self.zones.day_of(at))) } },
            Err(_) => html! { (moment) },
        }
    }
}

/// Draws a slider for the field "As of", over the days of the memory. It is hidden until the script shows it. The script keeps
/// the slider equal to the field of the form, which has the same effect without a script.
fn slider(first: Date, today: Date, as_of: Option<Date>) -> Markup {
    let days = (today - first).get_days().max(1);
    let chosen = as_of.map_or(days, |day| (day - first).get_days().clamp(0, days));
    html! {
        div.slider #as-of-slider data-first=(first) hidden {
            span.hint { (labels::day(first)) }
            input type="range" min="0" max=(days) value=(chosen) aria-label="As of";
            span.hint { (labels::day(today)) }
            output.figure { (labels::day(as_of.unwrap_or(today))) }
        }
    }
}

fn form(agent: &str, query: &Fields) -> Markup {
    let value = |name: &str| query.get(name).unwrap_or_default().to_owned();
    html! {
        form.search method="get" action=(link::agent(agent, "facts")) role="search" {
            div.row {
                label { "About " input name="about" value=(value("about")) dir="auto"; }
                label { "What " input name="predicate" value=(value("predicate")) placeholder="lives_in"; }
                label { "As of " input type="date" name="as_of" value=(value("as_of")); }
                label { "Compare with " input type="date" name="compare" value=(value("compare")); }
                label.check { input type="checkbox" name="history" value="yes" checked[query.get("history").is_some()]; " Also ended" }
                button type="submit" { "Show" }
            }
            p.hint { "“As of” shows what held on that day. With “Compare with” the page shows what began and ended between the two days." }
            p.hint { "Facts are what the rules or a model recognised. Whatever else was said is found by a "
                a href=(link::agent(agent, "search")) { "search" } ", which takes days too." }
        }
    }
}
