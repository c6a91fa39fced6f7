//! Masks what looks like a credential before it is stored anywhere.
//!
//! Covers well-known shapes only, and values that are labelled as a password, PIN or key and look like one. A wrongly masked
//! text is lost for good, so an ordinary word behind a label is masked only if it stands alone there, such as `Password:
//! sunshine`, and does not describe a password. Masking twice changes nothing more.

mod descriptions;
mod shapes;

use serde_json::Value;
use shapes::{SHAPES, Shape, value};

/// Returns the text with each credential replaced by `[masked:kind]`, and the number of credentials.
pub fn mask(text: &str) -> (String, u64) {
    SHAPES.iter().fold((text.to_owned(), 0), |(text, count), shape| {
        let (text, more) = replace(&text, shape);
        (text, count + more)
    })
}

/// Returns a JSON text with each credential in its strings replaced. A text that is not JSON is masked as a whole.
pub fn mask_json(json: &str) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(json) else { return mask(json).0 };
    mask_value(&mut value);
    value.to_string()
}

/// Replaces each credential in the strings of a JSON value. The name of a field counts as the label of its string.
pub fn mask_value(value: &mut Value) {
    match value {
        Value::String(text) => *text = mask(text).0,
        Value::Array(values) => values.iter_mut().for_each(mask_value),
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) => *text = mask_field(name, text),
                    value => mask_value(value),
                }
            }
        }
        _ => {}
    }
}

fn mask_field(name: &str, text: &str) -> String {
    let text = mask(text).0;
    let label = format!("{name}: ");
    let labelled = mask(&format!("{label}{text}")).0;
    labelled.strip_prefix(&label).map_or(text, str::to_owned)
}

fn replace(text: &str, shape: &Shape) -> (String, u64) {
    let (mut masked, mut count) = (String::with_capacity(text.len()), 0);
    let (mut kept, mut at) = (0, 0);
    while let Some(found) = shape.pattern.captures_at(text, at) {
        let matched = found.get(1).expect("every shape says where the secret is");
        let labelled = matched.is_empty();
        let captured = if labelled { value(&text[matched.start()..]) } else { matched.as_str() };
        if let Some(secret) = shape.secret(captured) {
            masked.push_str(&text[kept..matched.start()]);
            masked.push_str(&format!("[masked:{}]", shape.kind));
            kept = matched.start() + secret.len();
            at = kept;
            count += 1;
        } else {
            // The text after a label is not passed over, because it may be a label itself: `password is password is hunter2`.
            at = matched.start() + if labelled { 0 } else { shape.passed_over(captured) };
        }
    }
    masked.push_str(&text[kept..]);
    (masked, count)
}

#[cfg(test)]
mod tests;
