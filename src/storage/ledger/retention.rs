//! Retention: removes old rows in small pieces behind the commits (decision 90).
//!
//! A row is removed if it is old and no request, order or call needs it. A piece is a transaction
//! of some milliseconds. It removes rows, their calls and their index entries together, so that a
//! kill leaves nothing half done. The next round finds the remaining rows.

mod piece;

use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use actors::domain::ids::{Moment, MysisId, Seq, Timestamp};
use actors::ports::{ArchiveFault, Clock};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::answer_time::limited;
use super::books::counted;
use super::entity::{message, removed, sighting, tool_call};
use super::fault::archive_fault;
use super::index::Renewal;
use super::members::names_of;
use super::removals::note_removal;
use super::write_lock::WriteLock;
use super::{LedgerInner, SqlLedger, index, snapshots};

use piece::{NeededRows, PieceLimits, RemovalPiece};

/// How often it is checked whether a round is due while nothing is written.
pub(super) const CHECK_INTERVAL: Duration = Duration::from_secs(60);
const ROUND_PAUSE: Duration = Duration::from_secs(600);
/// The newest rows of a conversation that stay at any age. They are far more than a request can
/// contain.
pub(super) const LEAST: i64 = 512;

/// The limits of a conversation. A row is removed if it exceeds either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetentionLimits {
    /// The greatest age of a row; `None` for any.
    pub age: Option<Duration>,
    /// The greatest number of rows; `None` for any.
    pub rows: Option<u64>,
}

impl RetentionLimits {
    fn is_all(self) -> bool {
        self.age.is_none() && self.rows.is_none()
    }
}

pub(super) struct Retention {
    keep: RetentionLimits,
    clock: Arc<dyn Clock>,
    /// The time of the newest row when the first round began, and the monotonic time of that
    /// moment.
    begun: OnceLock<(Timestamp, Moment)>,
    round: Mutex<RetentionRound>,
}

#[derive(Default)]
struct RetentionRound {
    next: Moment,
    /// The Myses that are still to be visited.
    myses: VecDeque<MysisId>,
    /// The row up to which the first of them has been checked.
    after: Seq,
    needed: Option<NeededRows>,
    /// The step of rebuilding the index that follows the last Mysis.
    renewal: Option<Renewal>,
}

impl Retention {
    fn is_due(&self) -> bool {
        let round = self.round.lock();
        let is_under_way = !round.myses.is_empty() || round.renewal.is_some();
        is_under_way || self.clock.moment() >= round.next
    }

    fn piece_limits(&self) -> PieceLimits {
        // The round is late if the next one should have begun.
        let is_late = self.clock.moment() >= self.round.lock().next;
        if is_late {
            PieceLimits::LARGE
        } else {
            PieceLimits::USUAL
        }
    }

    fn next_position(&self) -> Option<(MysisId, Seq)> {
        let round = self.round.lock();
        let mysis = round.myses.front()?;
        Some((*mysis, round.after))
    }

