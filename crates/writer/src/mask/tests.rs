use proptest::prelude::*;
use serde_json::json;

use super::*;

#[track_caller]
fn check(text: &str, expect: &str) {
    let (masked, count) = mask(text);
    assert_eq!(masked, expect, "{text:?}");
    assert_eq!(count, expect.matches("[masked:").count() as u64, "{text:?}");
    assert_eq!(mask(expect), (expect.to_owned(), 0), "twice is once");
}

#[track_caller]
fn stays(text: &str) {
    check(text, text);
}

/// Returns a made-up secret: `prefix` and `length` more characters. Assembled here, so that no repository scanner takes it for
/// a real one.
fn made_up(prefix: &str, length: usize) -> String {
    prefix.chars().chain("aB3dE6gH9jK2mN5pQ8sT1vW4yZ7".chars().cycle()).take(prefix.len() + length).collect()
}

#[test]
fn well_known_shapes_are_masked() {
    fn check_one(secret: &str, kind: &str) {
        check(&format!("here: {secret}, ok?"), &format!("here: [masked:{kind}], ok?"));
        check(secret, &format!("[masked:{kind}]"));
    }
    check_one(concat!("AKIA", "IOSFODNN7EXAMPLE"), "aws-key");
    check_one(&made_up("sk-", 48), "openai-key");
    check_one(&made_up("sk-proj-", 60), "openai-key");
    check_one(&made_up("sk-ant-api03-", 80), "anthropic-key");
    check_one(&made_up("ghp_", 36), "github-token");
    check_one(&made_up("github_pat_", 60), "github-token");
    check_one(&made_up("glpat-", 20), "gitlab-token");
    check_one(&made_up(concat!("xo", "xb-123456789012-"), 24), "slack-token");
    check_one(&made_up("AIza", 35), "google-key");
    check_one(&made_up(concat!("sk_", "live_"), 24), "stripe-key");
    check_one(&format!("{}.{}.{}", made_up("eyJ", 20), made_up("eyJ", 40), made_up("", 43)), "jwt");
    check_one(
        &format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----", made_up("", 64)),
        "private-key",
    );
    check_one("4111 1111 1111 1111", "card-number");
    check_one("5555-5555-5555-4444", "card-number");
    check_one("378282246310005", "card-number");
}

