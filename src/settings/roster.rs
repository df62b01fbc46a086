//! `[[myses]]`: the Myses that exist after launch.

use std::collections::BTreeSet;

use super::rule::{MysisName, ProviderName, quote_text};
use super::section::Section;

/// A Mysis that exists after launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredMysis {
    /// 1 to 32 characters: letters, digits, `-`, `_`, `.`; no other has it.
    pub name: String,
    /// One of `providers`; none: the default one.
    pub provider: Option<String>,
}

/// Reads all of them; `providers` are the names that they may name.
pub(super) fn read(root: &mut Section<'_, '_>, providers: &[String]) -> Vec<DeclaredMysis> {
    let known = providers.iter().map(String::as_str).collect();
    let rule = ProviderName {
        known,
        noun: "provider",
    };
    let mut taken = BTreeSet::new();
    let myses = root.each_listed("myses", |section| {
        let name = section.require("name", &MysisName);
        let provider = section.read("provider", &rule);
        let name = name?;
        if !taken.insert(name.clone()) {
            let found = format!("{}, which another Mysis has already", quote_text(&name));
            section.reject("name", &found, "names that differ");
        }
        Some(DeclaredMysis { name, provider })
    });
    myses.into_iter().flatten().collect()
}
