//! Sections: reads a TOML table key by key and notes every mistake with its place.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::findings::{Findings, dotted};
use super::key::Key;
use super::rule::{Rule, describe_value};

/// A table of the text, which may be absent. Each key that is read becomes a known key.
pub(super) struct Section<'d, 'f> {
    path: String,
    at: usize,
    entries: Option<&'d DeTable<'d>>,
    known: Vec<Key>,
    findings: &'f mut Findings<'d>,
}

impl<'d, 'f> Section<'d, 'f> {
    pub(super) fn root(entries: &'d DeTable<'d>, findings: &'f mut Findings<'d>) -> Self {
        Self {
            path: String::new(),
            at: 0,
            entries: Some(entries),
            known: Vec::new(),
            findings,
        }
    }

    /// Reads `key`. Returns `None` if it is absent, or if it breaks the rule, which is noted as a
    /// mistake.
    pub(super) fn read_optional<T: 'static>(&mut self, key: Key, rule: &Rule<T>) -> Option<T> {
        let written = self.entry(key).and_then(|value| {
            let accepted = rule.accept(value.get_ref());
            let noted = accepted.map_err(|found| {
                self.refuse(key.name, value.span().start, &found, &rule.allowed);
            });
            noted.ok()
        });
        self.findings.read_variable(key, rule).or(written)
    }

    /// Reads `key`. Returns its default if it is absent or wrong.
    pub(super) fn read_default<T: 'static>(&mut self, key: Key, rule: &Rule<T>) -> T {
        let read = self.read_optional(key, rule);
        read.or_else(|| rule.accept_toml(key.sample))
            .expect("the default of a key obeys its rule")
    }

    /// Reads `key` like [`read_optional`](Self::read_optional). If it is required and absent, notes
    /// a mistake.
    pub(super) fn read_required<T: 'static>(
        &mut self,
        has_to_be: bool,
        key: Key,
        rule: &Rule<T>,
    ) -> Option<T> {
        if has_to_be && self.entry(key).is_none() {
            let name = self.dotted(key.name);
            let text = format!("{name} is missing; allowed: {}", rule.allowed);
            self.findings.note(self.at, text);
        }
        self.read_optional(key, rule)
    }

    /// Reads the table `key`, if it exists.
    pub(super) fn read_table<T>(
        &mut self,
        key: Key,
        visit: impl FnOnce(&mut Section<'d, '_>) -> T,
    ) -> Option<T> {
        let value = self.entry(key)?;
        self.visit_value(self.dotted(key.name), value, visit)
    }

    /// Reads the table `name`. An absent one is read as an empty one.
    pub(super) fn read_section<T>(
        &mut self,
        name: &'static str,
        visit: impl FnOnce(&mut Section<'d, '_>) -> T,
    ) -> T {
        let path = self.dotted(name);
        let value = self.entry(Key::of_section(name));
        let entries = value.and_then(|value| self.entries_of(&path, value));
        let at = value.map_or(self.at, |value| value.span().start);
        self.visit(path, at, entries, visit)
    }

    /// Reads every table inside the table `name`.
    pub(super) fn read_named<T>(
        &mut self,
        name: &'static str,
        mut visit: impl FnMut(&str, &mut Section<'d, '_>) -> T,
    ) -> Vec<T> {
        let parts = self.parts_of(Key::of_section(name)).into_iter();
        let parts = parts.filter_map(|(part, path, value)| {
            self.visit_value(path, value, |section| visit(part, section))
        });
        parts.collect()
    }

    /// What the table of this key has: the name, the place and the value of each.
    fn parts_of(&mut self, key: Key) -> Vec<(&'d str, String, &'d Spanned<DeValue<'d>>)> {
        let path = self.dotted(key.name);
        let entries = self.entry(key);
        let entries = entries.and_then(|value| self.entries_of(&path, value));
        let parts = entries.into_iter().flatten().map(|(part, value)| {
            let part = part.get_ref();
            (&**part, dotted(&path, part), value)
        });
        parts.collect()
    }

    /// Reads every value inside the table of this key: a table as itself, a text, a number or a boolean as
    /// an empty table with its text beside it.
    pub(super) fn read_named_values<T>(
        &mut self,
        key: Key,
        mut visit: impl FnMut(&str, &mut Section<'d, '_>, Option<&str>) -> T,
    ) -> Vec<T> {
        let parts = self.parts_of(key).into_iter();
        let parts = parts.filter_map(|(part, path, value)| match bare_text(value.get_ref()) {
            Some(text) => {
                let at = value.span().start;
                Some(self.visit(path, at, None, |section| visit(part, section, Some(&text))))
            }
            None => self.visit_value(path, value, |section| visit(part, section, None)),
        });
        parts.collect()
    }

    /// Reads every table of the array `name`.
    pub(super) fn read_listed<T>(
        &mut self,
        name: &'static str,
        mut visit: impl FnMut(&mut Section<'d, '_>) -> T,
    ) -> Vec<T> {
        let Some(value) = self.entry(Key::of_section(name)) else {
            return Vec::new();
        };
        let Some(list) = value.get_ref().as_array() else {
            let found = describe_value(value.get_ref());
            let allowed = format!("a list of tables, each headed [[{name}]]");
            self.refuse(name, value.span().start, &found, &allowed);
            return Vec::new();
        };
        let parts = list.iter().zip(1..).filter_map(|(value, number)| {
            let path = format!("{}[{number}]", self.dotted(name));
            self.visit_value(path, value, &mut visit)
        });
        parts.collect()
    }

    /// The names of the tables inside the table `name`, in their order in the text. They are needed before any
    /// of them is read.
    pub(super) fn declared_in(&self, name: &str) -> Vec<String> {
        let table = self
            .entries
            .and_then(|entries| entries.get(name)?.get_ref().as_table());
        let keys = table.into_iter().flat_map(DeTable::keys);
        let mut named: Vec<(usize, String)> = keys
            .map(|key| (key.span().start, key.get_ref().to_string()))
            .collect();
        named.sort();
        named.into_iter().map(|(_, name)| name).collect()
    }

    /// Whether `key` is written in the text.
    pub(super) fn is_written(&self, key: &str) -> bool {
        self.entries
            .is_some_and(|entries| entries.contains_key(key))
    }

    /// Notes that the value of `key` contradicts other values.
    pub(super) fn reject(&mut self, key: &str, found: &str, allowed: &str) {
        let value = self.entries.and_then(|entries| entries.get(key));
        let at = value.map_or(self.at, |value| value.span().start);
        self.refuse(key, at, found, allowed);
    }

    /// Notes that the table itself cannot be what it is.
    pub(super) fn reject_whole(&mut self, found: &str, allowed: &str) {
        let text = format!("{} is {found}; allowed: {allowed}", self.path);
        self.findings.note(self.at, text);
    }

    /// Whether no mistake has been found so far.
    pub(super) fn is_clean(&self) -> bool {
        self.findings.is_clean()
    }

    /// Notes the keys that were not read as unknown.
    pub(super) fn finish(self) {
        for key in self.entries.into_iter().flat_map(DeTable::keys) {
            if !self.known.iter().any(|known| known.name == key.get_ref()) {
                let at = key.span().start;
                self.findings
                    .note_unknown_key(at, &self.path, key.get_ref());
            }
        }
        self.findings.note_known_keys(self.path, self.known);
    }

    fn entry(&mut self, key: Key) -> Option<&'d Spanned<DeValue<'d>>> {
        if !self.known.iter().any(|known| known.name == key.name) {
            self.known.push(key);
        }
        self.entries?.get(key.name)
    }

    fn visit_value<T>(
        &mut self,
        path: String,
        value: &'d Spanned<DeValue<'d>>,
        visit: impl FnOnce(&mut Section<'d, '_>) -> T,
    ) -> Option<T> {
        let entries = self.entries_of(&path, value)?;
        Some(self.visit(path, value.span().start, Some(entries), visit))
    }

    fn visit<T>(
        &mut self,
        path: String,
        at: usize,
        entries: Option<&'d DeTable<'d>>,
        visit: impl FnOnce(&mut Section<'d, '_>) -> T,
    ) -> T {
        let mut part = Section {
            path,
            at,
            entries,
            known: Vec::new(),
            findings: &mut *self.findings,
        };
        let outcome = visit(&mut part);
        part.finish();
        outcome
    }

    fn entries_of(
        &mut self,
        path: &str,
        value: &'d Spanned<DeValue<'d>>,
    ) -> Option<&'d DeTable<'d>> {
        let entries = value.get_ref().as_table();
        if entries.is_none() {
            let found = describe_value(value.get_ref());
            let text = format!("{path} is {found}; allowed: a table");
            self.findings.note(value.span().start, text);
        }
        entries
    }

    fn refuse(&mut self, key: &str, at: usize, found: &str, allowed: &str) {
        let text = format!("{} is {found}; allowed: {allowed}", self.dotted(key));
        self.findings.note(at, text);
    }

    fn dotted(&self, key: &str) -> String {
        dotted(&self.path, key)
    }
}

/// A value that is one word, as it is written; `None` for others.
fn bare_text(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Float(number) => Some(number.to_string()),
        DeValue::Boolean(is_so) => Some(is_so.to_string()),
        DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => None,
    }
}
