//! All Myses of the database, whichever process runs them: what exports and reports are about.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::bounds;
use actors::domain::fault::{MysisFault, MysisFaultKind};
use actors::domain::ids::{Incarnation, MysisId, Timestamp};
use actors::domain::record::{MysisProfile, MysisRecord};
use actors::domain::state::{LifeState, Totals};
use actors::ports::{ArchiveFault, MysisNames};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select,
    SelectExt,
};

use super::entity::{account, mysis};
use super::fault::archive_fault;
use super::{LedgerInner, SqlLedger};

impl SqlLedger {
    /// All Myses, oldest first.
    pub(crate) async fn all_myses(&self) -> Result<Vec<MysisRecord>, ArchiveFault> {
        let (myses, _) = self.inner.all_myses().await.map_err(archive_fault)?;
        Ok(myses)
    }

    /// The Mysis with this name.
    pub async fn find_mysis(&self, name: &str) -> Result<Option<MysisId>, ArchiveFault> {
        let found: Result<Option<i64>, DbErr> = mysis::Entity::find()
            .select_only()
            .column(mysis::Column::Id)
            .filter(mysis::Column::Name.eq(name))
            .into_tuple()
            .one(&self.inner.readers)
            .await;
        Ok(found.map_err(archive_fault)?.map(MysisId))
    }

    /// Whether a Mysis exists.
    pub(crate) async fn has_mysis(&self, mysis: MysisId) -> Result<bool, ArchiveFault> {
        let found = mysis::Entity::find_by_id(mysis.0);
        let found = found.exists(&self.inner.readers).await;
        found.map_err(archive_fault)
    }
}

impl LedgerInner {
    /// All Myses, oldest first, and the passwords of all game accounts.
    pub(super) async fn all_myses(&self) -> Result<(Vec<MysisRecord>, Vec<Arc<str>>), DbErr> {
        let myses = mysis::Entity::find()
            .order_by_asc(mysis::Column::CreatedAt)
            .order_by_asc(mysis::Column::Name);
        read_records(&self.readers, myses, account::Entity::find()).await
    }
}

/// Myses as they are stored, with the names of their game accounts, and the passwords of these accounts.
pub(super) async fn read_records(
    connection: &impl ConnectionTrait,
    myses: Select<mysis::Entity>,
    accounts: Select<account::Entity>,
) -> Result<(Vec<MysisRecord>, Vec<Arc<str>>), DbErr> {
    let accounts = accounts.all(connection).await?;
    let owned = accounts.iter().filter_map(|account| {
        let name: Arc<str> = account.username.as_str().into();
        Some((account.assigned_to?, name))
    });
    let owned: BTreeMap<i64, Arc<str>> = owned.collect();
    let myses = myses.all(connection).await?.into_iter().map(|model| {
        let account = owned.get(&model.id).cloned();
        record(model, account)
    });
    let passwords = accounts.iter().map(|account| account.password.as_str());
    Ok((myses.collect(), passwords.map(Into::into).collect()))
}

pub(super) async fn names_of(connection: &impl ConnectionTrait) -> Result<MysisNames, DbErr> {
    let names: Vec<(i64, String)> = mysis::Entity::find()
        .select_only()
        .columns([mysis::Column::Id, mysis::Column::Name])
        .into_tuple()
        .all(connection)
        .await?;
    let names = names.into_iter();
    Ok(names.map(|(id, name)| (MysisId(id), name.into())).collect())
}

pub(super) fn totals(model: &mysis::Model) -> Totals {
    let counted = |value: i64| match u64::try_from(value) {
        Ok(value) if value <= bounds::MAX_SUM => value,
        Ok(_) | Err(_) => 0,
    };
    Totals {
        turns: counted(model.turns),
        tokens_in: counted(model.tokens_in),
        tokens_out: counted(model.tokens_out),
        cost_micros: counted(model.cost_micros),
    }
}

fn record(model: mysis::Model, account: Option<Arc<str>>) -> MysisRecord {
    let (profile, totals) = (profile(&model), totals(&model));
    let kind = model.fault_kind.as_deref().and_then(MysisFaultKind::parse);
    let fault = kind.zip(model.fault_at).zip(model.fault_text.clone());
    let fault = fault.map(|((kind, at), text)| MysisFault {
        kind,
        text: text.into(),
        at: Timestamp(at),
    });
    // What is not understood stands still, and says so.
    let (state, reason) = match LifeState::parse(&model.state) {
        Some(state) => {
            let text = model.fault_text.filter(|_| fault.is_none());
            (state, model.reason.or(text))
        }
        None => {
            let why = format!("its stored state `{}` is not understood", model.state);
            (LifeState::Errored, Some(why))
        }
    };
    MysisRecord {
        id: MysisId(model.id),
        profile,
        state,
        reason: reason.map(Into::into),
        fault,
        is_called: model.is_called,
        incarnation: Incarnation(model.incarnation),
        totals,
        account,
        created_at: Timestamp(model.created_at),
    }
}

pub(super) fn profile(model: &mysis::Model) -> MysisProfile {
    MysisProfile {
        name: model.name.as_str().into(),
        provider: model.provider.as_str().into(),
        model: model.model.as_deref().map(Into::into),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it was an f32 when it was written"
        )]
        temperature: model.temperature.map(|value| value as f32),
        role: model.role.as_deref().map(Into::into),
        follows_role: model.follows_role,
    }
}
