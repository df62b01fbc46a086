//! Orders that are held back. No memory cuts an order, so that it is the same letter for letter only: one that the
//! operator wrote anew is another one, however much of it stayed.

use std::sync::Arc;

use crate::message::{Row, RowKind};

use super::naming::hash_of;
use super::{HeldText, HeldTexts, KEY_BYTES, Recipient};

/// Whether a row holds what somebody wrote to the Mysis, which stays whole in memory.
pub fn is_order(row: &Row) -> bool {
    match row.kind() {
        Some(RowKind::Prompt | RowKind::Mission | RowKind::Peer | RowKind::Note) => true,
        Some(RowKind::Reply | RowKind::Call | RowKind::Result | RowKind::Host | RowKind::Audit)
        | None => false,
    }
}

/// By which an order is known: behind the beginning of a long one stand its length and a hash of it.
fn order_key(text: &str) -> Arc<str> {
    let key = HeldText::key(text);
    if key.len() == text.len() {
        return key;
    }
    let hash = hash_of(text.bytes());
    format!("{key}\n[{} bytes, {hash:016x}]", text.len()).into()
}

impl HeldText {
    /// By which the words of a row are known.
    pub fn key_of(row: &Row) -> Arc<str> {
        match is_order(row) {
            true => order_key(row.text()),
            false => HeldText::key(&row.words()),
        }
    }

    /// Whether this is the whole text of an order, or its key.
    pub fn is_order(&self, text: &str) -> bool {
        let beginning = &text[..text.floor_char_boundary(KEY_BYTES)];
        *self.text == *text || (self.text.starts_with(beginning) && *self.text == *order_key(text))
    }

    /// Whether these are the words of a row, which may be cut if it is no order.
    pub fn is_row(&self, row: &Row) -> bool {
        match is_order(row) {
            true => self.is_order(row.text()),
            false => self.is(&row.words()),
        }
    }
}

impl HeldTexts {
    /// The text of an order that is held back from this recipient; `None` if this one is not.
    pub fn find_order(&self, whom: &Recipient, text: &str) -> Option<&Arc<HeldText>> {
        self.texts_from(whom).find(|held| held.is_order(text))
    }

    /// What is held back from this recipient of a row; `None` if that is not.
    pub fn find_row(&self, whom: &Recipient, row: &Row) -> Option<&Arc<HeldText>> {
        self.texts_from(whom).find(|held| held.is_row(row))
    }
}

#[cfg(test)]
mod tests {
    use super::super::naming::text_hash;
    use super::super::test_texts::{held_text, result_row, row};
    use super::*;
    use crate::ids::MysisId;
    use crate::message::RowBody;

    fn order(text: &str) -> Row {
        row(RowBody::Prompt { text: text.into() })
    }

    fn held(row: &Row) -> HeldText {
        held_text(HeldText::key_of(row))
    }

    #[test]
    fn an_order_is_known_letter_for_letter_and_a_result_by_its_beginning() {
        for letter in ["x", "é", "採", "🚀"] {
            for count in [200, 20_000] {
                let begun = letter.repeat(count);
                let refused = format!("{begun} POISON");
                let of_order = held(&order(&refused));
                assert!(of_order.is_row(&order(&refused)) && of_order.is_order(&of_order.text));
                let anew = [
                    begun.clone(),
                    format!("{begun} NOTHIN"),
                    format!("{refused}."),
                ];
                for text in anew {
                    assert!(!of_order.is_row(&order(&text)), "{count} of {letter}");
                }
                // Memory cuts results, also where the whole one was held back, or a part.
                let cut = &refused[..refused.floor_char_boundary(190 + letter.len())];
                assert!(held(&result_row(&refused)).is_row(&result_row(cut)));
                assert!(held(&result_row(cut)).is_row(&result_row(&refused)));
                assert!(!held(&result_row(cut)).is_row(&order(&refused)));
                // Trials and what quotes it know it by its own words.
                assert_eq!(text_hash(&of_order.text), text_hash(&refused));
                assert!(of_order.is_within(&format!("they say {refused}")));
            }
        }
    }

    #[test]
    fn what_is_found_for_a_row_is_what_its_kind_asks_for() {
        let begun = "mine and sell. ".repeat(20);
        let refused = format!("{begun}POISON");
        let mut texts = HeldTexts::default();
        texts.hold(Arc::new(held(&order(&refused))));
        let whom = Recipient {
            provider: "p".into(),
            model: "m".into(),
            mysis: MysisId(2),
        };
        let finds = |row: &Row| texts.find_row(&whom, row).is_some();
        assert!(finds(&order(&refused)) && !finds(&order(&begun)));
        assert!(finds(&result_row(&begun)), "a result may be a part of it");
        assert!(texts.find_order(&whom, &begun).is_none());
        let other = Recipient {
            model: "n".into(),
            ..whom.clone()
        };
        assert!(texts.find_row(&other, &order(&refused)).is_none());
    }
}
