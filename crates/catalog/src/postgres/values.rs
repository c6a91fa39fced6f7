//! Values as PostgreSQL takes and returns them, in its binary format.

use std::borrow::Cow;
use std::collections::BTreeMap;

use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use super::texts;
use crate::db::{Columns, Error, Result, Value};

/// Cause of a failed encoding or decoding.
type Cause = Box<dyn std::error::Error + Send + Sync>;

/// A value of a statement, in the form in which the driver sends it.
#[derive(Debug)]
pub(super) enum Bound<'v> {
    Null,
    Integer(i64),
    Real(f64),
    Text(Cow<'v, [u8]>),
    Blob(&'v [u8]),
}

impl<'v> Bound<'v> {
    pub(super) fn new(value: Value<'v>) -> Bound<'v> {
        match value {
            Value::Null => Bound::Null,
            Value::Integer(number) => Bound::Integer(number),
            Value::Real(number) => Bound::Real(number),
            Value::Text(text) => Bound::Text(texts::escaped(text)),
            Value::Blob(bytes) => Bound::Blob(bytes),
        }
    }

    /// Returns the type of the value. The server infers the type of NULL from its position.
    pub(super) fn kind(&self) -> Type {
        match self {
            Bound::Null => Type::UNKNOWN,
            Bound::Integer(_) => Type::INT8,
            Bound::Real(_) => Type::FLOAT8,
            Bound::Text(_) => Type::TEXT,
            Bound::Blob(_) => Type::BYTEA,
        }
    }
}

impl ToSql for Bound<'_> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Cause> {
        match self {
            Bound::Null => return Ok(IsNull::Yes),
            Bound::Integer(number) => out.extend_from_slice(&number.to_be_bytes()),
            Bound::Real(number) => out.extend_from_slice(&number.to_be_bytes()),
            Bound::Text(bytes) => out.extend_from_slice(bytes),
            Bound::Blob(bytes) => out.extend_from_slice(bytes),
        }
        Ok(IsNull::No)
    }

    /// Returns true: statements are prepared with the types of their values.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A value of a row, with escaped text.
struct Read<'r>(Value<'r>);

impl<'r> FromSql<'r> for Read<'r> {
    fn from_sql(kind: &Type, raw: &'r [u8]) -> Result<Read<'r>, Cause> {
        Ok(Read(match *kind {
            Type::INT8 => Value::Integer(i64::from_be_bytes(raw.try_into()?)),
            Type::INT4 => Value::Integer(i32::from_be_bytes(raw.try_into()?).into()),
            Type::BOOL => Value::Integer(i64::from(raw != [0])),
            Type::FLOAT8 => Value::Real(f64::from_be_bytes(raw.try_into()?)),
            Type::TEXT | Type::NAME | Type::VARCHAR => Value::Text(raw),
            Type::BYTEA => Value::Blob(raw),
            _ => return Err(format!("a column has the unexpected type {kind}").into()),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Read<'r>, Cause> {
        Ok(Read(Value::Null))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A row, and the originals of its escaped texts, by position.
pub(super) struct Decoded<'r> {
    row: &'r tokio_postgres::Row,
    texts: BTreeMap<usize, Vec<u8>>,
}

impl Decoded<'_> {
    pub(super) fn new(row: &tokio_postgres::Row) -> Result<Decoded<'_>, Error> {
        let mut texts = BTreeMap::new();
        for (position, column) in row.columns().iter().enumerate() {
            if *column.type_() != Type::TEXT {
                continue;
            }
            if let Value::Text(stored) = value(row, position)?
                && let Some(text) = texts::unescaped(stored)?
            {
                texts.insert(position, text);
            }
        }
        Ok(Decoded { row, texts })
    }
}

fn value(row: &tokio_postgres::Row, position: usize) -> Result<Value<'_>, Error> {
    Ok(row.try_get::<_, Read<'_>>(position).map_err(Error::damage)?.0)
}

impl Columns for Decoded<'_> {
    fn position(&self, name: &str) -> Result<usize, Error> {
        let found = self.row.columns().iter().position(|column| column.name() == name);
        found.ok_or_else(|| Error::damage(format!("Invalid column name: {name}")))
    }

    fn count(&self) -> usize {
        self.row.len()
    }

    fn name(&self, position: usize) -> String {
        self.row.columns().get(position).map_or_else(String::new, |column| column.name().to_owned())
    }

    fn value(&self, position: usize) -> Result<Value<'_>, Error> {
        match self.texts.get(&position) {
            Some(text) => Ok(Value::Text(text)),
            None => value(self.row, position),
        }
    }
}
