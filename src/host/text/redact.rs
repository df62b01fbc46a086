//! Redaction: known secrets never get into a row, a request or a notice (docs/design/sessions.md).
//!
//! A secret is found in any notation: each of its characters in any of the notations of `decoding`,
//! or all of it in Base64. A text is read once, however many secrets are known.

mod base64_cores;
mod decoding;
mod entities;
mod headers;
mod passwords;
mod prefix_filter;

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

use serde_json::Value;

use base64_cores::{base64_cores, is_letter};
use decoding::{begins_a_code, goes_on_before, goes_on_behind, next_code, readings_at};

pub use headers::{header_secrets, is_secret_name};
pub use passwords::{hide_passwords, password_in_words};
use prefix_filter::PrefixFilter;

pub const REDACTED: &str = "[redacted]";

/// A shorter secret is only found as a word of its own. Inside of other words it would match by
/// chance.
pub const MIN_EMBEDDED_SECRET_BYTES: usize = 8;

/// Shorter secrets are not searched at all, because they would be ordinary words.
pub const MIN_SECRET_BYTES: usize = 4;

/// The bytes by which a pattern is looked up.
const PREFIX_BYTES: usize = 4;

/// The most codes that are decoded to find a secret at one place. Only a secret made of
/// backslashes, percent signs and the like, in nested notations, may need more.
const MAX_DECODE_TRIES: u32 = 48;

/// A run of patterns is merged with the one after it once it is not this many times as long. So one
/// more secret costs little, however many are known, and the runs stay few.
const RUN_GROWTH: usize = 4;

/// The known secrets. Adding some makes another redactor, which shares most of its parts with this
/// one.
#[derive(Clone, Default)]
pub struct Redactor {
    count: usize,
    /// Each sorted, the longest first.
    runs: Vec<Arc<[SecretPattern]>>,
    begins: Arc<PrefixFilter>,
}

/// A byte sequence that is searched.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct SecretPattern {
    /// Its first bytes, beside those behind the pointer because searches look here first.
    prefix: [u8; PREFIX_BYTES],
    bytes: Arc<[u8]>,
    /// It only counts if no letter or digit is next to it.
    is_word: bool,
    /// The Base64 character before it, or the one after it, contains a part of the secret.
    has_part_before: bool,
    has_part_behind: bool,
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Redactor({} secrets)", self.count)
    }
}

impl Redactor {
    /// Searches for these secrets. Those shorter than [`MIN_SECRET_BYTES`] are ignored.
    pub fn new(secrets: impl IntoIterator<Item = Arc<str>>) -> Redactor {
        Redactor::default().with(secrets)
    }

    /// Searches for these secrets, too, which are not known yet.
    pub fn with(&self, secrets: impl IntoIterator<Item = Arc<str>>) -> Redactor {
        let mut secrets: Vec<Arc<str>> = secrets.into_iter().collect();
        secrets.retain(|secret| secret.len() >= MIN_SECRET_BYTES);
        secrets.sort();
        secrets.dedup();
        let mut newest: Vec<SecretPattern> = secrets
            .iter()
            .flat_map(|one| secret_patterns(one))
            .collect();
        if newest.is_empty() {
            return self.clone();
        }
        let mut runs = self.runs.clone();
        let known: usize = runs.iter().map(|run| run.len()).sum();
        let begins = match self.begins.has_room_for(known + newest.len()) {
            // Older redactors share it. What is added here costs them time at most.
            true => self.begins.clone(),
            false => {
                let roomier = PrefixFilter::with_room_for(2 * known + newest.len());
                let patterns = runs.iter().flat_map(|run| &**run);
                patterns.for_each(|pattern| roomier.add_prefix(pattern.prefix));
                Arc::new(roomier)
            }
        };
        newest
            .iter()
            .for_each(|pattern| begins.add_prefix(pattern.prefix));
        while let Some(last) = runs.pop_if(|last| last.len() < RUN_GROWTH * newest.len()) {
            newest.extend_from_slice(&last);
        }
        newest.sort();
        newest.dedup();
        runs.push(newest.into());
        Redactor {
            count: self.count + secrets.len(),
            runs,
            begins,
        }
    }

    /// Whether this is the other redactor or a copy of it, so that both find the same.
    pub fn is_same(&self, other: &Redactor) -> bool {
        let mut runs = self.runs.iter().zip(&other.runs);
        self.runs.len() == other.runs.len() && runs.all(|(one, other)| Arc::ptr_eq(one, other))
    }

