//! A text that is held back, and rows whose texts may be, for tests.

use std::sync::Arc;

use crate::game::GameRef;
use crate::ids::{CallKey, MysisId, Seq, Timestamp, TurnNumber};
use crate::message::{CallStatus, ResultMeta, Row, RowBody};

use super::{HeldKind, HeldText};

/// A text with this key.
pub(crate) fn held_text(key: Arc<str>) -> HeldText {
    HeldText {
        kind: HeldKind::Text,
        provider: "p".into(),
        model: "m".into(),
        text: key,
        mysis: MysisId(1),
        seq: Seq(1),
        is_local: false,
        said: "HTTP 400".into(),
        proof: "".into(),
        at: Timestamp(0),
        doubted_at: Timestamp(0),
    }
}

pub(crate) fn row(body: RowBody) -> Row {
    Row {
        seq: Seq(2),
        at: Timestamp(0),
        turn: TurnNumber(1),
        body,
    }
}

pub(crate) fn result_row(text: &str) -> Row {
    row(RowBody::Result {
        call: CallKey {
            seq: Seq(1),
            position: 0,
        },
        text: text.into(),
        meta: ResultMeta {
            call_id: "a".into(),
            tool: "look".into(),
            status: CallStatus::Done,
            ms: None,
            tick: None,
            bytes: text.len() as u64,
            game: GameRef::AnyTools,
            kept: None,
        },
    })
}
