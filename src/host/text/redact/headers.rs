//! Headers and parameters of requests: which of them grant access to whoever knows their values.

/// Parts of the names of what grants access. `x-honeycomb-team` holds a key.
const SECRET_NAMES: [&str; 13] = [
    "access",
    "auth",
    "bearer",
    "cookie",
    "credential",
    "jwt",
    "key",
    "pass",
    "secret",
    "session",
    "signature",
    "team",
    "token",
];

/// Whether a header or a parameter of this name grants access. Others name a program, a data set or
/// a tenant, and are words that anybody may write.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_NAMES.iter().any(|part| name.contains(part))
}

/// What of a header is secret: the value of one that grants access, as a whole and without the word
/// before a token (`Bearer TOKEN`), since a server may quote the token alone.
pub fn header_secrets<'a>(name: &str, value: &'a str) -> impl Iterator<Item = &'a str> {
    let token = value.rsplit(' ').next().filter(|token| *token != value);
    let secrets = [Some(value), token].into_iter().flatten();
    let is_secret = is_secret_name(name);
    secrets.filter(move |secret| is_secret && !secret.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grants_access_is_secret_with_its_token_and_words_are_not() {
        let secrets = |name, value| header_secrets(name, value).collect::<Vec<_>>();
        assert_eq!(
            secrets("Authorization", "Bearer sk-1"),
            ["Bearer sk-1", "sk-1"]
        );
        assert_eq!(secrets("X-Api-Key", "sk-1"), ["sk-1"]);
        assert_eq!(secrets("cookie", "a=1 "), ["a=1 "]);
        for (name, value) in [
            ("X-Title", "spacemolt"),
            ("HTTP-Referer", "https://belt.example"),
            ("x-scope-orgid", "the belt"),
            ("Authorization", ""),
        ] {
            assert!(secrets(name, value).is_empty(), "{name}");
        }
    }
}
