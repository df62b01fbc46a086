//! The names under which requests offer tools. Model servers take fewer names than MCP has, so some
//! tools are offered under another one than the server's, which all records keep.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The longest name that every model server takes.
const MAX_BYTES: usize = 64;

/// Both names of the tools of a list that are offered under another name than their own. They
/// follow from the names in the list alone, whatever their order.
#[derive(Debug, Default)]
pub struct ToolNames {
    offered: BTreeMap<Arc<str>, Arc<str>>,
    meant: BTreeMap<Arc<str>, Arc<str>>,
}

impl ToolNames {
    /// The names of a list with these tools. Of several that would be offered under one name, the
    /// second one, in the order of the alphabet, ends with `_2`, and so on.
    pub fn of<'a>(names: impl Iterator<Item = &'a Arc<str>>) -> ToolNames {
        let (fit, unfit): (BTreeSet<_>, BTreeSet<_>) = names.partition(|name| is_fit(name));
        let mut known = ToolNames::default();
        for name in unfit {
            let first = fit_name(name);
            let is_free = |candidate: &Arc<str>| {
                !fit.contains(candidate) && !known.meant.contains_key(candidate)
            };
            let mut candidate = first.clone();
            let mut number = 2;
            while !is_free(&candidate) {
                let end = format!("_{number}");
                let room = first.len().min(MAX_BYTES - end.len());
                candidate = format!("{}{end}", &first[..room]).into();
                number += 1;
            }
            known.offered.insert(name.clone(), candidate.clone());
            known.meant.insert(candidate, name.clone());
        }
        known
    }

    /// The name under which requests speak of a tool, whether it is in the list or not.
    pub fn offered(&self, name: &Arc<str>) -> Arc<str> {
        let known = self.offered.get(name).cloned();
        known.unwrap_or_else(|| fit_name(name))
    }

    /// The server's name of the tool that is offered so, if it has another one.
    pub fn meant(&self, offered: &str) -> Option<&Arc<str>> {
        self.meant.get(offered)
    }
}

/// A name as every model server takes it: 1 to 64 letters, digits, `_` or `-`, the first one a
/// letter or `_`.
pub fn fit_name(name: &Arc<str>) -> Arc<str> {
    if is_fit(name) {
        return name.clone();
    }
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let signs = name.chars().map(|c| if is_part(c) { c } else { '_' });
    let mut fit: String = signs.take(MAX_BYTES).collect();
    if !fit.starts_with(is_first) {
        fit.insert(0, '_');
        fit.truncate(MAX_BYTES);
    }
    match fit.as_str() {
        "_" => "unnamed_tool".into(),
        _ => fit.into(),
    }
}

fn is_fit(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && name.len() <= MAX_BYTES && name.chars().all(is_part)
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &[&str]) -> ToolNames {
        let all: Vec<Arc<str>> = all.iter().map(|name| (*name).into()).collect();
        ToolNames::of(all.iter())
    }

    #[test]
    fn every_name_is_offered_as_every_server_takes_it() {
        let longest = "a".repeat(64);
        let longer = format!("{longest}b");
        for (name, offered) in [
            ("mine", "mine"),
            ("a_B-9", "a_B-9"),
            ("ship.get_status", "ship_get_status"),
            ("ship/mine", "ship_mine"),
            ("a_B-9 .é", "a_B-9___"),
            ("7zip", "_7zip"),
            ("-x", "_-x"),
            ("採掘", "__"),
            (&*longest, &*longest),
            (&*longer, &*longest),
            ("", "unnamed_tool"),
        ] {
            let known = names(&[name]);
            assert_eq!(&*known.offered(&name.into()), offered, "{name}");
            let meant = known.meant(offered).map_or(offered, |name| name);
            assert_eq!(meant, name);
        }
        assert_eq!(fit_name(&"7".repeat(90).into()).len(), 64);
    }

    #[test]
    fn names_that_become_one_are_numbered_the_same_in_any_order() {
        let long = "c".repeat(80);
        let all = [
            "a.b",
            "a/b",
            "a_b",
            "a_b_2",
            "a b",
            &long,
            &"c".repeat(81),
            &"c".repeat(64),
        ];
        let mut turned = all;
        turned.reverse();
        let (one, other) = (names(&all), names(&turned));
        let mut offered = BTreeSet::new();
        for name in all {
            let name: Arc<str> = name.into();
            let given = one.offered(&name);
            assert_eq!(given, other.offered(&name));
            assert!(is_fit(&given), "{given}");
            assert_eq!(one.meant(&given).unwrap_or(&given), &name);
            offered.insert(given);
        }
        assert_eq!(offered.len(), all.len(), "{offered:?}");
        assert_eq!(&*one.offered(&"a_b".into()), "a_b");
        assert_eq!(&*one.offered(&"a b".into()), "a_b_3");
        assert_eq!(&*one.offered(&"a.b".into()), "a_b_4");
    }
}
