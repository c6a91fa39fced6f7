//! Fields of a form or of a query string, by name. The values are not trusted: each handler parses those that it uses.

use std::str::FromStr;

use annals_core::{Error, Result};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::failure::Failure;
use crate::site::Site;

/// The fields of a form or of a query string, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    /// Parses `application/x-www-form-urlencoded`. Converts the CR LF that browsers send for line breaks to LF.
    pub(crate) fn parse(bytes: &[u8]) -> Fields {
        let text = |text: std::borrow::Cow<'_, str>| text.replace("\r\n", "\n");
        Fields(url::form_urlencoded::parse(bytes).map(|(name, value)| (text(name), text(value))).collect())
    }

    /// Returns the value of a field. An empty field counts as absent, because browsers send every field of a form.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, value)| known == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    }

    /// Returns all values of a field that are not empty.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let named = self.0.iter().filter(move |(known, value)| known == name && !value.is_empty());
        named.map(|(_, value)| value.as_str())
    }

    /// Returns the parsed value of a field, `None` if the field is absent or empty, or an error that names the field.
    pub(crate) fn parsed<T: FromStr>(&self, name: &str) -> Result<Option<T>> {
        let wrong = |text: &str| Error::invalid(name, format!("is {text:?}, which is not valid"));
        self.get(name).map(|text| text.trim().parse().map_err(|_| wrong(text))).transpose()
    }

    /// Returns the value of a field, or an error if the field is absent.
    pub(crate) fn required(&self, name: &str) -> Result<&str> {
        self.get(name).ok_or_else(|| Error::invalid(name, "is missing"))
    }
}

impl From<Vec<(String, String)>> for Fields {
    fn from(fields: Vec<(String, String)>) -> Fields {
        Fields(fields)
    }
}

/// The fields of a query string, as an extractor for handlers.
pub(crate) struct Query(pub(crate) Fields);

impl<S: Send + Sync> FromRequestParts<S> for Query {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> std::result::Result<Query, Self::Rejection> {
        Ok(Query(Fields::parse(parts.uri.query().unwrap_or_default().as_bytes())))
    }
}

/// The fields of a form, after its token was checked.
pub(crate) struct Form(pub(crate) Fields);

impl FromRequestParts<Site> for Form {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &Site) -> std::result::Result<Form, Failure> {
        parts.extensions.get::<Fields>().cloned().map(Form).ok_or(Failure::Token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_decoded_and_empty_ones_are_absent() {
        let fields = Fields::parse(b"text=a%0D%0Ab+%3Cb%3E&empty=&grain=daily&grain=weekly&limit=x");
        assert_eq!((fields.get("text"), fields.get("empty")), (Some("a\nb <b>"), None));
        assert_eq!(fields.all("grain").collect::<Vec<_>>(), ["daily", "weekly"]);
        assert_eq!(fields.parsed::<u8>("limit").unwrap_err().to_string(), "limit is \"x\", which is not valid");
        assert_eq!(fields.required("empty").unwrap_err().to_string(), "empty is missing");
    }
}