#[test]
fn words_around_a_secret_are_kept() {
    check("Authorization: Bearer abcdef123456", "Authorization: Bearer [masked:bearer-token]");
    check(r#"-H "authorization: Basic dXNlcjpwYXNz""#, r#"-H "authorization: Basic [masked:bearer-token]""#);
    check("postgres://ann:hunter2@db/x", "postgres://ann:[masked:url-password]@db/x");
    check("redis://:s3cr3t@cache:6379", "redis://:[masked:url-password]@cache:6379");
    check("my password is hunter2.", "my password is [masked:password].");
    check("Mein Passwort ist geheim123!", "Mein Passwort ist [masked:password]!");
    check("Das Kennwort für den Router lautet x9kLm2", "Das Kennwort für den Router lautet [masked:password]");
    check("我的密码是 hunter2hunter2", "我的密码是 [masked:password]");
    check("密码: sunshine", "密码: [masked:password]");
    check("我的パスワード：sunshine。", "我的パスワード：[masked:password]。");
    check("mi contraseña es gatito2020", "mi contraseña es [masked:password]");
    check("mon mot de passe est soleil77.", "mon mot de passe est [masked:password].");
    check("The wifi password at home is Sunshine99!", "The wifi password at home is [masked:password]!");
    check("Password: p@ssword", "Password: [masked:password]");
    check("passwd=1234", "passwd=[masked:password]");
    check(r#"{"password": "tr0ub4dor&3"}"#, r#"{"password": "[masked:password]"}"#);
    check("DB_PASSWORD='x9!kLm'", "DB_PASSWORD='[masked:password]'");
    check("Passwort egal, password: pässw0rd’s", "Passwort egal, password: [masked:password]");
    check("pin 1234 4111 1111 1111 1111", "pin 1234 [masked:card-number]");
    check("api key is 9f8e7d6c5b4a", "api key is [masked:api-key]");
    check("apiKey: 9f8e7d6c5b4a", "apiKey: [masked:api-key]");
    check("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPx", "aws_secret_access_key = [masked:api-key]");
    check("the token is a1b2c3d4e5f6", "the token is [masked:secret]");
    check("password is password is hunter2", "password is password is [masked:password]");
    check("4111111111111111 4242424242424242 hunter2", "[masked:card-number] [masked:card-number] hunter2");
    let key = made_up("sk-", 40);
    check(&format!("OPENAI_API_KEY={key}"), "OPENAI_API_KEY=[masked:openai-key]");
    check(&format!("https://x-token:{key}@host/"), "https://x-token:[masked:url-password]@host/");
}

#[test]
fn password_that_is_an_ordinary_word_is_masked_where_it_stands_alone() {
    check("Password: sunshine", "Password: [masked:password]");
    check("Passwort: Sonnenschein\nBenutzer: ann", "Passwort: [masked:password]\nBenutzer: ann");
    check("The wifi password is BlueHorse.", "The wifi password is [masked:password].");
    check("the wifi password is sunshine", "the wifi password is [masked:password]");
    check("Das WLAN-Passwort lautet Sonnenblume!", "Das WLAN-Passwort lautet [masked:password]!");
    check("my password is sunshine. Don't tell.", "my password is [masked:password]. Don't tell.");
    check("mi contraseña es mariposa", "mi contraseña es [masked:password]");
    check("Notre mot de passe est tournesol.", "Notre mot de passe est [masked:password].");
    check("my work email password is correct-horse-battery", "my work email password is [masked:password]");
    check("the password is \"sunshine\", all lower case", "the password is \"[masked:password]\", all lower case");
    check("passphrase: 'correct horse battery staple'", "passphrase: '[masked:password]'");
    stays("I forgot my password. The password is too long. My password is weak!");
    stays("My password is expired. Mein Passwort ist falsch. Mi contraseña es difícil.");
    stays("Password: required\nPasswort: vergessen\nPassword: see below\npassword: string");
    stays("The password is sunshine-related, I think, and the password is \"too short\".");
    stays("Our password is changing tomorrow; our password policy is strict.");
    stays("She asked for the password. Sunshine all day!");
    stays("Password: see www.example.com\nPassword: https://example.com");
}

#[test]
fn pins_are_masked_where_a_label_says_so() {
    check("PIN 4711", "PIN [masked:pin]");
    check("My card's PIN is 4711.", "My card's PIN is [masked:pin].");
    check("die PIN lautet 0815, PUK: 12345678", "die PIN lautet [masked:pin], PUK: [masked:pin]");
    check("pin: 123456", "pin: [masked:pin]");
    check("PIN-Code 4711", "PIN-Code [masked:pin]");
    check("我的PIN码是4711。", "我的PIN码是[masked:pin]。");
    stays("pin 1234 photos to the PIN board, pin 13 is ground");
    stays("PIN 123, PIN 4711-22, PIN 2026-03-04, PIN 123456789");
    stays("spin 4711 times, pinned 2024, the pin is 2.5 mm wide");
}

#[test]
fn account_numbers_are_masked_if_their_check_digits_are_right() {
    check("IBAN: DE89 3704 0044 0532 0130 00, thanks", "IBAN: [masked:iban], thanks");
    check("DE89370400440532013000 BIC COBADEFF", "[masked:iban] BIC COBADEFF");
    check("GB82 WEST 1234 5698 7654 32", "[masked:iban]");
    check("to ES91 2100 0418 4502 0005 1332 BIC", "to [masked:iban] BIC");
    check("nl91ABNA0417164300", "[masked:iban]");
    check("to ES91 2100 0418 4502 0005 1332 1500 EUR", "to [masked:iban] 1500 EUR");
    check("BE68 5390 0754 7034 2026 BANK", "[masked:iban] 2026 BANK");
    check("ref AB12 BE68 5390 0754 7034", "ref AB12 [masked:iban]");
    stays("DE88 3704 0044 0532 0130 00 and DE89370400440532013001 are wrong");
    stays("order DE12345678901234567890, part FR14 2004 1010 0505, ZZ89 3704 0044 0532 0130 00");
}

#[test]
fn ordinary_text_is_not_masked() {
    stays("my password is on the fridge");
    stays("mein Passwort ist geheim, mi contraseña es difícil, 密码是秘密");
    stays("The secret is patience. The token is gone.");
    stays("password: required; password: <password>; password=$PASSWORD, password: ********");
    stays("The password is case-sensitive and must be 8-characters long.");
    stays("the secret is 15-minute breaks at 12:30, the 2nd");
    stays("Token: 2026-03-04, secret: 1.5km");
    stays("password = getpass()  token = tokens[i+1]");
    stays("password: https://example.com/reset1");
    stays("scikit-learn, sk-learn, sk-this-is-a-long-name-with-hyphens, ghp_short, AKIA");
    stays("The bearer of bad news; Bearer tokens are sent in the header.");
    stays("https://example.com:8080/a@b and mailto:ann@example.com");
    stays("-----BEGIN PRIVATE KEY----- is how it starts, -----END PRIVATE KEY----- how it ends");
    stays("4111 1111 1111 1112 is off by one, 1234567890123452 no issuer's, 0.4111111111111111 a fraction");
    stays("tel. 555-0199, order 20260304101112, π = 3.14159");
    stays("东京的密码是秘密");
    stays("密码: 我忘记了");
    stays("");
}

/// If masking were slow here, one message of 256 KiB would hold up all others.
#[test]
fn text_of_repeated_prefixes_is_masked_in_time() {
    stays(&"password:".repeat(28_000));
    stays(&"sk-".repeat(80_000));
    stays(&format!("{}-----END PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----".repeat(9_000)));
}

proptest! {
    #[test]
    fn masking_twice_changes_nothing_more(pieces in prop::collection::vec(0..PIECES.len(), 0..12), glue in "[ .:=@\"\n-]{0,2}") {
        let text: Vec<&str> = pieces.into_iter().map(|piece| PIECES[piece]).collect();
        let (masked, _) = mask(&text.join(&glue));
        prop_assert_eq!(mask(&masked), (masked, 0));
    }
}

const PIECES: [&str; 18] = [
    "password",
    "is",
    "hunter2",
    "token",
    "secret:",
    "a1b2c3d4e5f6",
    "https://ann",
    ":pw1@",
    "4111111111111111",
    "for",
    "AKIAIOSFODNN7EXAMPLE",
    "Authorization:",
    "Bearer",
    "[masked:jwt]",
    "api_key",
    "p@ssw0rd!",
    "the",
    "eyJhbGciOi.eyJzdWIi.c2lnbmF0",
];

#[test]
fn texts_within_json_are_masked() {
    let secret = made_up("ghp_", 36);
    let masked = mask(&secret).0;
    assert!(masked.starts_with("[masked:"), "{masked}");
    let json = |text: &str| format!(r#"{{"a":["token {text}"],"n":1}}"#);
    assert_eq!(mask_json(&json(&secret)), json(&masked));
    assert_eq!(mask_json("tea"), "tea");
}

#[test]
fn name_of_a_field_is_the_label_of_its_text() {
    #[track_caller]
    fn check(json: Value, expect: Value) {
        assert_eq!(mask_json(&json.to_string()), expect.to_string());
    }
    check(json!({"password": "hunter2"}), json!({"password": "[masked:password]"}));
    check(json!({"a": [{"apiKey": "k3y-0f-mine"}]}), json!({"a": [{"apiKey": "[masked:api-key]"}]}));
    check(json!({"password": "hunter2 is old"}), json!({"password": "[masked:password] is old"}));
    check(
        json!({"password": "is private", "topic": "k3y-0f-mine"}),
        json!({"password": "is private", "topic": "k3y-0f-mine"}),
    );
    check(json!({"note": "my password is hunter2"}), json!({"note": "my password is [masked:password]"}));
}
