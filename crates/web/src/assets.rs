//! Serves the style sheet, scripts and icon, which are compiled in. Their addresses contain a digest of their content, so
//! browsers may cache them for ever.

use std::sync::LazyLock;

use annals_core::Digest;
use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use data_encoding::HEXLOWER;

use crate::failure::Failure;

/// A file that pages load.
pub(crate) struct Asset {
    name: &'static str,
    kind: &'static str,
    content: &'static [u8],
}

pub(crate) static STYLE: Asset =
    Asset { name: "style.css", kind: "text/css; charset=utf-8", content: include_bytes!("../assets/style.css") };
pub(crate) static SCRIPT: Asset =
    Asset { name: "annals.js", kind: "text/javascript; charset=utf-8", content: include_bytes!("../assets/annals.js") };
pub(crate) static HTMX: Asset = Asset {
    name: "htmx.min.js",
    kind: "text/javascript; charset=utf-8",
    content: include_bytes!("../assets/htmx.min.js"),
};
pub(crate) static ICON: Asset =
    Asset { name: "icon.svg", kind: "image/svg+xml", content: include_bytes!("../assets/icon.svg") };

static ALL: [&Asset; 4] = [&STYLE, &SCRIPT, &HTMX, &ICON];
static PATHS: LazyLock<Vec<String>> = LazyLock::new(|| ALL.iter().map(|asset| asset.hashed_path()).collect());

impl Asset {
    /// Returns the path at which the asset is served.
    pub(crate) fn path(&self) -> &'static str {
        let index = ALL.iter().position(|asset| asset.name == self.name).unwrap_or_default();
        &PATHS[index]
    }

    fn hashed_path(&self) -> String {
        let digest = HEXLOWER.encode(&Digest::of([self.content]).0[..8]);
        format!("/assets/{digest}/{}", self.name)
    }
}

/// Serves `GET /assets/{digest}/{name}`. Answers 404 for the digest of another version, so that an old page never runs a script
/// of this version.
pub(crate) async fn serve(Path((digest, name)): Path<(String, String)>) -> Response {
    let path = format!("/assets/{digest}/{name}");
    let found = ALL.iter().find(|asset| asset.path() == path);
    found.map_or_else(
        || Failure::NotFound.into_response(),
        |asset| {
            let headers =
                [(header::CONTENT_TYPE, asset.kind), (header::CACHE_CONTROL, "public, max-age=31536000, immutable")];
            (headers, asset.content).into_response()
        },
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::{Command, Stdio};

    /// Checks that vendored files are unchanged: the list has the digest of each, and each has its licence.
    #[test]
    fn vendored_files_have_their_digest_and_licence() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
        let list = std::fs::read_to_string(folder.join("vendored.sha256")).unwrap();
        assert!(list.contains("htmx.min.js") && list.contains("htmx.LICENSE"), "{list}");
        let mut check = Command::new("sha256sum");
        let status =
            check.args(["--check", "--quiet", "vendored.sha256"]).current_dir(&folder).stdout(Stdio::null()).status();
        assert!(status.unwrap().success(), "a vendored file differs from vendored.sha256");
    }

    #[test]
    fn assets_are_small() {
        let sizes: usize = super::ALL.iter().map(|asset| asset.content.len()).sum();
        assert!(sizes < 100_000, "{sizes} bytes");
    }
}