    /// The text without the secrets.
    pub fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let found = self.find_secrets(text.as_bytes());
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut clean = String::with_capacity(text.len());
        let mut rest = 0;
        for secret in found {
            clean.push_str(&text[rest..secret.start]);
            clean.push_str(REDACTED);
            rest = secret.end;
        }
        clean.push_str(&text[rest..]);
        Cow::Owned(clean)
    }

    /// Like [`Redactor::clean`], for an owned text.
    pub fn clean_own(&self, text: String) -> String {
        match self.clean(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(clean) => clean,
        }
    }

    /// Like [`Redactor::clean`], for a shared text that rarely contains a secret.
    pub fn clean_shared(&self, text: Arc<str>) -> Arc<str> {
        match self.clean(&text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(clean) => clean.into(),
        }
    }

    /// Like [`Redactor::clean`], for a text in its place.
    pub fn clean_in_place<T: Deref<Target = str> + From<String>>(&self, text: &mut T) {
        if let Cow::Owned(clean) = self.clean(text) {
            *text = clean.into();
        }
    }

    /// Like [`Redactor::clean`], for every string in a JSON value, including keys.
    pub fn clean_json(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.clean_own(text)),
            Value::Array(items) => {
                let items = items.into_iter().map(|item| self.clean_json(item));
                Value::Array(items.collect())
            }
            Value::Object(members) => {
                let members = members.into_iter();
                let members =
                    members.map(|(key, value)| (self.clean_own(key), self.clean_json(value)));
                Value::Object(members.collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }

    /// The ranges of secrets, in order. Adjacent ones are joined.
    fn find_secrets(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        if self.runs.is_empty() {
            return found;
        }
        let (mut start, mut code) = (0, next_code(text, 0));
        while start < text.len() {
            if start > code {
                code = next_code(text, start);
            }
            let secret = match self.next_plain(&text[start..code]) {
                Some((offset, prefix)) => {
                    start += offset;
                    let tries = &mut { MAX_DECODE_TRIES };
                    self.longest_match(text, (start, start + PREFIX_BYTES), prefix, &[], tries)
                }
                // What is left is shorter than any secret.
                None if code == text.len() => break,
                None => {
                    start = start.max((code + 1).saturating_sub(PREFIX_BYTES));
                    self.longest_coded(text, start, code)
                }
            };
            start += 1;
            let Some(secret) = secret else {
                continue;
            };
            match found.last_mut() {
                Some(last) if secret.start < last.end => last.end = last.end.max(secret.end),
                Some(_) | None => found.push(secret),
            }
        }
        found
    }

    /// The first place at which a pattern may begin, with its prefix, in a text without codes, where every
    /// byte stands for itself.
    fn next_plain(&self, text: &[u8]) -> Option<(usize, [u8; PREFIX_BYTES])> {
        let prefixes = text.windows(PREFIX_BYTES).map(|window| {
            let mut prefix = [0; PREFIX_BYTES];
            prefix.copy_from_slice(window);
            prefix
        });
        let mut places = (0..).zip(prefixes);
        places.find(|(_, prefix)| self.begins.may_be(*prefix))
    }

    /// The longest secret whose first bytes have been read up to a position. `more` contains the
    /// bytes of the last character after the prefix.
    fn longest_match(
        &self,
        text: &[u8],
        (start, place): (usize, usize),
        prefix: [u8; PREFIX_BYTES],
        more: &[u8],
        tries: &mut u32,
    ) -> Option<Range<usize>> {
        let begun_so = self.runs.iter().flat_map(|run| {
            let first = run.partition_point(|pattern| pattern.prefix < prefix);
            let rest = run[first..].iter();
            rest.take_while(|pattern| pattern.prefix == prefix)
        });
        // However many secrets begin alike, each has all tries that are left, and those of one are spent.
        let left = *tries;
        begun_so
            .filter_map(|pattern| {
                let rest = pattern.bytes[PREFIX_BYTES..].strip_prefix(more)?;
                // What stands there as it is needs no try.
                let plain = text[place..].starts_with(rest);
                let plain = plain.then_some(place + rest.len());
                let mut own = left;
                let coded = spelt_out(text, place, rest, &mut own);
                *tries = own.min(*tries);
                let end = plain.max(coded)?;
                pattern.match_extent(text, start..end)
            })
            .max_by_key(|secret| secret.end)
    }

    /// Like [`Redactor::longest_match`], if there is a code among the first bytes. The first one begins at
    /// `code`, and what stands before it has one reading.
    fn longest_coded(&self, text: &[u8], start: usize, code: usize) -> Option<Range<usize>> {
        if !self.begins.may_begin(&text[start..code]) {
            return None;
        }
        let mut longest = None;
        self.read_on(
            text,
            (start, start),
            &[],
            &mut { MAX_DECODE_TRIES },
            &mut longest,
        );
        longest
    }

    /// Reads one more character in every notation and looks up the matching patterns.
    fn read_on(
        &self,
        text: &[u8],
        (start, place): (usize, usize),
        before: &[u8],
        tries: &mut u32,
        longest: &mut Option<Range<usize>>,
    ) {
        let Some(left) = tries.checked_sub(1) else {
            return;
        };
        *tries = left;
        for spelt in readings_at(text, place) {
            // Fewer bytes than a prefix, and one character of at most four bytes.
            let mut read = [0; 2 * PREFIX_BYTES];
            let length = before.len() + spelt.bytes().len();
            read[..before.len()].copy_from_slice(before);
            read[before.len()..length].copy_from_slice(spelt.bytes());
            let read = &read[..length];
            if !self.begins.may_begin(read) {
                continue;
            }
            let Some((prefix, more)) = read.split_first_chunk::<PREFIX_BYTES>() else {
                self.read_on(text, (start, spelt.next), read, tries, longest);
                continue;
            };
            if !self.begins.may_be(*prefix) {
                continue;
            }
            let secret = self.longest_match(text, (start, spelt.next), *prefix, more, tries);
            let end = |secret: &Option<Range<usize>>| secret.as_ref().map(|secret| secret.end);
            if end(&secret) > end(longest) {
                *longest = secret;
            }
        }
    }
}

