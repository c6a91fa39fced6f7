//! Reads answers of both APIs, whole or as a stream of events. Reads the fields that are needed and ignores the rest, which
//! differs between servers. Reasoning is counted and thrown away.

use std::time::Duration;

use annals_core::CacheTokens;
use serde_json::Value;

use super::answer::{begins_with_thoughts, without_thoughts};
use super::failure::EndpointError;
use super::repetition::repeats_itself;
use super::tokens;

/// Maximum bytes of the text of an answer, and of its reasoning. A longer one is unusable. The usual answer has a few thousand.
const MAX_TEXT_LENGTH: usize = 1_000_000;
/// Maximum tokens of one request or answer; larger counts are ignored. The largest windows have some ten million.
const MAX_TOKENS: u64 = 1 << 26;
/// Bytes of text after which a stream is examined again for repetitions.
const EXAMINED_EVERY: usize = 400;

/// An answer of a model, with token counts and durations.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Completion {
    /// Text of the answer, without reasoning.
    pub(super) text: String,
    /// Tokens of the request, if the server reports them. Includes those that it had cached.
    pub(super) tokens_in: Option<u64>,
    /// Tokens of the answer, if the server reports them. Includes reasoning.
    pub(super) tokens_out: Option<u64>,
    /// Tokens of the request that came from the cache of the server, and tokens that the request added to it.
    pub(super) cache: CacheTokens,
    /// Estimated tokens of text and reasoning.
    pub(super) estimated_out: u64,
    /// Whether the server sent reasoning, in a field of its own or in the text.
    pub(super) has_reasoned: bool,
    /// Whether the token limit ended the answer.
    pub(super) is_cut_off: bool,
    /// Whether the end of the text repeats itself, which makes the answer useless.
    pub(super) is_repetitive: bool,
    pub(super) timing: Timing,
}

/// How long the model read the request and wrote the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Timing {
    /// Time until the first token; `None` if the answer came whole, not as a stream.
    pub(super) reading: Option<Duration>,
    /// Time from the first to the last token, or the whole time of an answer that was not a stream.
    pub(super) writing: Duration,
    /// Tokens per second of reading and writing as the server itself measured them; `None` if it did not report them.
    pub(super) measured: Option<(f64, f64)>,
}

impl Timing {
    /// Returns the same time as that of an answer that came whole.
    fn whole(self) -> Timing {
        Timing { reading: None, writing: self.reading.unwrap_or_default() + self.writing, ..self }
    }
}

impl Completion {
    /// Returns the tokens of the answer as reported, or as estimated.
    pub(super) fn out(&self) -> u64 {
        self.tokens_out.unwrap_or(self.estimated_out)
    }
}

/// The part of an answer that has been received so far.
#[derive(Debug, Default)]
pub(super) struct Reading {
    completion: Completion,
    reasoning: usize,
    /// Tokens of reasoning that the server counted. Some servers count them without sending them.
    counted_reasoning: u64,
    /// Whether the server has marked the end of the answer. The answer may still be cut off or withheld.
    is_finished: bool,
    is_withheld: bool,
    /// Bytes of the text when it was last examined for repetitions.
    examined: usize,
}

impl Reading {
    /// Reads a whole answer, or an event of a stream. Returns whether it contains something of the answer: a token, or progress
    /// in reading the request. Returns false for pings and comments. Fails if text or reasoning become too long.
    pub(super) fn take(&mut self, event: &Value) -> Result<bool, EndpointError> {
        let before = (self.completion.text.len(), self.reasoning);
        self.take_usage(event);
        match event["type"].as_str() {
            Some("message" | "message_start" | "content_block_start" | "content_block_delta" | "message_delta") => {
                self.take_anthropic(event);
            }
            Some("message_stop") => self.is_finished = true,
            _ => self.take_choice(&event["choices"][0]),
        }
        if self.completion.text.len() > MAX_TEXT_LENGTH || self.reasoning > MAX_TEXT_LENGTH {
            return Err(EndpointError::Unusable("its answer is longer than a million bytes"));
        }
        Ok(before != (self.completion.text.len(), self.reasoning) || event["prompt_progress"].is_object())
    }

    /// Estimates the tokens received so far.
    pub(super) fn estimated_out(&self) -> u64 {
        tokens::at_most(&self.completion.text) + self.reasoning.div_ceil(4) as u64
    }

    /// Returns the tokens of the request, if the server has reported them already.
    pub(super) fn tokens_in(&self) -> Option<u64> {
        self.completion.tokens_in
    }

    pub(super) fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// Returns whether the answer repeats itself, so that waiting for its end is useless. Examines the text after every
    /// [`EXAMINED_EVERY`] bytes, and returns false in between.
    pub(super) fn repeats_itself(&mut self) -> bool {
        let text = &self.completion.text;
        if text.len() < self.examined + EXAMINED_EVERY {
            return false;
        }
        self.examined = text.len();
        repeats_itself(text)
    }

