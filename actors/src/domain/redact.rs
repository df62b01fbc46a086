//! Redaction: known secrets never get into a row, a request or a notice (DESIGN 6).

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// What stands in place of a secret.
pub const REDACTED: &str = "[redacted]";

/// Shorter ones would redact ordinary words.
const SHORTEST: usize = 8;

/// The secrets that are known now.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Redactor {
    secrets: Vec<Arc<str>>,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} secrets)", self.secrets.len())
    }
}

impl Redactor {
    /// Knows these secrets; those too short to tell from ordinary words are left out.
    #[must_use]
    pub fn new(secrets: impl IntoIterator<Item = Arc<str>>) -> Redactor {
        let mut secrets: Vec<Arc<str>> = secrets
            .into_iter()
            .filter(|secret| secret.len() >= SHORTEST)
            .flat_map(|secret| forms(&secret))
            .collect();
        // A secret that holds another one must go first, or its rest would stay.
        secrets.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        secrets.dedup();
        Redactor { secrets }
    }

    /// The text without the secrets.
    #[must_use]
    pub fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut clean = Cow::Borrowed(text);
        for secret in &self.secrets {
            if clean.contains(&**secret) {
                clean = Cow::Owned(clean.replace(&**secret, REDACTED));
            }
        }
        clean
    }

    /// As [`Redactor::clean`], for a shared text that most often holds no secret.
    #[must_use]
    pub fn clean_shared(&self, text: Arc<str>) -> Arc<str> {
        match self.clean(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(clean) => clean.into(),
        }
    }
}

/// The forms in which a secret may stand in a text: as it is, and as JSON writes it, where that is
/// another one; JSON within JSON, too.
#[must_use]
pub fn forms(secret: &str) -> Vec<Arc<str>> {
    let mut forms = vec![secret.to_string()];
    for _depth in 0..2 {
        let deeper: Vec<String> = forms
            .iter()
            .flat_map(|form| [in_json(form, |_| false), in_json(form, is_coded)])
            .collect();
        forms.extend(deeper);
    }
    // A longer form may hold a shorter one: it goes first.
    forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    forms.dedup();
    forms.into_iter().map(Into::into).collect()
}

/// What careful writers of JSON write as a number.
fn is_coded(c: char) -> bool {
    !c.is_ascii() || matches!(c, '<' | '>' | '&')
}

/// A text as it stands between the quotes of a JSON string.
fn in_json(text: &str, is_coded: impl Fn(char) -> bool) -> String {
    let mut json = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            c if c.is_control() || is_coded(c) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    json.push_str(&format!("\\u{unit:04x}"));
                }
            }
            c => json.push(c),
        }
    }
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_found_in_every_form_that_json_gives_it() {
        let secret = "pass\"word\\é<1>";
        let redactor = Redactor::new([secret.into()]);
        let json = serde_json::to_string(secret).unwrap();
        let twice = serde_json::to_string(&json).unwrap();
        for text in [
            secret,
            json.trim_matches('"'),
            &twice[3..twice.len() - 3],
            r#"pass\"word\\\u00e9\u003c1\u003e"#,
        ] {
            assert_eq!(
                redactor.clean(&format!("a {text} b")),
                "a [redacted] b",
                "{text}"
            );
        }
    }

    #[test]
    fn the_longer_secret_goes_first_and_short_words_stay() {
        let redactor = Redactor::new(["password".into(), "password-and-more".into(), "ore".into()]);
        assert_eq!(
            redactor.clean("ore password-and-more password"),
            "ore [redacted] [redacted]"
        );
        assert_eq!(format!("{redactor:?}"), "Redactor(2 secrets)");
    }
}
