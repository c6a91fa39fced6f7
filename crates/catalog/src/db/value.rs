//! Values in statements and rows, and the types that can be written and read.

use super::{Error, Result};

/// A value in a statement or a row. Text is checked for UTF-8 where it is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'v> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'v [u8]),
    Blob(&'v [u8]),
}

impl Value<'_> {
    /// Copies the value out of its row, so that a later statement can take it as a parameter.
    pub fn to_owned(self) -> Result<Box<dyn ToValue + Send>> {
        Ok(match self {
            Value::Null => Box::new(None::<i64>),
            Value::Integer(number) => Box::new(number),
            Value::Real(number) => Box::new(number),
            Value::Text(text) => Box::new(std::str::from_utf8(text).map_err(Error::damage)?.to_owned()),
            Value::Blob(bytes) => Box::new(bytes.to_vec()),
        })
    }

    pub(super) fn kind(self) -> &'static str {
        match self {
            Value::Null => "Null",
            Value::Integer(_) => "Integer",
            Value::Real(_) => "Real",
            Value::Text(_) => "Text",
            Value::Blob(_) => "Blob",
        }
    }
}

/// A type that can be the value of a parameter of a statement.
pub trait ToValue {
    fn to_value(&self) -> Value<'_>;
}

macro_rules! to_value {
    ($($kind:ty: $value:ident => $to:expr;)*) => { $(
        impl ToValue for $kind {
            fn to_value(&self) -> Value<'_> {
                let $value = self;
                $to
            }
        }
    )* };
}

to_value! {
    i64: number => Value::Integer(*number);
    u32: number => Value::Integer(i64::from(*number));
    bool: is => Value::Integer(i64::from(*is));
    f64: number => Value::Real(*number);
    str: text => Value::Text(text.as_bytes());
    String: text => Value::Text(text.as_bytes());
    [u8; 32]: bytes => Value::Blob(bytes);
    Vec<u8>: bytes => Value::Blob(bytes);
}

impl<T: ToValue + ?Sized> ToValue for &T {
    fn to_value(&self) -> Value<'_> {
        (**self).to_value()
    }
}

impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, ToValue::to_value)
    }
}

/// A type that can be read from a row.
pub trait FromValue: Sized {
    fn from_value(value: Value<'_>) -> Result<Self, Unread>;
}

/// Why a value cannot be read: it has another type, its number is out of range, its text is not UTF-8, or its bytes have
/// another length.
pub enum Unread {
    Kind,
    Range(i64),
    Utf8(std::str::Utf8Error),
    Length { expected: usize, found: usize },
}

impl FromValue for i64 {
    fn from_value(value: Value<'_>) -> Result<i64, Unread> {
        if let Value::Integer(number) = value { Ok(number) } else { Err(Unread::Kind) }
    }
}

impl FromValue for u32 {
    fn from_value(value: Value<'_>) -> Result<u32, Unread> {
        let number = i64::from_value(value)?;
        u32::try_from(number).map_err(|_| Unread::Range(number))
    }
}

impl FromValue for bool {
    fn from_value(value: Value<'_>) -> Result<bool, Unread> {
        Ok(i64::from_value(value)? != 0)
    }
}

impl FromValue for f64 {
    fn from_value(value: Value<'_>) -> Result<f64, Unread> {
        match value {
            Value::Integer(number) => Ok(number as f64),
            Value::Real(number) => Ok(number),
            _ => Err(Unread::Kind),
        }
    }
}

impl FromValue for String {
    fn from_value(value: Value<'_>) -> Result<String, Unread> {
        let Value::Text(text) = value else { return Err(Unread::Kind) };
        Ok(std::str::from_utf8(text).map_err(Unread::Utf8)?.to_owned())
    }
}

impl FromValue for [u8; 32] {
    fn from_value(value: Value<'_>) -> Result<[u8; 32], Unread> {
        let Value::Blob(bytes) = value else { return Err(Unread::Kind) };
        bytes.try_into().map_err(|_| Unread::Length { expected: 32, found: bytes.len() })
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: Value<'_>) -> Result<Option<T>, Unread> {
        if value == Value::Null { Ok(None) } else { T::from_value(value).map(Some) }
    }
}
