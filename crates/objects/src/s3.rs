//! Buckets with S3's interface. Credentials come from the environment (`AWS_ACCESS_KEY_ID` and the like) or from the role of the
//! machine, never from a URL or a file of Annals.

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path;
use object_store::{BackoffConfig, ObjectStore, Result, RetryConfig};

use crate::guard::{GuardedConnector, WriteGuard};

/// Retries while a store does not answer. A user or a client waits meanwhile, so they end after five retries or a minute.
const RETRIES: RetryConfig = RetryConfig {
    backoff: BackoffConfig { init_backoff: Duration::from_millis(200), max_backoff: Duration::from_secs(5), base: 2.0 },
    max_retries: 5,
    retry_timeout: Duration::from_secs(60),
};

/// A prefix of a bucket.
#[derive(Clone, Debug, PartialEq)]
pub struct S3 {
    pub bucket: String,
    /// May be empty.
    pub prefix: Path,
    /// If not set: `AWS_REGION` or `AWS_DEFAULT_REGION`, or else `us-east-1`.
    pub region: Option<String>,
    /// URL of a server that is not Amazon's. If not set: the environment (`AWS_ENDPOINT_URL` and the like), or else Amazon's.
    pub endpoint: Option<String>,
}

impl S3 {
    /// Parses `s3://bucket/prefix`. The error completes a sentence that begins with the name of the setting.
    pub fn parse(url: &str) -> Result<S3, &'static str> {
        let rest = url.strip_prefix("s3://").ok_or("must have the form s3://bucket/prefix")?;
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err("has no bucket name; expected s3://bucket/prefix");
        }
        let prefix = Path::parse(prefix).map_err(|_| "has a prefix with an empty part or a part that is . or ..")?;
        Ok(S3 { bucket: bucket.to_owned(), prefix, region: None, endpoint: None })
    }

    /// Opens the bucket, with a guard for its writes if there is one. Sends no request yet.
    pub fn open(&self, guard: Option<WriteGuard>) -> Result<Arc<dyn ObjectStore>> {
        // The HTTP client uses the process's default crypto provider. A second installation has no effect.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = from_environment().with_bucket_name(&self.bucket).with_retry(RETRIES);
        if let Some(region) = &self.region {
            builder = builder.with_region(region);
        }
        if let Some(endpoint) = &self.endpoint {
            builder = builder.with_allow_http(endpoint.starts_with("http://")).with_endpoint(endpoint);
        }
        if let Some(guard) = guard {
            builder = builder.with_http_connector(GuardedConnector(guard));
        }
        Ok(Arc::new(builder.build()?))
    }
}

/// Configures the builder as `AmazonS3Builder::from_env` does, but skips variables that are not UTF-8 instead of failing.
fn from_environment() -> AmazonS3Builder {
    let variables = std::env::vars_os().filter_map(|(name, value)| {
        let name = name.to_str().filter(|name| name.starts_with("AWS_"))?.to_ascii_lowercase();
        Some((name.parse::<AmazonS3ConfigKey>().ok()?, value.into_string().ok()?))
    });
    variables.fold(AmazonS3Builder::new(), |builder, (key, value)| builder.with_config(key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_bucket_and_prefix() {
        fn check(url: &str, expect: Result<(&str, &str), &str>) {
            let parsed = S3::parse(url);
            let found = parsed.as_ref().map(|s3| (&*s3.bucket, s3.prefix.as_ref())).map_err(|reason| *reason);
            match (found, expect) {
                (Ok(found), Ok(expect)) => assert_eq!(found, expect, "{url}"),
                (Err(reason), Err(expect)) => assert!(reason.contains(expect), "{url}: {reason}"),
                (found, _) => panic!("{url}: {found:?}"),
            }
        }
        check("s3://memory", Ok(("memory", "")));
        check("s3://memory/", Ok(("memory", "")));
        check("s3://memory/annals/a", Ok(("memory", "annals/a")));
        check("s3://memory/annals/", Ok(("memory", "annals")));
        check("s3:///annals", Err("no bucket name"));
        check("s3://memory/a//b", Err("empty part"));
        check("s3://memory/a/../b", Err("empty part"));
        check("gs://memory", Err("s3://bucket/prefix"));
        check("memory", Err("s3://bucket/prefix"));
    }
}
