//! Letters: how a text is written down for the index, and what the index is asked for.
//!
//! The index holds every three letters in a row, small. A row that has all of a needle's may hold
//! the needle; whether it does is seen by looking.

use std::collections::BTreeSet;

use actors::domain::ids::MysisId;

/// Stands behind every text, so that a needle of one or two letters at its very end begins a
/// trigram, too.
pub(super) const TEXT_END: &str = "\u{e000}\u{e000}";

/// The most trigrams that the index is asked for at once; more would not tell more.
const MAX_TRIGRAMS: usize = 24;

/// Letters of the private use area that stand for a Mysis: three of so many.
const OWNER_LETTER_COUNT: u64 = 6144;
const FIRST_OWNER_LETTER: u32 = 0xe100;

/// A text without capital letters. Each letter becomes small by itself, whatever stands beside it,
/// so that a piece of a text becomes a piece of the small text.
pub(super) fn small(text: &str) -> String {
    if text.is_ascii() && !text.contains('\0') {
        return text.to_ascii_lowercase();
    }
    // The index knows no NUL.
    text.chars()
        .map(|c| match c {
            '\0' => char::REPLACEMENT_CHARACTER,
            // The small sigma at a word's end is the same letter.
            'ς' => 'σ',
            other => other,
        })
        .flat_map(char::to_lowercase)
        .collect()
}

/// Three letters that stand for a Mysis. Two Myses may share them: they narrow a search and decide
/// nothing.
pub(super) fn owner(mysis: MysisId) -> String {
    let mut rest = mysis.0.unsigned_abs();
    (0..3)
        .filter_map(|_| {
            let letter = u32::try_from(rest % OWNER_LETTER_COUNT).ok()?;
            rest /= OWNER_LETTER_COUNT;
            char::from_u32(FIRST_OWNER_LETTER + letter)
        })
        .collect()
}

/// What the index is asked for a small needle; `None` where it is shorter than three letters.
pub(super) fn question(needle: &str, mysis: Option<MysisId>) -> Option<String> {
    let letters: Vec<char> = needle.chars().collect();
    if letters.len() < 3 {
        return None;
    }
    let trigrams: BTreeSet<String> = letters
        .windows(3)
        .map(|three| three.iter().collect())
        .collect();
    let step = trigrams.len().div_ceil(MAX_TRIGRAMS);
    let mut terms: Vec<String> = mysis.map(owner).into_iter().collect();
    terms.extend(trigrams.into_iter().step_by(step));
    Some(all_of(&terms))
}

/// Asks for any of these terms, and for a Mysis if one is given.
pub(super) fn any_of(terms: &[String], mysis: Option<MysisId>) -> String {
    let any = terms
        .iter()
        .map(|term| quoted(term))
        .collect::<Vec<_>>()
        .join(" OR ");
    match mysis {
        Some(mysis) => format!("{} AND ({any})", quoted(&owner(mysis))),
        None => any,
    }
}

/// What a search by `LIKE` is asked for: a text that holds the needle, every letter of which means
/// itself.
pub(super) fn pattern(needle: &str) -> String {
    let mut pattern = String::with_capacity(needle.len() + 2);
    pattern.push('%');
    for letter in needle.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

fn all_of(terms: &[String]) -> String {
    terms
        .iter()
        .map(|term| quoted(term))
        .collect::<Vec<_>>()
        .join(" AND ")
}

/// Between quotes every letter means itself.
fn quoted(term: &str) -> String {
    format!("\"{}\"", term.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_piece_of_a_text_becomes_a_piece_of_the_small_text(before in ".*", piece in ".*", after in ".*") {
            let whole = format!("{before}{piece}{after}");
            prop_assert!(small(&whole).contains(&small(&piece)));
        }
    }

    #[test]
    fn capital_letters_and_nul_become_small_whatever_stands_beside_them() {
        assert_eq!(small("ΟΔΟΣ Σ\0É"), "οδοσ σ\u{fffd}é");
    }

    #[test]
    fn every_byte_of_a_needle_means_itself() {
        let asked = question("\"a* or", None).unwrap();
        assert_eq!(asked, r#"" or" AND """a*" AND "* o" AND "a* ""#);
        assert_eq!(question("ab", None), None);
        let long: String = ('a'..='z').chain('0'..='9').collect();
        assert!(
            question(&long, Some(MysisId(7)))
                .unwrap()
                .matches(" AND ")
                .count()
                <= MAX_TRIGRAMS
        );
    }

    #[test]
    fn every_letter_of_a_pattern_means_itself() {
        assert_eq!(pattern(r"100% a_b \"), r"%100\% a\_b \\%");
    }

    #[test]
    fn a_mysis_is_three_letters() {
        for id in [0, 1, -5, i64::MAX, i64::MIN] {
            assert_eq!(owner(MysisId(id)).chars().count(), 3);
        }
    }
}
