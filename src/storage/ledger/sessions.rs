//! Kept sessions: the last game session of each Mysis, to be resumed after a restart.

use actors::domain::ids::MysisId;
use actors::domain::record::SavedSession;
use sea_orm::ActiveValue::Set;
use sea_orm::{DbErr, EntityTrait};

use super::LedgerInner;
use super::entity::kept_session;
use super::writer::Tx;

/// Stores a session in place of the one before, or removes it.
pub(super) async fn save_session(
    tx: &Tx,
    mysis: MysisId,
    session: Option<&SavedSession>,
) -> Result<(), DbErr> {
    let Some(session) = session else {
        let removed = kept_session::Entity::delete_by_id(mysis.0).exec(tx);
        return removed.await.map(drop);
    };
    tx.replace_later(kept_session::ActiveModel {
        mysis_id: Set(mysis.0),
        ticket: Set(session.resume_token.to_string()),
        account: Set(session.account.as_deref().map(str::to_string)),
    })
    .await
}

impl LedgerInner {
    pub(super) async fn session(&self, mysis: MysisId) -> Result<Option<SavedSession>, DbErr> {
        let found = kept_session::Entity::find_by_id(mysis.0)
            .one(&self.readers)
            .await?;
        Ok(found.map(|model| SavedSession {
            resume_token: model.ticket.into(),
            account: model.account.map(Into::into),
        }))
    }
}
