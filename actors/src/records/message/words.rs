//! By which words a message is known where a model's server refuses it (decision 341).

use std::borrow::Cow;
use std::sync::Arc;

use super::{CallRecord, Row, RowBody, Utterance};

/// The words of a message of the model: its text and the arguments of its calls.
pub fn own_words<'a>(text: &str, arguments: impl Iterator<Item = &'a str>) -> String {
    arguments.fold(text.to_string(), |words, arguments| {
        format!("{words}\n{arguments}")
    })
}

impl Row {
    /// The words by which the row is known: its text, of calls with their arguments.
    pub fn words(&self) -> Cow<'_, str> {
        match (&self.body, self.result()) {
            (RowBody::Call { utterance, calls }, _) => {
                let arguments = calls.iter().map(|call| &*call.arguments);
                own_words(&utterance.text, arguments).into()
            }
            (_, Some((_, text, meta))) => meta.own_part(text).into(),
            (_, None) => (&**self.text()).into(),
        }
    }

    /// The row with a sentence in the place of its words. Calls stay, so that each result has its own.
    pub fn with_sentence(&self, sentence: &str) -> Row {
        let mut row = self.clone();
        match &mut row.body {
            RowBody::Prompt { text }
            | RowBody::Mission { text, .. }
            | RowBody::Peer { text, .. }
            | RowBody::Note { text } => *text = sentence.into(),
            RowBody::Result { text, meta, .. } => {
                *text = sentence.into();
                meta.kept = None;
            }
            RowBody::Reply(utterance) => utterance.say(sentence),
            RowBody::Call { utterance, calls } => {
                utterance.say("");
                calls.iter_mut().for_each(CallRecord::empty);
            }
            RowBody::Host { .. } | RowBody::Audit { .. } | RowBody::Unknown { .. } => {}
        }
        row
    }
}

impl Utterance {
    fn say(&mut self, text: &str) {
        self.text = text.into();
        self.reasoning = None;
        Arc::make_mut(&mut self.meta).echo = None;
    }
}

impl CallRecord {
    fn empty(&mut self) {
        self.arguments = "{}".into();
    }
}
