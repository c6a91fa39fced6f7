//! Reads a form with a file. The file may be large, so it is copied to the disk as it arrives. All other fields come before the
//! file, and the token is checked before its first byte is read.

use std::fs::File;

use annals_core::{Agent, Error};
use annals_service::Service;
use annals_service::wire::UploadRequest;
use axum::extract::Request;
use axum::http::header;
use multer::{Constraints, Field, Multipart, SizeLimit};

use crate::failure::Failure;
use crate::fields::Fields;
use crate::session::is_same;
use crate::visit::{TOKEN, Visitor};

/// Maximum size in bytes of a field that is not a file.
const MAX_FIELD_BYTES: u64 = 4096;
/// The name of the field with the file.
const FILE: &str = "file";

/// A received file, with the options of its import.
pub(crate) struct Received {
    pub(crate) request: UploadRequest,
    pub(crate) file: File,
}

/// Receives an upload for an agent. Fails if the form lacks the token of the visitor or a file, if a field is not valid, or if
/// the service accepts no data now.
pub(crate) async fn receive(
    service: &Service,
    visitor: &Visitor,
    agent: &Agent,
    request: Request,
) -> Result<Received, Failure> {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let boundary = multer::parse_boundary(kind).map_err(|_| Failure::Token)?;
    // The router limits the size of the whole request, and the time in which nothing of it arrives.
    let sizes = SizeLimit::new().per_field(MAX_FIELD_BYTES).for_field(FILE, u64::MAX);
    let body = request.into_body().into_data_stream();
    let mut form = Multipart::with_constraints(body, boundary, Constraints::new().size_limit(sizes));
    let mut fields = Vec::new();
    while let Some(field) = received(form.next_field().await)? {
        let name = field.name().unwrap_or_default().to_owned();
        if name != FILE {
            fields.push((name, received(field.text().await)?));
            continue;
        }
        let fields = Fields::from(fields);
        if !is_same(fields.get(TOKEN).unwrap_or_default(), &visitor.token) {
            return Err(Failure::Token);
        }
        let request = options(&fields, field.file_name())?;
        service.admit(agent).await?;
        return Ok(Received { request, file: copy(service, field).await? });
    }
    // The form has no file. It changes nothing, and its token was not checked.
    Err(Failure::Token)
}

fn received<T>(read: Result<T, multer::Error>) -> Result<T, Failure> {
    Ok(read.map_err(|error| match error {
        multer::Error::FieldSizeExceeded { field_name, .. } => {
            Error::invalid(field_name.as_deref().unwrap_or("a field"), "is too long")
        }
        error => Error::invalid("file", format!("did not arrive whole ({error}); send it again")),
    })?)
}

async fn copy(service: &Service, mut field: Field<'_>) -> Result<File, Failure> {
    let mut writer = service.receive_upload()?;
    while let Some(piece) = received(field.chunk().await)? {
        writer.write(&piece).await?;
    }
    Ok(writer.finish().await?)
}

fn options(fields: &Fields, file_name: Option<&str>) -> Result<UploadRequest, Error> {
    let text = |name: &str| fields.get(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let is_on = |name: &str| fields.get(name).is_some();
    Ok(UploadRequest {
        from: fields.required("from")?.to_owned(),
        dry_run: is_on("dry_run"),
        me: text("me"),
        assistants: text("assistants"),
        time_zone: text("time_zone"),
        branches: text("branches"),
        tools: is_on("tools"),
        thinking: is_on("thinking"),
        columns: text("columns"),
        date_order: text("date_order"),
        file_name: file_name.map(str::to_owned).filter(|name| !name.is_empty()),
        unforget: is_on("unforget"),
    })
}
