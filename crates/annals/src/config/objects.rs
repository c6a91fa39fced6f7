//! The table `[objects]`: where tables and facts are.

use annals_core::Fault;
use annals_objects::{Bucket, Provider};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Configuration key of the bucket's URL.
pub(crate) const URL: &str = "objects.url";

/// The table `[objects]`: the bucket that keeps tables and facts.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ObjectsConfig {
    /// A prefix of a bucket that keeps tables and facts instead of the data folder: `s3://bucket/prefix`, `gs://bucket/prefix` or
    /// `az://container/prefix`. Credentials are read from the environment (`AWS_…`, `GOOGLE_…`, `AZURE_…`) or from the role of the
    /// machine.
    pub url: Option<String>,
    /// The region of a bucket with `s3://`. If not set: `AWS_REGION`, or else `us-east-1`.
    pub region: Option<String>,
    /// The URL of a server that is not the provider's own, such as `https://objects.example:9000`. If not set: `AWS_ENDPOINT_URL` and
    /// the like, or else the provider's own.
    pub endpoint: Option<String>,
}

impl ObjectsConfig {
    /// Returns the bucket; `None` if the data folder keeps the objects, or if the settings have faults.
    pub(crate) fn bucket(&self) -> Option<Bucket> {
        let bucket = Bucket::parse(self.url.as_deref()?).ok()?;
        Some(Bucket { region: self.region.clone(), endpoint: self.endpoint.clone(), ..bucket })
    }

    /// Returns the faults of the values, each named as in the file.
    pub(super) fn faults(&self) -> Vec<Fault> {
        let url = self.url.as_deref().and_then(|url| Bucket::parse(url).err()).map(|reason| Fault::new(URL, reason));
        let is_http = |endpoint: &&String| endpoint.starts_with("http://") || endpoint.starts_with("https://");
        let endpoint = self.endpoint.as_ref().filter(|endpoint| !is_http(endpoint));
        let endpoint = endpoint.map(|_| Fault::new("objects.endpoint", "must begin with http:// or https://"));
        let without_bucket = [("objects.region", &self.region), ("objects.endpoint", &self.endpoint)];
        let without_bucket = without_bucket.into_iter().filter(|(_, value)| self.url.is_none() && value.is_some());
        let without_bucket = without_bucket.map(|(key, _)| Fault::new(key, "has no effect without objects.url"));
        let is_not_s3 = self.bucket().is_some_and(|bucket| bucket.provider != Provider::S3);
        let region = self.region.as_ref().filter(|_| is_not_s3);
        let region = region.map(|_| Fault::new("objects.region", "has no effect with a bucket that is not s3://"));
        url.into_iter().chain(endpoint).chain(region).chain(without_bucket).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_cannot_name_a_bucket_are_faults() {
        fn check(settings: [&str; 3], expect: &[&str]) {
            let [url, region, endpoint] = settings.map(|value| (!value.is_empty()).then(|| value.to_owned()));
            let faults = ObjectsConfig { url, region, endpoint }.faults();
            let fields: Vec<&str> = faults.iter().map(|fault| fault.field.as_str()).collect();
            assert_eq!(fields, expect, "{settings:?}");
        }
        check(["", "", ""], &[]);
        check(["s3://memory/annals", "", ""], &[]);
        check(["s3://memory", "eu-central-1", "http://127.0.0.1:9000"], &[]);
        check(["gs://memory", "", "http://127.0.0.1:9000"], &[]);
        check(["az://memory", "eu-central-1", ""], &["objects.region"]);
        check(["memory", "", ""], &["objects.url"]);
        check(["s3://memory", "", "127.0.0.1:9000"], &["objects.endpoint"]);
        check(["", "eu-central-1", ""], &["objects.region"]);
    }
}
