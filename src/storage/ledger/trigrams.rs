//! The trigrams of the search index: how texts are indexed, and how queries are written.
//!
//! The index contains every three consecutive characters of a text in lower case. A row with all
//! trigrams of a needle may contain the needle. Reading the row decides.

use std::collections::BTreeSet;

use actors::domain::ids::MysisId;

/// Follows every text, so that a needle of one or two characters at the very end also begins a
/// trigram.
pub(super) const TEXT_END: &str = "\u{e000}\u{e000}";

/// The most trigrams of one query. More of them would not narrow it further.
const MAX_TRIGRAMS: usize = 24;

/// The number of private-use characters for owners. Three of them stand for a Mysis.
const OWNER_LETTER_COUNT: u64 = 6144;
const FIRST_OWNER_LETTER: u32 = 0xe100;

/// A text in lower case. Each character is converted by itself, so that a part of a text becomes a
/// part of the converted text.
pub(super) fn small(text: &str) -> String {
    if text.is_ascii() && !text.contains('\0') {
        return text.to_ascii_lowercase();
    }
    // The index does not store NUL.
    text.chars()
        .map(|c| match c {
            '\0' => char::REPLACEMENT_CHARACTER,
            // The final sigma is the same letter as the sigma within a word.
            'ς' => 'σ',
            other => other,
        })
        .flat_map(char::to_lowercase)
        .collect()
}

/// Three characters that stand for a Mysis. Two Myses may share them, because they only narrow a
/// search.
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

/// The index query for a lower-case needle; `None` if it has fewer than three characters.
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
    Some(joined(&terms, " AND "))
}

/// A query for any of these terms, and for a Mysis if one is given.
pub(super) fn any_of(terms: &[String], mysis: Option<MysisId>) -> String {
    let any = joined(terms, " OR ");
    match mysis {
        Some(mysis) => format!("{} AND ({any})", quoted(&owner(mysis))),
        None => any,
    }
}

/// A `LIKE` pattern for texts that contain the needle, with each of its characters taken literally.
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

fn joined(terms: &[String], word: &str) -> String {
    let terms: Vec<String> = terms.iter().map(|term| quoted(term)).collect();
    terms.join(word)
}

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
