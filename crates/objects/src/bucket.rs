//! Buckets of S3 and of servers with its interface, of Google Cloud Storage, and containers of Azure Blob Storage. Credentials come
//! from the environment (`AWS_…`, `GOOGLE_…`, `AZURE_…`) or from the role of the machine, never from a URL or a file of Annals.

use std::sync::Arc;
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::path::Path;
use object_store::{BackoffConfig, ClientConfigKey, ObjectStore, Result, RetryConfig};

use crate::guard::{Connector, WriteGuard};

/// Retries while a store does not answer. A user or a client waits meanwhile, so they end after five retries or a minute.
const RETRIES: RetryConfig = RetryConfig {
    backoff: BackoffConfig { init_backoff: Duration::from_millis(200), max_backoff: Duration::from_secs(5), base: 2.0 },
    max_retries: 5,
    retry_timeout: Duration::from_secs(60),
};

/// The interface of a store. Its scheme begins the URL of a bucket.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Provider {
    /// `s3://bucket/prefix`
    S3,
    /// `gs://bucket/prefix`
    Google,
    /// `az://container/prefix`; the environment names the account: `AZURE_STORAGE_ACCOUNT_NAME`.
    Azure,
}

/// A prefix of a bucket.
#[derive(Clone, Debug, PartialEq)]
pub struct Bucket {
    pub provider: Provider,
    pub name: String,
    /// May be empty.
    pub prefix: Path,
    /// Only for S3. If not set: `AWS_REGION` or `AWS_DEFAULT_REGION`, or else `us-east-1`.
    pub region: Option<String>,
    /// URL of a server that is not the provider's own. If not set: the environment (`AWS_ENDPOINT_URL` and the like), or else the
    /// provider's own. That of Azure includes the account.
    pub endpoint: Option<String>,
}

impl Bucket {
    /// Parses a URL such as `s3://bucket/prefix`. The error completes a sentence that begins with the name of the setting.
    pub fn parse(url: &str) -> Result<Bucket, &'static str> {
        let parts = url.split_once("://").and_then(|(scheme, rest)| Some((Provider::of(scheme)?, rest)));
        let (provider, rest) =
            parts.ok_or("must have the form s3://bucket/prefix, gs://bucket/prefix or az://container/prefix")?;
        let (name, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if name.is_empty() {
            return Err("has no bucket name; expected one as in s3://bucket/prefix");
        }
        let prefix = Path::parse(prefix).map_err(|_| "has a prefix with an empty part or a part that is . or ..")?;
        Ok(Bucket { provider, name: name.to_owned(), prefix, region: None, endpoint: None })
    }

    /// Opens the bucket, with a guard for its writes if there is one. Sends no request yet.
    pub fn open(&self, guard: Option<WriteGuard>) -> Result<Arc<dyn ObjectStore>> {
        // The HTTP client uses the process's default crypto provider. A second installation has no effect.
        let _ = rustls::crypto::ring::default_provider().install_default();
        match self.provider {
            Provider::S3 => self.open_s3(Connector(guard)),
            Provider::Google => self.open_google(Connector(guard)),
            Provider::Azure => self.open_azure(Connector(guard)),
        }
    }

    fn open_s3(&self, connector: Connector) -> Result<Arc<dyn ObjectStore>> {
        let mut builder = AmazonS3Builder::from_env().with_bucket_name(&self.name);
        if let Some(region) = &self.region {
            builder = builder.with_region(region);
        }
        if let Some(endpoint) = &self.endpoint {
            builder = builder.with_allow_http(is_plain(endpoint)).with_endpoint(endpoint);
        }
        Ok(Arc::new(builder.with_retry(RETRIES).with_http_connector(connector).build()?))
    }

    fn open_google(&self, connector: Connector) -> Result<Arc<dyn ObjectStore>> {
        let mut builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(&self.name);
        if let Some(endpoint) = &self.endpoint {
            let allow_http = GoogleConfigKey::Client(ClientConfigKey::AllowHttp);
            builder = builder.with_config(allow_http, is_plain(endpoint).to_string()).with_base_url(endpoint);
        }
        Ok(Arc::new(builder.with_retry(RETRIES).with_http_connector(connector).build()?))
    }

    fn open_azure(&self, connector: Connector) -> Result<Arc<dyn ObjectStore>> {
        let mut builder = MicrosoftAzureBuilder::from_env().with_container_name(&self.name);
        if let Some(endpoint) = &self.endpoint {
            builder = builder.with_allow_http(is_plain(endpoint)).with_endpoint(endpoint.clone());
        }
        Ok(Arc::new(builder.with_retry(RETRIES).with_http_connector(connector).build()?))
    }
}

impl Provider {
    fn of(scheme: &str) -> Option<Provider> {
        match scheme {
            "s3" => Some(Provider::S3),
            "gs" => Some(Provider::Google),
            "az" => Some(Provider::Azure),
            _ => None,
        }
    }
}

fn is_plain(endpoint: &str) -> bool {
    endpoint.starts_with("http://")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_bucket_and_prefix() {
        fn check(url: &str, expect: Result<(Provider, &str, &str), &str>) {
            let parsed = Bucket::parse(url);
            let found = parsed.as_ref().map(|it| (it.provider, &*it.name, it.prefix.as_ref()));
            match (found, expect) {
                (Ok(found), Ok(expect)) => assert_eq!(found, expect, "{url}"),
                (Err(reason), Err(expect)) => assert!(reason.contains(expect), "{url}: {reason}"),
                (found, _) => panic!("{url}: {found:?}"),
            }
        }
        check("s3://memory", Ok((Provider::S3, "memory", "")));
        check("s3://memory/", Ok((Provider::S3, "memory", "")));
        check("s3://memory/annals/a", Ok((Provider::S3, "memory", "annals/a")));
        check("s3://memory/annals/", Ok((Provider::S3, "memory", "annals")));
        check("gs://memory/annals", Ok((Provider::Google, "memory", "annals")));
        check("az://memory/annals", Ok((Provider::Azure, "memory", "annals")));
        check("s3:///annals", Err("no bucket name"));
        check("s3://memory/a//b", Err("empty part"));
        check("s3://memory/a/../b", Err("empty part"));
        check("http://memory", Err("s3://bucket/prefix"));
        check("memory", Err("az://container/prefix"));
    }

    /// Credentials are looked for at the first request, except the account of Azure, which is part of the address.
    #[test]
    fn bucket_of_each_provider_opens_without_a_request() {
        let open = |url: &str| Bucket::parse(url).unwrap().open(None).map(|store| store.to_string());
        assert!(open("s3://memory").unwrap().contains("AmazonS3(memory)"));
        assert!(open("gs://memory").unwrap().contains("GoogleCloudStorage(memory)"));
        match std::env::var_os("AZURE_STORAGE_ACCOUNT_NAME") {
            Some(_) => assert!(open("az://memory").unwrap().contains("MicrosoftAzure")),
            None => assert!(open("az://memory").unwrap_err().to_string().contains("ccount")),
        }
    }
}
