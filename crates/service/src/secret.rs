//! Format of a key: `annals_<id>_<secret>`. The secret is 256 random bits, so a plain hash of it is enough. It is shown once
//! and never stored.

use std::fmt;

use annals_core::{Digest, Error, Result};
use data_encoding::BASE32_NOPAD;
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

const PREFIX: &str = "annals";
const ID_BYTES: usize = 5;
const SECRET_BYTES: usize = 32;

/// A new key, as it is shown to its owner once.
pub struct IssuedKey {
    /// Public id of the key.
    pub id: String,
    /// The whole key: `annals_<id>_<secret>`.
    pub text: SecretString,
    /// Hash of the secret. Only the hash is stored.
    pub hash: Digest,
}

/// Creates a key from random bytes. `fill` provides them: `getrandom::fill`, or a test's own function.
pub fn issue(fill: impl Fn(&mut [u8]) -> std::result::Result<(), getrandom::Error>) -> Result<IssuedKey> {
    let (mut id, mut secret) = ([0; ID_BYTES], [0; SECRET_BYTES]);
    let failed = |error| Error::storage("drawing random bytes", error);
    fill(&mut id).map_err(failed)?;
    fill(&mut secret).map_err(failed)?;
    let (id, secret) = (encode(&id), encode(&secret));
    Ok(IssuedKey { text: format!("{PREFIX}_{id}_{secret}").into(), hash: hash(&secret), id })
}

/// A key that a client sends.
pub struct PresentedKey {
    /// Public id, by which the stored hash is found.
    pub id: String,
    secret: SecretString,
}

impl PresentedKey {
    /// Parses a key of the form `annals_<id>_<secret>`; `None` for other text. Does not check whether the key exists.
    pub fn parse(text: &str) -> Option<PresentedKey> {
        let (prefix, rest) = text.split_once('_')?;
        let (id, secret) = rest.split_once('_')?;
        let fits = prefix == PREFIX && !id.is_empty() && !secret.is_empty();
        fits.then(|| PresentedKey { id: id.to_owned(), secret: secret.to_owned().into() })
    }

    /// Returns whether the secret has this hash. The comparison takes constant time.
    pub fn is(&self, stored: &Digest) -> bool {
        hash(self.secret.expose_secret()).0.ct_eq(&stored.0).into()
    }
}

impl fmt::Debug for PresentedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "key {}", self.id)
    }
}

fn hash(secret: &str) -> Digest {
    Digest::of(["annals key", secret])
}

fn encode(bytes: &[u8]) -> String {
    BASE32_NOPAD.encode(bytes).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issued(seed: u8) -> IssuedKey {
        issue(|bytes| {
            bytes.fill(seed);
            Ok(())
        })
        .unwrap()
    }

    #[test]
    fn key_is_found_by_its_id_and_matches_its_own_hash_only() {
        let (one, other) = (issued(1), issued(2));
        let presented = PresentedKey::parse(one.text.expose_secret()).unwrap();
        assert_eq!(presented.id, one.id);
        assert!(presented.is(&one.hash));
        assert!(!presented.is(&other.hash));
        assert!(!format!("{presented:?}").contains(&one.text.expose_secret()[20..]));
    }

    #[test]
    fn text_in_another_format_is_not_a_key() {
        for text in ["", "annals", "annals_", "annals_a", "annals_a_", "annals__b", "sk-a_b_c", "Bearer annals_a_b"] {
            assert!(PresentedKey::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn issued_keys_differ() {
        let keys = [issue(getrandom::fill).unwrap(), issue(getrandom::fill).unwrap()];
        assert_ne!(keys[0].text.expose_secret(), keys[1].text.expose_secret());
        assert_eq!(keys[0].text.expose_secret().len(), "annals_".len() + 8 + 1 + 52);
    }
}