    /// Returns the completed answer. Fails if a content filter withheld it or the model refused to answer.
    pub(super) fn end(mut self, timing: Timing) -> Result<Completion, EndpointError> {
        if self.is_withheld {
            return Err(EndpointError::Unusable("its content filter withheld the answer"));
        }
        self.completion.estimated_out = self.estimated_out();
        self.completion.is_repetitive = repeats_itself(&self.completion.text);
        let text = without_thoughts(&self.completion.text);
        let is_thought = text.len() < self.completion.text.len() || begins_with_thoughts(text);
        let is_unseen = self.counted_reasoning > 0 && self.reasoning == 0 && !is_thought;
        self.completion.has_reasoned = self.reasoning > 0 || is_thought || is_unseen;
        self.completion.text = text.to_owned();
        let measured = self.completion.timing.measured;
        // Thinking unseen, before the first token, is no time of reading.
        let timing = if is_unseen { timing.whole() } else { timing };
        self.completion.timing = Timing { measured, ..timing };
        Ok(self.completion)
    }

    fn take_choice(&mut self, choice: &Value) {
        for message in [&choice["delta"], &choice["message"]] {
            self.completion.text.push_str(&content(&message["content"]));
            // The name of this field differs between servers, and some send the reasoning under two names.
            let names = ["reasoning_content", "reasoning", "thinking"];
            let reasoning = names.iter().find_map(|name| message[name].as_str());
            self.reasoning += reasoning.map_or(0, str::len);
        }
        match choice["finish_reason"].as_str() {
            None => {}
            Some("length" | "max_tokens") => (self.is_finished, self.completion.is_cut_off) = (true, true),
            Some("content_filter") => (self.is_finished, self.is_withheld) = (true, true),
            Some(_) => self.is_finished = true,
        }
    }

