//! The tables as sea-orm sees them: rows of the database, not of the domain.

pub(super) mod account;
pub(super) mod event;
pub(super) mod held_text;
pub(super) mod indexed;
pub(super) mod kept_session;
pub(super) mod lease;
pub(super) mod memo;
pub(super) mod message;
pub(super) mod mission;
pub(super) mod mysis;
pub(super) mod removed;
pub(super) mod routine;
pub(super) mod sample;
pub(super) mod sample_hour;
pub(super) mod sighting;
pub(super) mod spared;
pub(super) mod spending;
pub(super) mod tool_call;
pub(super) mod watch;

use sea_orm::entity::prelude::*;

/// The relations that a table has by itself: none. A join names its columns.
#[derive(Clone, Copy, Debug, EnumIter, DeriveRelation)]
pub(crate) enum Relation {}
