//! JSON in which no object may have a field twice. `serde_json::Value` silently keeps the last of the two.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// A JSON value. Deserializing fails if one of its objects has a field twice. The message reads as the rest of a sentence: `has
/// the field "content" twice`.
#[derive(Clone, Debug, PartialEq)]
pub struct UniqueFields(pub Value);

impl<'de> Deserialize<'de> for UniqueFields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<UniqueFields, D::Error> {
        deserializer.deserialize_any(ValueVisitor).map(UniqueFields)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(UniqueFields(value)) = items.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            if object.contains_key(&name) {
                return Err(A::Error::custom(format_args!("has the field {name:?} twice")));
            }
            let UniqueFields(value) = fields.next_value()?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_is_that_of_serde_json() {
        let json = r#"{ "a": [null, true, 1, -2, 0.5, 18446744073709551615, "x\n", [], {}], "b": { "a": "é" } }"#;
        let UniqueFields(read) = serde_json::from_str(json).unwrap();
        assert_eq!(read, serde_json::from_str::<Value>(json).unwrap());
    }

    #[test]
    fn field_that_occurs_twice_is_refused_at_any_depth() {
        for json in [r#"{ "a": 1, "b": 2, "a": 1 }"#, r#"[{ "b": { "a": 1, "a": null } }]"#] {
            let error = serde_json::from_str::<UniqueFields>(json).unwrap_err();
            assert!(
                error.is_data() && error.to_string().starts_with(r#"has the field "a" twice at line 1"#),
                "{error}"
            );
        }
    }
}
