//! Findings: the mistakes that reading a configuration has found so far.
//!
//! Unknown keys are reported at the end, when every section has named its keys. Only then is it
//! known whether a key belongs to another section.

use super::environment::Environment;
use super::key::Key;
use super::nearest::nearest;
use super::rule::Rule;

/// Mistakes and keys, by their byte offset in the text.
#[derive(Debug)]
pub(super) struct Findings<'e> {
    environment: &'e Environment,
    mistakes: Vec<LocatedMistake>,
    unknown: Vec<UnknownKey>,
    /// The sections that were read, with their known keys.
    known: Vec<(String, Vec<Key>)>,
    /// Mistakes in the environment variables that override keys.
    of_environment: Vec<String>,
}

/// The byte offset of a mistake in the text, and the sentence about it.
pub(super) type LocatedMistake = (usize, String);

#[derive(Debug)]
struct UnknownKey {
    at: usize,
    section: String,
    key: String,
}

impl<'e> Findings<'e> {
    pub(super) fn new(environment: &'e Environment) -> Self {
        Self {
            environment,
            mistakes: Vec::new(),
            unknown: Vec::new(),
            known: Vec::new(),
            of_environment: Vec::new(),
        }
    }

    /// The value of the variable that overrides `key`, if it is set.
    pub(super) fn read_variable<T: 'static>(&mut self, key: Key, rule: &Rule<T>) -> Option<T> {
        let name = key.variable?;
        let text = self.environment.get(name)?.to_str();
        let accepted = text
            .ok_or_else(|| "not UTF-8 text".to_owned())
            .and_then(|text| rule.accept_variable(text));
        accepted
            .map_err(|found| {
                let text = format!("{name} is {found}; allowed: {}", rule.allowed);
                self.of_environment.push(text);
            })
            .ok()
    }

    pub(super) fn note(&mut self, at: usize, text: String) {
        self.mistakes.push((at, text));
    }

    pub(super) fn note_unknown_key(&mut self, at: usize, section: &str, key: &str) {
        let (section, key) = (section.to_owned(), key.to_owned());
        self.unknown.push(UnknownKey { at, section, key });
    }

    pub(super) fn note_known_keys(&mut self, section: String, keys: Vec<Key>) {
        self.known.push((section, keys));
    }

    pub(super) fn is_clean(&self) -> bool {
        self.mistakes.is_empty() && self.unknown.is_empty()
    }

    /// The sections that were read, with their known keys.
    pub(super) fn into_known(self) -> Vec<(String, Vec<Key>)> {
        self.known
    }

    /// All mistakes in the order of the text, and those of the environment.
    pub(super) fn into_mistakes(mut self) -> (Vec<LocatedMistake>, Vec<String>) {
        for unknown in std::mem::take(&mut self.unknown) {
            let text = self.unknown_key_text(&unknown);
            self.note(unknown.at, text);
        }
        self.mistakes.sort_by_key(|(at, _)| *at);
        // The order is reversed, so that the server comes before the swarm.
        self.of_environment.reverse();
        (self.mistakes, self.of_environment)
    }

    fn unknown_key_text(&self, UnknownKey { section, key, .. }: &UnknownKey) -> String {
        let written = dotted(section, key);
        let here = self.known.iter().find(|(name, _)| name == section);
        let here: Vec<&str> = here.map_or_else(Vec::new, |(_, keys)| {
            keys.iter().map(|key| key.name).collect()
        });
        if let Some(key) = nearest(key, &here) {
            return format!("unknown key {written}; did you mean {key}?");
        }
        let is_same = |known: &&Key| known.name == key;
        let mut elsewhere = self.known.iter();
        if let Some((section, _)) = elsewhere.find(|(_, keys)| keys.iter().find(is_same).is_some())
        {
            return format!(
                "unknown key {written}; did you mean {}?",
                dotted(section, key)
            );
        }
        format!("unknown key {written}; known here: {}", here.join(", "))
    }
}

/// `section.key`, with quotes where TOML requires them.
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