impl SecretPattern {
    fn new(bytes: Arc<[u8]>, is_word: bool) -> SecretPattern {
        SecretPattern {
            // Patterns are at least as long as the shortest secret.
            prefix: bytes.first_chunk().copied().unwrap_or_default(),
            bytes,
            is_word,
            has_part_before: false,
            has_part_behind: false,
        }
    }

    /// The range of the text that reveals the secret; `None` if it is a part of a word.
    fn match_extent(&self, text: &[u8], found: Range<usize>) -> Option<Range<usize>> {
        let (mut start, mut end) = (found.start, found.end);
        if self.is_word && (goes_on_before(text, start) || goes_on_behind(text, end)) {
            return None;
        }
        if self.has_part_before && start > 0 && is_letter(text[start - 1]) {
            start -= 1;
        }
        if self.has_part_behind && text.get(end).copied().is_some_and(is_letter) {
            end += 1;
        }
        Some(start..end)
    }
}

fn secret_patterns(secret: &str) -> Vec<SecretPattern> {
    let is_word = secret.len() < MIN_EMBEDDED_SECRET_BYTES;
    let plain = SecretPattern::new(secret.as_bytes().into(), is_word);
    let coded = base64_cores(secret.as_bytes())
        .into_iter()
        .map(|core| SecretPattern {
            has_part_before: core.has_part_before,
            has_part_behind: core.has_part_behind,
            ..SecretPattern::new(core.letters.into(), false)
        });
    std::iter::once(plain).chain(coded).collect()
}

/// The end of the longest text that decodes to these bytes, from a position on.
fn spelt_out(text: &[u8], mut place: usize, bytes: &[u8], tries: &mut u32) -> Option<usize> {
    let mut rest = bytes;
    loop {
        let Some((first, behind)) = rest.split_first() else {
            return Some(place);
        };
        let byte = *text.get(place)?;
        if begins_a_code(byte) {
            break;
        }
        if byte != *first {
            return None;
        }
        place += 1;
        rest = behind;
    }
    *tries = tries.checked_sub(1)?;
    readings_at(text, place)
        .filter_map(|spelt| {
            let rest = rest.strip_prefix(spelt.bytes())?;
            spelt_out(text, spelt.next, rest, tries)
        })
        .max()
}

#[cfg(test)]
mod tests;
