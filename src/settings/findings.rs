//! Findings: what one reading of a configuration text has come across so far.
//!
//! Unknown keys are judged at the end, when every section has said which keys it knows: the key may
//! only stand in the wrong section.

use super::nearest::nearest;

/// Mistakes and keys, by their offset in the text.
#[derive(Debug, Default)]
pub(super) struct Findings {
    mistakes: Vec<LocatedMistake>,
    unknown: Vec<UnknownKey>,
    /// Each section that was read, with the keys that it knows.
    known: Vec<(String, Vec<&'static str>)>,
}

/// One mistake.
#[derive(Debug)]
pub(super) struct LocatedMistake {
    /// Byte offset in the text; none where the text as a whole is meant.
    pub(super) at: Option<usize>,
    /// The sentence about it.
    pub(super) text: String,
}

#[derive(Debug)]
struct UnknownKey {
    at: usize,
    section: String,
    key: String,
}

impl Findings {
    pub(super) fn note(&mut self, at: Option<usize>, text: String) {
        self.mistakes.push(LocatedMistake { at, text });
    }

    pub(super) fn note_unknown_key(&mut self, at: usize, section: &str, key: &str) {
        let (section, key) = (section.to_owned(), key.to_owned());
        self.unknown.push(UnknownKey { at, section, key });
    }

    pub(super) fn note_known_keys(&mut self, section: &str, keys: Vec<&'static str>) {
        self.known.push((section.to_owned(), keys));
    }

    pub(super) fn is_clean(&self) -> bool {
        self.mistakes.is_empty() && self.unknown.is_empty()
    }

    /// All mistakes in the order of the text.
    pub(super) fn into_mistakes(mut self) -> Vec<LocatedMistake> {
        for unknown in std::mem::take(&mut self.unknown) {
            let text = self.unknown_key_text(&unknown);
            self.note(Some(unknown.at), text);
        }
        self.mistakes.sort_by_key(|finding| finding.at);
        self.mistakes
    }

    fn unknown_key_text(&self, unknown: &UnknownKey) -> String {
        let here = self.keys_of(&unknown.section);
        let written = dotted(&unknown.section, &unknown.key);
        if let Some(key) = nearest(&unknown.key, here) {
            return format!("unknown key {written}; did you mean {key}?");
        }
        if let Some((section, key)) = self.same_key_elsewhere(&unknown.key) {
            return format!(
                "unknown key {written}; did you mean {}?",
                dotted(section, key)
            );
        }
        format!("unknown key {written}; known here: {}", here.join(", "))
    }

    fn keys_of(&self, section: &str) -> &[&'static str] {
        self.known
            .iter()
            .find(|(name, _)| name == section)
            .map_or(&[], |(_, keys)| keys)
    }

    fn same_key_elsewhere(&self, key: &str) -> Option<(&str, &'static str)> {
        self.known.iter().find_map(|(section, keys)| {
            let known = keys.iter().find(|known| **known == key)?;
            Some((section.as_str(), *known))
        })
    }
}

/// `section.key`, with quotes where TOML needs them.
pub(super) fn dotted(section: &str, key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let key = if !key.is_empty() && key.chars().all(is_bare) {
        key.to_owned()
    } else {
        format!("{key:?}")
    };
    if section.is_empty() {
        key
    } else {
        format!("{section}.{key}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_joined_and_quoted_as_toml_would_write_it() {
        assert_eq!(dotted("", "swarm"), "swarm");
        assert_eq!(dotted("providers", "my own"), "providers.\"my own\"");
        assert_eq!(dotted("providers", ""), "providers.\"\"");
    }
}