    fn take_anthropic(&mut self, event: &Value) {
        self.completion.text.push_str(&content(&event["content"]));
        let delta = &event["delta"];
        self.completion.text.push_str(delta["text"].as_str().unwrap_or_default());
        self.reasoning += delta["thinking"].as_str().map_or(0, str::len);
        let blocks = event["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        self.reasoning += blocks.iter().filter_map(|block| block["thinking"].as_str()).map(str::len).sum::<usize>();
        match event["stop_reason"].as_str().or(delta["stop_reason"].as_str()) {
            None => {}
            Some("max_tokens" | "model_context_window_exceeded") => {
                (self.is_finished, self.completion.is_cut_off) = (true, true);
            }
            Some("refusal") => (self.is_finished, self.is_withheld) = (true, true),
            Some(_) => self.is_finished = true,
        }
    }

    /// Reads counts of tokens. Later counts replace earlier ones, because they are more complete.
    fn take_usage(&mut self, event: &Value) {
        for usage in [&event["message"]["usage"], &event["usage"]] {
            let number = |name: &str| counted(&usage[name]);
            let completion = &mut self.completion;
            let cached = number("cache_read_input_tokens")
                .or(counted(&usage["prompt_tokens_details"]["cached_tokens"]))
                .or(number("prompt_cache_hit_tokens"));
            completion.cache.read = cached.unwrap_or(completion.cache.read);
            // Anthropic reports cached tokens separately from the other tokens of the request.
            let written = number("cache_creation_input_tokens");
            completion.cache.written = written.unwrap_or(completion.cache.written);
            let of_cache = written.unwrap_or_default() + cached.unwrap_or_default();
            let apart = number("input_tokens").map(|tokens| tokens + of_cache);
            // Some servers report zero if they do not count.
            let tokens_in = number("prompt_tokens").or(apart).filter(|tokens| *tokens > 0);
            completion.tokens_in = tokens_in.or(completion.tokens_in);
            let tokens_out = number("completion_tokens").or(number("output_tokens"));
            completion.tokens_out = tokens_out.or(completion.tokens_out);
            let thought = counted(&usage["completion_tokens_details"]["reasoning_tokens"]);
            self.counted_reasoning = thought.unwrap_or(self.counted_reasoning);
        }
        let timings = &event["timings"];
        if let (Some(reading), Some(writing)) =
            (timings["prompt_per_second"].as_f64(), timings["predicted_per_second"].as_f64())
        {
            self.completion.timing.measured = Some((reading, writing));
            let cache = &mut self.completion.cache;
            cache.read = counted(&timings["cache_n"]).unwrap_or(cache.read);
        }
    }
}

/// Returns a count of tokens; `None` if it is not a whole number or is above [`MAX_TOKENS`], because no context window is that
/// large and sums of such counts would overflow.
pub(super) fn counted(count: &Value) -> Option<u64> {
    count.as_u64().filter(|count| *count <= MAX_TOKENS)
}

fn content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// Returns whether this is an answer of one of the APIs.
pub(super) fn is_answer(answer: &Value) -> bool {
    let is_chat = answer["choices"][0]["message"].is_object();
    is_chat || (answer["type"] == "message" && answer["content"].is_array())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(events: &[Value]) -> Result<Completion, EndpointError> {
        let mut reading = Reading::default();
        for event in events {
            reading.take(event)?;
        }
        reading.end(Timing::default())
    }

    #[test]
    fn answers_of_several_makes_are_read() {
        fn check(message: Value, expect: &str) {
            let answer = json!({ "choices": [{ "message": message }] });
            assert!(is_answer(&answer));
            assert_eq!(read(&[answer]).unwrap().text, expect);
        }
        check(json!({ "content": "hi" }), "hi");
        check(json!({ "content": [{ "type": "text", "text": "h" }, { "type": "text", "text": "i" }] }), "hi");
        check(json!({ "content": null, "refusal": "no" }), "");
        check(json!({ "content": "{}", "reasoning_content": "Hm." }), "{}");
        check(json!({ "content": "<think>Hm.</think>\n{}" }), "\n{}");
        check(json!({ "content": "[THINK]Hm. {}[/THINK]{}" }), "{}");
        let harmony = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>{}";
        check(json!({ "content": harmony }), "{}");
        check(json!({ "content": "◁think▷Hm.◁/think▷{}" }), "{}");
        for absurd in [u64::MAX, i64::MAX as u64, 5_000_000_000_000_000_000] {
            let usage =
                json!({ "prompt_tokens": absurd, "completion_tokens": absurd, "prompt_cache_hit_tokens": absurd });
            let read = read(&[json!({ "choices": [{ "message": { "content": "hi" } }], "usage": usage })]).unwrap();
            assert_eq!((read.tokens_in, read.tokens_out, read.cache), (None, None, CacheTokens::default()));
        }
        for answer in [json!({ "choices": [] }), json!({ "choices": [{ "message": "hi" }] }), json!([]), json!(null)] {
            assert!(!is_answer(&answer), "{answer}");
        }
    }

    #[test]
    fn events_of_both_apis_are_joined() {
        fn check(events: &[Value], expect: (&str, Option<u64>, Option<u64>, (u64, u64))) {
            let read = read(events).unwrap();
            let cache = (read.cache.read, read.cache.written);
            assert_eq!((read.text.as_str(), read.tokens_in, read.tokens_out, cache), expect);
        }
        let chat = |delta: Value| json!({ "choices": [{ "delta": delta, "finish_reason": null }] });
        check(
            &[
                chat(json!({ "role": "assistant", "content": null })),
                chat(json!({ "reasoning": "Hm." })),
                chat(json!({ "content": "{" })),
                chat(json!({ "content": "}" })),
                json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] }),
                json!({ "choices": [], "usage": { "prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": { "cached_tokens": 6 } } }),
            ],
            ("{}", Some(9), Some(4), (6, 0)),
        );
        check(
            &[
                json!({ "type": "message_start", "message": { "usage": { "input_tokens": 5, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 3, "output_tokens": 1 } } }),
                json!({ "type": "content_block_delta", "delta": { "type": "thinking_delta", "thinking": "Hm." } }),
                json!({ "type": "ping" }),
                json!({ "type": "content_block_delta", "delta": { "type": "text_delta", "text": "{}" } }),
                json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 8 } }),
            ],
            ("{}", Some(15), Some(8), (7, 3)),
        );
    }

    /// OpenAI's models think before the first token, and only the count tells.
    #[test]
    fn reasoning_that_is_only_counted_is_reasoning_and_no_time_of_reading() {
        fn check(usage: Value, reasoned: bool, waited: Option<Duration>) {
            let (reading, writing) = (Some(Duration::from_secs(50)), Duration::from_secs(2));
            let mut read = Reading::default();
            read.take(&json!({ "choices": [{ "delta": { "content": "{}" }, "finish_reason": "length" }] })).unwrap();
            read.take(&json!({ "choices": [], "usage": usage })).unwrap();
            let completion = read.end(Timing { reading, writing, measured: None }).unwrap();
            assert_eq!((completion.has_reasoned, completion.timing.reading), (reasoned, waited), "{usage}");
            let whole = completion.timing.reading.unwrap_or_default() + completion.timing.writing;
            assert_eq!(whole, Duration::from_secs(52));
        }
        let counted = |tokens: u64| json!({ "completion_tokens": 900, "completion_tokens_details": { "reasoning_tokens": tokens } });
        check(counted(800), true, None);
        check(counted(0), false, Some(Duration::from_secs(50)));
        check(json!({ "completion_tokens": 900 }), false, Some(Duration::from_secs(50)));
    }

    #[test]
    fn end_of_an_answer_says_why() {
        fn check(event: Value, is_cut_off: bool, is_withheld: bool) {
            match read(std::slice::from_ref(&event)) {
                Ok(completion) => assert_eq!((completion.is_cut_off, false), (is_cut_off, is_withheld), "{event}"),
                Err(_) => assert!(is_withheld, "{event}"),
            }
        }
        let chat = |reason: &str| json!({ "choices": [{ "delta": {}, "finish_reason": reason }] });
        check(chat("stop"), false, false);
        check(chat("length"), true, false);
        check(chat("content_filter"), false, true);
        check(json!({ "type": "message_delta", "delta": { "stop_reason": "max_tokens" } }), true, false);
        check(json!({ "type": "message_delta", "delta": { "stop_reason": "refusal" } }), false, true);
    }
}