    fn next_mysis(&self) {
        let mut round = self.round.lock();
        round.myses.pop_front();
        round.after = Seq::default();
        round.needed = None;
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HistoryReach {
    pub removed: u64,
    /// The time of the newest removed row; `None` if none was removed.
    pub before: Option<Timestamp>,
}

impl SqlLedger {
    /// Sets the limits for conversations. Only the first call has an effect.
    pub fn set_retention(&self, keep: RetentionLimits, clock: Arc<dyn Clock>) {
        let retention = Retention {
            keep,
            clock,
            begun: OnceLock::new(),
            round: Mutex::default(),
        };
        // The first limits remain until the ledger is closed.
        let _ = self.inner.retention.set(retention);
    }

    /// How far back the conversation of one Mysis reaches, or those of all.
    pub async fn reach(&self, mysis: Option<MysisId>) -> Result<HistoryReach, ArchiveFault> {
        let reach = self.inner.reach(mysis).await;
        reach.map_err(archive_fault)
    }
}

impl LedgerInner {
    pub(super) fn is_removal_due(&self) -> bool {
        self.retention.get().is_some_and(Retention::is_due)
    }

    /// Removes the next old rows. If that fails, the next round tries again.
    pub(super) async fn remove_old(&self) {
        let Some(retention) = self.retention.get() else {
            return;
        };
        if let Err(error) = limited(self.dialect, self.removal_step(retention)).await {
            tracing::warn!(%error, "failed to remove old rows");
            retention.next_mysis();
            retention.round.lock().renewal = None;
        }
    }

    async fn removal_step(&self, retention: &Retention) -> Result<(), DbErr> {
        let now = self.reference_time(retention).await?;
        let Some((mysis, after)) = retention.next_position() else {
            let renewal = retention.round.lock().renewal;
            if let Some(piece) = renewal {
                let has_more = self.renew_index(piece).await?;
                retention.round.lock().renewal = has_more.then_some(Renewal::Next);
                return Ok(());
            }
            retention.round.lock().next = retention.clock.moment().plus(ROUND_PAUSE);
            let mut myses = self.own_myses().await?;
            myses.extend(self.deleted_with_samples().await?);
            retention.round.lock().myses = myses;
            return Ok(());
        };
        if self.thin_samples(mysis, now).await? {
            return Ok(());
        }
        if retention.keep.is_all() {
            retention.next_mysis();
            return Ok(());
        }
        let size = retention.piece_limits();
        let known = retention.round.lock().needed;
        let needed = match known {
            Some(needed) => needed,
            None => self.find_needed(mysis).await?,
        };
        retention.round.lock().needed = Some(needed);
        let piece = self.old_piece(retention.keep, mysis, (after, needed), (now, size));
        let Some(piece) = piece.await? else {
            self.forget_unreachable(mysis).await?;
            retention.next_mysis();
            let is_last = retention.next_position().is_none();
            if is_last && self.is_index_worn().await? {
                retention.round.lock().renewal = Some(Renewal::First);
            }
            return Ok(());
        };
        if !piece.rows.is_empty() {
            self.remove_rows(mysis, &piece).await?;
        }
        retention.round.lock().after = piece.upto;
        Ok(())
    }

    /// The time from which the age of rows is counted. It is the wall clock's time, but never later
    /// than the newest row at the first round plus the monotonic time since then. So no row becomes
    /// old because the wall clock was set years ahead (decision 90).
    async fn reference_time(&self, retention: &Retention) -> Result<Timestamp, DbErr> {
        let now = retention.clock.both_clocks();
        let (newest, since) = match retention.begun.get() {
            Some(begun) => *begun,
            None => {
                let newest: Option<i64> = message::Entity::find()
                    .order_by_desc(message::Column::Id)
                    .select_only()
                    .column(message::Column::At)
                    .into_tuple()
                    .one(&self.readers)
                    .await?;
                let newest = newest.map_or(now.wall, Timestamp);
                *retention.begun.get_or_init(|| (newest, now.moment))
            }
        };
        let known = newest.plus(now.moment.since(since));
        Ok(now.wall.min(known))
    }

    async fn own_myses(&self) -> Result<VecDeque<MysisId>, DbErr> {
        let others = self.held_by_others().await?;
        let is_ours = |mysis: &MysisId| others.iter().all(|(other, _)| other != mysis);
        let names = names_of(&self.readers).await?.into_iter();
        let mut myses: Vec<MysisId> = names.map(|(mysis, _)| mysis).filter(is_ours).collect();
        myses.sort_unstable();
        Ok(myses.into())
    }

    /// Removes rows with their calls and index entries in one transaction.
    async fn remove_rows(&self, mysis: MysisId, piece: &RemovalPiece) -> Result<(), DbErr> {
        // A file has no index from a call to its results, so each foreign key check would read the
        // whole conversation. Results are removed together with their calls, so no reference is
        // left dangling.
        let tx = self.begin_without_foreign_keys(mysis).await?;
        let upto = self.indexed_upto().await?;
        index::forget_rows(&tx, &piece.rows, upto).await?;
        let ids = piece.rows.iter().map(|row| row.id);
        message::Entity::delete_many()
            .filter(message::Column::Id.is_in(ids))
            .exec(&tx)
            .await?;
        tool_call::Entity::delete_many()
            .filter(tool_call::Column::MysisId.eq(mysis.0))
            .filter(tool_call::Column::Seq.is_in(piece.callers.iter().copied()))
            .exec(&tx)
            .await?;
        let newest = |of: fn(&message::Model) -> i64| piece.rows.iter().map(of).max().unwrap_or(0);
        let noted = removed::Model {
            mysis_id: mysis.0,
            count: i64::try_from(piece.rows.len()).unwrap_or(i64::MAX),
            upto: newest(|row| row.seq),
            at: newest(|row| row.at),
        };
        note_removal(&tx, noted).await?;
        tx.commit().await
    }

    /// Removes snapshots that no Mysis will recall.
    async fn forget_unreachable(&self, mysis: MysisId) -> Result<(), DbErr> {
        let oldest: Option<i64> = sighting::Entity::find()
            .filter(sighting::Column::MysisId.eq(mysis.0))
            .order_by_desc(sighting::Column::At)
            .offset(snapshots::MAX_RECALLED_SIGHTINGS)
            .select_only()
            .column(sighting::Column::At)
            .into_tuple()
            .one(&self.readers)
            .await?;
        let Some(oldest) = oldest else {
            return Ok(());
        };
        let tx = self.begin_for(mysis, WriteLock::Own).await?;
        sighting::Entity::delete_many()
            .filter(sighting::Column::MysisId.eq(mysis.0))
            .filter(sighting::Column::At.lt(oldest))
            .exec(&tx)
            .await?;
        tx.commit().await
    }

    pub(super) async fn reach(&self, mysis: Option<MysisId>) -> Result<HistoryReach, DbErr> {
        let mut noted = removed::Entity::find();
        if let Some(mysis) = mysis {
            noted = noted.filter(removed::Column::MysisId.eq(mysis.0));
        }
        let noted = noted.all(&self.readers).await?;
        Ok(HistoryReach {
            removed: noted.iter().map(|model| counted(model.count)).sum(),
            before: noted.iter().map(|model| Timestamp(model.at)).max(),
        })
    }
}
