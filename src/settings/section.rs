//! Sections: reading one TOML table key by key, so that every mistake in it is noted with its place.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::findings::{Findings, dotted};
use super::rule::{ValueRule, describe_value};

/// One table of the text, or its absence. The keys that it is asked for are the keys that it knows.
#[derive(Debug)]
pub(super) struct Section<'d, 'f> {
    path: String,
    at: usize,
    entries: Option<&'d DeTable<'d>>,
    asked: Vec<&'static str>,
    findings: &'f mut Findings,
}

impl<'d, 'f> Section<'d, 'f> {
    /// The whole text.
    pub(super) fn root(entries: &'d DeTable<'d>, findings: &'f mut Findings) -> Self {
        Self {
            path: String::new(),
            at: 0,
            entries: Some(entries),
            asked: Vec::new(),
            findings,
        }
    }

    /// Reads `key`; `None` if it is absent, or if it breaks the rule and has been noted.
    pub(super) fn read<R: ValueRule>(&mut self, key: &'static str, rule: &R) -> Option<R::Value> {
        let value = self.entry(key)?;
        match rule.accept(value.get_ref()) {
            Ok(accepted) => Some(accepted),
            Err(found) => {
                self.refuse(key, value.span().start, &found, &rule.allowed());
                None
            }
        }
    }

    /// Reads `key` as [`read`](Self::read) does, and notes its absence.
    pub(super) fn require<R: ValueRule>(
        &mut self,
        key: &'static str,
        rule: &R,
    ) -> Option<R::Value> {
        if self.entry(key).is_none() {
            let text = format!(
                "{} is missing; allowed: {}",
                self.dotted(key),
                rule.allowed()
            );
            self.findings.note(Some(self.at), text);
            return None;
        }
        self.read(key, rule)
    }

    /// Notes that the value of `key` cannot stay beside the rest.
    pub(super) fn reject(&mut self, key: &'static str, found: &str, allowed: &str) {
        let at = self.entry(key).map_or(self.at, |value| value.span().start);
        self.refuse(key, at, found, allowed);
    }

    /// Visits the table `key`; where it is absent, an empty one.
    pub(super) fn section<T>(
        &mut self,
        key: &'static str,
        visit: impl FnOnce(&mut Section<'d, '_>) -> T,
    ) -> T {
        let path = self.dotted(key);
        let value = self.entry(key);
        let entries = value.and_then(|value| self.entries_of(&path, value));
        let at = value.map_or(self.at, |value| value.span().start);
        self.visit(path, at, entries, visit)
    }

    /// Visits the table `key`, if it is there.
    pub(super) fn table<T>(
        &mut self,
        key: &'static str,
        visit: impl FnOnce(&mut Section<'d, '_>) -> T,
    ) -> Option<T> {
        let value = self.entry(key)?;
        let path = self.dotted(key);
        self.visit_value(path, value, visit)
    }

    /// Visits every table inside the table `key`, whatever its name.
    pub(super) fn each_named<T>(
        &mut self,
        key: &'static str,
        mut visit: impl FnMut(&str, &mut Section<'d, '_>) -> T,
    ) -> Vec<T> {
        let parts = self.table(key, |section| {
            let mut parts = Vec::new();
            for (name, value) in section.entries.into_iter().flatten() {
                let path = section.dotted(name.get_ref());
                parts.extend(section.visit_value(path, value, |part| visit(name.get_ref(), part)));
            }
            section.entries = None;
            parts
        });
        parts.unwrap_or_default()
    }

    /// Visits every table of the list `key`.
    pub(super) fn each_listed<T>(
        &mut self,
        key: &'static str,
        mut visit: impl FnMut(&mut Section<'d, '_>) -> T,
    ) -> Vec<T> {
        let Some(value) = self.entry(key) else {
            return Vec::new();
        };
        let Some(list) = value.get_ref().as_array() else {
            let allowed = format!("a list of tables, each headed [[{key}]]");
            self.refuse(
                key,
                value.span().start,
                &describe_value(value.get_ref()),
                &allowed,
            );
            return Vec::new();
        };
        let mut parts = Vec::new();
        for (index, value) in list.iter().enumerate() {
            let path = format!("{}[{}]", self.dotted(key), index + 1);
            parts.extend(self.visit_value(path, value, &mut visit));
        }
        parts
    }

    /// The names of the tables inside the table `key`, before any of them is read.
    pub(super) fn names_in(&self, key: &str) -> Vec<String> {
        self.entries
            .and_then(|entries| entries.get(key)?.get_ref().as_table())
            .map(|table| {
                table
                    .keys()
                    .map(|name| name.get_ref().to_string())
                    .collect()
            })
            .unwrap_or_default()
    }

    /// Whether nothing has been found wrong so far.
    pub(super) fn is_clean(&self) -> bool {
        self.findings.is_clean()
    }

    /// Notes the keys that nobody asked for.
    pub(super) fn finish(self) {
        for key in self.entries.into_iter().flat_map(DeTable::keys) {
            if !self.asked.contains(&key.get_ref().as_ref()) {
                let at = key.span().start;
                self.findings
                    .note_unknown_key(at, &self.path, key.get_ref());
            }
        }
        self.findings.note_known_keys(&self.path, self.asked);
    }

    fn entry(&mut self, key: &'static str) -> Option<&'d Spanned<DeValue<'d>>> {
        if !self.asked.contains(&key) {
            self.asked.push(key);
        }
        self.entries?.get(key)
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
        let findings = &mut *self.findings;
        let mut part = Section {
            path,
            at,
            entries,
            asked: Vec::new(),
            findings,
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
            let text = format!(
                "{path} is {}; allowed: a table",
                describe_value(value.get_ref())
            );
            self.findings.note(Some(value.span().start), text);
        }
        entries
    }

    fn refuse(&mut self, key: &str, at: usize, found: &str, allowed: &str) {
        let text = format!("{} is {found}; allowed: {allowed}", self.dotted(key));
        self.findings.note(Some(at), text);
    }

    fn dotted(&self, key: &str) -> String {
        dotted(&self.path, key)
    }
}
