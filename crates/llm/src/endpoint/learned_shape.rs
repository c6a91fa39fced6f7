//! The shape of requests that the server of a model accepts, as earlier requests have shown it.
//!
//! The refusals that led to it are stored under a key of server, model and settings, so that the next process does not repeat
//! the refused requests. With another server, model or setting, the full request is tried at once. After a week it is tried
//! again in any case, because servers are updated.

use annals_core::ports::{Refusals, Replies};
use annals_core::{Digest, Result, Timestamp};
use parking_lot::{Mutex, MutexGuard};

use super::shape::{LimitName, Parameter, Shape};
use crate::config::Model;

/// Stored in place of the name of a parameter if the server named none.
const UNNAMED: &str = "-";

/// The refused parameters, in order; `None` where the server named none.
type Refused = Vec<Option<Parameter>>;

/// The shape of requests to one model, with the refusals that led to it.
#[derive(Debug)]
pub(super) struct LearnedShape {
    /// The shape before anything was refused.
    full: Shape,
    key: Digest,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    shape: Shape,
    refused: Refused,
    /// When the stored refusals were saved; `None` if nothing is stored.
    since: Option<Timestamp>,
    /// Whether the stored refusals have been read.
    is_recalled: bool,
    /// Whether the refusals differ from the stored ones.
    is_unsaved: bool,
}

impl LearnedShape {
    pub(super) fn of(model: &Model) -> LearnedShape {
        let full = Shape::of(model);
        let settings = format!("{full:?} {:?}", model.api);
        let key = Digest::of(["refusals", &model.base_url, &model.name, &settings]);
        let (refused, since) = (Refused::new(), None);
        let state = State { shape: full, refused, since, is_recalled: false, is_unsaved: false };
        LearnedShape { full, key, state: Mutex::new(state) }
    }

    pub(super) fn now(&self) -> Shape {
        self.state().shape
    }

    /// Records that the server accepted `shape` after it had refused these parameters. Changes nothing if it refused none, or
    /// if this is the shape already.
    pub(super) fn accept(&self, shape: Shape, refused: Refused) {
        let mut state = self.state();
        if !refused.is_empty() && state.shape != shape {
            state.shape = shape;
            state.refused.extend(refused);
            state.is_unsaved = true;
        }
    }

    /// Leaves a parameter that the server refused in a batch out of further requests. Changes nothing if they no longer have it:
    /// several batches may have been sent before the first refusal.
    pub(super) fn refuse(&self, parameter: Parameter) {
        let now = self.now();
        let is_sent = match parameter {
            Parameter::MaxTokens => now.limit == LimitName::MaxTokens,
            Parameter::MaxCompletionTokens => now.limit == LimitName::MaxCompletionTokens,
            Parameter::Format => now.json == self.full.json,
            _ => true,
        };
        if let Some(next) = now.without(parameter).filter(|_| is_sent) {
            self.accept(next, vec![Some(parameter)]);
        }
    }

    /// Reads the stored refusals at the first call. Drops refusals older than [`Refusals::LIFETIME`].
    pub(super) async fn recall(&self, replies: &dyn Replies, now: Timestamp) -> Result<()> {
        if !self.state().is_recalled {
            let stored = replies.refusals(&self.key).await?;
            self.state().take(self.full, stored);
        }
        let mut state = self.state();
        let is_over = state.since.is_some_and(|at| !Refusals { parameters: Vec::new(), at }.apply_at(now));
        if is_over {
            (state.shape, state.since) = (self.full, None);
            state.refused.clear();
        }
        Ok(())
    }

