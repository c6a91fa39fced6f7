//! The table `[objects]`: where tables and facts are.

use annals_core::Fault;
use annals_objects::S3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Configuration key of the bucket's URL.
pub(crate) const URL: &str = "objects.url";

/// The table `[objects]`: the bucket that keeps tables and facts.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ObjectsConfig {
    /// A prefix of a bucket with S3's interface that keeps tables and facts instead of the data folder:
    /// `s3://bucket/prefix`. Credentials are read from the environment (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`) or
    /// from the role of the machine.
    pub url: Option<String>,
    /// The region of the bucket. If not set: `AWS_REGION`, or else `us-east-1`.
    pub region: Option<String>,
    /// The URL of a server that is not Amazon's, such as `https://objects.example:9000`. If not set: `AWS_ENDPOINT_URL`, or else
    /// Amazon's.
    pub endpoint: Option<String>,
}

impl ObjectsConfig {
    /// Returns the bucket; `None` if the data folder keeps the objects, or if the settings have faults.
    pub(crate) fn bucket(&self) -> Option<S3> {
        let s3 = S3::parse(self.url.as_deref()?).ok()?;
        Some(S3 { region: self.region.clone(), endpoint: self.endpoint.clone(), ..s3 })
    }

    /// Returns the faults of the values, each named as in the file.
    pub(super) fn faults(&self) -> Vec<Fault> {
        let url = self.url.as_deref().and_then(|url| S3::parse(url).err()).map(|reason| Fault::new(URL, reason));
        let is_http = |endpoint: &&String| endpoint.starts_with("http://") || endpoint.starts_with("https://");
        let endpoint = self.endpoint.as_ref().filter(|endpoint| !is_http(endpoint));
        let endpoint = endpoint.map(|_| Fault::new("objects.endpoint", "must begin with http:// or https://"));
        let without_bucket = [("objects.region", &self.region), ("objects.endpoint", &self.endpoint)];
        let without_bucket = without_bucket.into_iter().filter(|(_, value)| self.url.is_none() && value.is_some());
        let without_bucket = without_bucket.map(|(key, _)| Fault::new(key, "has no effect without objects.url"));
        url.into_iter().chain(endpoint).chain(without_bucket).collect()
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
        check(["memory", "", ""], &["objects.url"]);
        check(["s3://memory", "", "127.0.0.1:9000"], &["objects.endpoint"]);
        check(["", "eu-central-1", ""], &["objects.region"]);
    }
}
