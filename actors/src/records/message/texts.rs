//! All texts of a row that came from outside, for all kinds in one place.

use std::sync::Arc;

use super::{RowBody, Utterance};

impl RowBody {
    /// Changes each text from outside, including ids and names.
    pub fn for_each_text(&mut self, mut change: impl FnMut(&mut Arc<str>)) {
        match self {
            RowBody::Prompt { text }
            | RowBody::Mission { id: _, text }
            | RowBody::Note { text }
            | RowBody::Host { text, meta: _ }
            | RowBody::Audit { text } => change(text),
            RowBody::Peer { sender: name, text } | RowBody::Unknown { kind: name, text } => {
                [name, text].into_iter().for_each(change);
            }
            RowBody::Reply(utterance) => utterance.for_each_text(change),
            RowBody::Call { utterance, calls } => {
                for call in calls {
                    let texts = [&mut call.id, &mut call.name, &mut call.arguments];
                    texts
                        .into_iter()
                        .chain(&mut call.routine)
                        .for_each(&mut change);
                }
                utterance.for_each_text(change);
            }
            RowBody::Result {
                call: _,
                text,
                meta,
            } => {
                [text, &mut meta.call_id, &mut meta.tool]
                    .into_iter()
                    .for_each(change);
            }
        }
    }
}

impl Utterance {
    fn for_each_text(&mut self, mut change: impl FnMut(&mut Arc<str>)) {
        let meta = Arc::make_mut(&mut self.meta);
        let texts = [&mut self.text, &mut meta.model].into_iter();
        let texts = texts
            .chain(&mut self.reasoning)
            .chain(&mut meta.finish_reason);
        texts.for_each(&mut change);
        if let Some(echo) = &mut meta.echo {
            Arc::make_mut(echo).for_each_text(change);
        }
    }
}