    /// Stores the refusals if they have changed.
    pub(super) async fn save(&self, replies: &dyn Replies, now: Timestamp) -> Result<()> {
        let parameters = {
            let mut state = self.state();
            if !std::mem::take(&mut state.is_unsaved) {
                return Ok(());
            }
            state.since = Some(now);
            let name = |parameter: &Option<Parameter>| parameter.map_or(UNNAMED, Parameter::as_str).to_owned();
            state.refused.iter().map(name).collect()
        };
        replies.save_refusals(self.key, Refusals { parameters, at: now }).await
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

impl State {
    /// Applies the stored refusals, unless the server has refused something since the start. Stops at a name that is not known:
    /// another version stored it.
    fn take(&mut self, full: Shape, stored: Option<Refusals>) {
        self.is_recalled = true;
        let Some(Refusals { parameters, at }) = stored.filter(|_| self.refused.is_empty()) else { return };
        self.shape = full;
        self.since = Some(at);
        for name in parameters {
            let parameter = Parameter::from_name(&name);
            let next = self.shape.after_refusal_of(parameter).filter(|_| parameter.is_some() || name == UNNAMED);
            let Some(next) = next else { return };
            self.shape = next;
            self.refused.push(parameter);
        }
    }
}

#[cfg(test)]
mod tests {
    use annals_testkit::{MemoryCatalog, at};
    use serde_json::json;

    use super::*;
    use crate::config::ModelsConfig;

    const NOW: &str = "2026-03-05T08:00:00Z";

    fn learned(more: serde_json::Value) -> LearnedShape {
        let mut table = json!({ "base_url": "http://127.0.0.1:1/v1", "model": "m", "temperature": 0.5 });
        table.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let config: ModelsConfig = serde_json::from_value(table).unwrap();
        let models = config.check(|_| None).unwrap();
        LearnedShape::of(models.iter().next().unwrap().1)
    }

    /// Returns the shape that the next process uses at `now`.
    async fn recalled(store: &MemoryCatalog, more: serde_json::Value, now: &str) -> Shape {
        let next = learned(more);
        next.recall(store, at(now)).await.unwrap();
        next.now()
    }

    #[tokio::test]
    async fn refusals_of_one_model_are_left_out_for_a_week() {
        let (store, first) = (MemoryCatalog::new(), learned(json!({})));
        let full = first.now();
        for refused in [Some(Parameter::MaxTokens), Some(Parameter::Temperature), None, Some(Parameter::Stream)] {
            first.accept(first.now().after_refusal_of(refused).unwrap(), vec![refused]);
        }
        first.save(&store, at(NOW)).await.unwrap();
        let learned_shape = first.now();
        assert_ne!(learned_shape, full);
        assert_eq!(recalled(&store, json!({}), NOW).await, learned_shape);
        assert_eq!(recalled(&store, json!({}), "2026-03-12T07:59:59Z").await, learned_shape);
        for (more, now) in [
            (json!({}), "2026-03-12T08:00:00Z"),
            (json!({}), "2026-03-05T07:59:59Z"),
            (json!({ "model": "other" }), NOW),
            (json!({ "base_url": "http://127.0.0.1:2/v1" }), NOW),
        ] {
            assert_eq!(recalled(&store, more.clone(), now).await, full, "{more} {now}");
        }
        first.recall(&store, at("2026-03-12T08:00:00Z")).await.unwrap();
        assert_eq!(first.now(), full, "a process that runs for weeks tries again too");
    }

    /// Every batch that was sent in the first shape is refused in the same words.
    #[test]
    fn refusals_of_several_batches_take_one_step() {
        fn check(refused: Parameter) {
            let learned_shape = learned(json!({ "json": "schema" }));
            learned_shape.refuse(refused);
            let once = learned_shape.now();
            assert_ne!(once, learned_shape.full, "{refused:?}");
            (0..5).for_each(|_| learned_shape.refuse(refused));
            assert_eq!(learned_shape.now(), once, "{refused:?}");
        }
        check(Parameter::MaxTokens);
        check(Parameter::Format);
        check(Parameter::Temperature);
        check(Parameter::CacheControl);
    }

    #[tokio::test]
    async fn nothing_is_stored_without_a_refusal() {
        let (store, first) = (MemoryCatalog::new(), learned(json!({})));
        first.recall(&store, at(NOW)).await.unwrap();
        first.accept(first.now(), Vec::new());
        first.save(&store, at(NOW)).await.unwrap();
        assert_eq!(store.refusals(&first.key).await.unwrap(), None);
    }

    #[test]
    fn every_parameter_is_read_back_by_its_stored_name() {
        use Parameter::{
            CacheControl, Format, MaxCompletionTokens, MaxTokens, Reasoning, Stream, StreamOptions, Temperature,
        };
        let all = [MaxTokens, MaxCompletionTokens, StreamOptions, Stream, Temperature, Reasoning, Format, CacheControl];
        for parameter in all {
            let name = parameter.as_str();
            assert_eq!(Parameter::from_name(name), Some(parameter));
            assert!(!name.is_empty() && !name.contains(char::is_whitespace), "{name:?}");
        }
    }
}
