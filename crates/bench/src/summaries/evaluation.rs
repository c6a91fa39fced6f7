//! Writes and judges the summaries of one agent, from days to years.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use annals_core::ports::{Background, Engine, SummaryTask};
use annals_core::{Agent, Draft, Error, Grain, Memory, Period, Result, Settings, SignedDuration, Zones};
use annals_llm::{EntailmentCheck, Extractive};
use serde::de::IgnoredAny;

use super::by_period::ByPeriod;
use super::frozen::{self, FrozenSources};
use super::measures::{Sums, Turns};
use super::planted::Planted;
use super::report::Report;
use super::rouge::{Rouge, RougeMean};
use super::writer::Writer;
use super::{Reference, Summaries};

/// Judges the summaries of one agent.
pub(super) struct SummaryEvaluation<'a> {
    pub(super) agent: &'a Agent,
    pub(super) days: &'a [Vec<Memory>],
    pub(super) turns: &'a Turns<'a>,
    pub(super) frozen: Option<&'a FrozenSources>,
    pub(super) references: Option<&'a ByPeriod<Reference>>,
    /// Periods to judge; `None` for all.
    pub(super) periods: Option<&'a ByPeriod<IgnoredAny>>,
    /// The model that judges sentences, in addition to the rules.
    pub(super) entailment: Option<&'a EntailmentCheck>,
    pub(super) args: &'a Summaries,
    pub(super) report: &'a mut Report,
    /// Periods to write; `None` for all.
    pub(super) only: Option<BTreeSet<Period>>,
}

impl SummaryEvaluation<'_> {
    /// Writes and judges the summaries of all grains. Each grain is written from the frozen summaries of the finer grain if
    /// there are any, otherwise from the same writer's summaries.
    pub(super) async fn run(&mut self, writer: &Writer) -> Result<()> {
        let mut inputs: Vec<Vec<Memory>> = self.days.to_vec();
        for grain in Grain::SUMMARIES {
            let mut written: Vec<Memory> = Vec::new();
            for sources in &inputs {
                let before = written.last().filter(|_| grain > Grain::Daily && writer.is_shown_the_period_before());
                written.extend(self.summary(writer, grain, sources, before).await?);
            }
            if let Some(frozen) = self.frozen {
                written = frozen.of(self.agent, grain, self.days)?;
            }
            inputs = by_parent(written, grain);
        }
        Ok(())
    }

    /// `before` is the summary that was written before this one. Its end is shown if it is of the period right before.
    async fn summary(
        &mut self,
        writer: &Writer,
        grain: Grain,
        sources: &[Memory],
        before: Option<&Memory>,
    ) -> Result<Option<Memory>> {
        let Some(first) = sources.first() else { return Ok(None) };
        let (settings, period) = (Settings::default(), first.period.ancestor(grain));
        if self.only.as_ref().is_some_and(|only| !only.contains(&period)) {
            return Ok(None);
        }
        let now = Zones::new("UTC")?.cover(period).end.saturating_add(SignedDuration::from_hours(1));
        let now = now.map_err(|_| Error::invalid("at", "is too late"))?;
        let before = before.filter(|summary| Some(summary.period) == period.previous());
        let background = before.map(|summary| Background { before: end_of(summary), ..Background::default() });
        let task = SummaryTask {
            agent: self.agent,
            settings: &settings,
            period,
            sources,
            base: None,
            background: background.as_ref(),
            read_seq: 0,
            now,
            access_key: None,
        };
        let Some(draft) = self.judged_or_extractive(writer, &task).await? else { return Ok(None) };
        if self.args.planted
            && let Some(answer) = writer.answer(self.agent, period)
        {
            self.report.planted.add(&Planted::of(&task, answer, self.entailment).await?);
        }
        let sources_of = sources.iter().map(|source| source.id.clone()).collect();
        frozen::summary(self.agent, period, draft.sentences, sources_of).map(Some)
    }

    /// Writes a summary, and judges it if the period is one of those to judge. If the writer has no answer, writes the question
    /// to a file if the options ask for that, and lets the built-in engine write the summary. With frozen sources, writes no
    /// such summary and returns `None`, because no coarser summary would be written from it.
    async fn judged_or_extractive(&mut self, writer: &Writer, task: &SummaryTask<'_>) -> Result<Option<Draft>> {
        let begun = Instant::now();
        if let Some(draft) = writer.write(*task).await? {
            let time = begun.elapsed();
            if self.periods.is_none_or(|periods| periods.get(self.agent, task.period).is_some()) {
                self.judge(writer, task, &draft, time)?;
            }
            return Ok(Some(draft));
        }
        self.write_question(task)?;
        if self.frozen.is_some() {
            return Ok(None);
        }
        Extractive.summarize(*task).await.map(Some)
    }

    fn judge(&mut self, writer: &Writer, task: &SummaryTask<'_>, draft: &Draft, time: Duration) -> Result<()> {
        let mut sums = Sums::of(draft, self.turns, task.sources, time);
        if let Some(reference) = self.references.and_then(|references| references.get(self.agent, task.period)) {
            sums.rouge = RougeMean::of(Rouge::of(&draft.text, &reference.text));
        }
        self.report.add(writer.name(), task.period.grain(), (self.agent.clone(), task.period), sums);
        for sentence in draft.sentences.iter().filter(|sentence| sentence.ungrounded) {
            self.report.unsupported.push(format!("{} {}: {}", self.agent.name(), task.period, sentence.text));
        }
        if self.args.freeze.is_some() && self.only.is_none() {
            let memory = frozen::summary(self.agent, task.period, draft.sentences.clone(), Vec::new())?;
            self.report.frozen.push(frozen::line(self.agent, &memory, self.days)?);
        }
        Ok(())
    }

    fn write_question(&self, task: &SummaryTask<'_>) -> Result<()> {
        let Some(folder) = &self.args.questions else { return Ok(()) };
        let path = folder.join(self.agent.name()).join(format!("{}.md", task.period));
        let [system, user] = annals_llm::question_of(task)?;
        let wrong = |cause| Error::storage(format!("cannot write {}", path.display()), cause);
        std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(wrong)?;
        std::fs::write(&path, format!("{system}\n\n---\n\n{user}\n")).map_err(wrong)
    }
}

/// Returns the last two supported sentences of a summary, as a roll-up shows them to the next period.
pub(crate) fn end_of(summary: &Memory) -> Vec<String> {
    let supported = summary.sentences().iter().filter(|sentence| !sentence.ungrounded);
    let texts: Vec<String> = supported.map(|sentence| format!("{} {}", sentence.day, sentence.text)).collect();
    texts[texts.len().saturating_sub(2)..].to_vec()
}

/// Groups the summaries of a grain by the periods of the next coarser one.
pub(crate) fn by_parent(written: Vec<Memory>, grain: Grain) -> Vec<Vec<Memory>> {
    let Some(coarser) = grain.coarser() else { return Vec::new() };
    let mut periods: BTreeMap<Period, Vec<Memory>> = BTreeMap::new();
    for summary in written {
        periods.entry(summary.period.ancestor(coarser)).or_default().push(summary);
    }
    periods.into_values().collect()
}
