//! Recalls together: all Myses of a swarm that starts ask at once for what they continue with. Several
//! are read on one connection, the small tables with one statement for all of these.
//!
//! Each answer leaves as soon as it is read, since a conversation may be long.

use parking_lot::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use actors::domain::books::Day;
use actors::domain::ids::{CallKey, MysisId, Seq};
use actors::domain::memo::Memos;
use actors::domain::message::RowKind;
use actors::domain::record::StoredHistory;
use actors::domain::samples::StoredSamples;
use sea_orm::prelude::Expr;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};
use tokio::sync::{Semaphore, oneshot};

use crate::LedgerInner;
use crate::answer_time::limited;
use crate::archive::RARE_KINDS_CONDITION;
use crate::connection::DialectConnection;
use crate::entity::{message, mysis, tool_call};
use crate::listed::padded;
use crate::members::{profile, totals};
use crate::readers::ReadTransaction;

const MAX_TOGETHER: usize = 16;
/// Whether a note was made after the operator cleared the notes.
const NOT_CLEARED_CONDITION: &str =
    "seq > (SELECT notes_after FROM mysis WHERE mysis.id = message.mysis_id)";

pub(crate) struct Recalls {
    /// The connections that may read it at the same time.
    places: Semaphore,
    waiting: Mutex<VecDeque<WaitingRecall>>,
}

struct WaitingRecall {
    mysis: MysisId,
    answer: oneshot::Sender<Result<StoredHistory, DbErr>>,
}

impl Recalls {
    pub(crate) fn new(places: usize) -> Recalls {
        Recalls {
            places: Semaphore::new(places),
            waiting: Mutex::default(),
        }
    }

    fn wait_for(&self, mysis: MysisId) -> oneshot::Receiver<Result<StoredHistory, DbErr>> {
        let (answer, answered) = oneshot::channel();
        self.waiting
            .lock()
            .push_back(WaitingRecall { mysis, answer });
        answered
    }

    /// Takes those that have waited longest, each Mysis once. Callers that are gone are forgotten.
    fn take_some(&self) -> VecDeque<WaitingRecall> {
        let mut waiting = self.waiting.lock();
        let mut taken: VecDeque<WaitingRecall> = VecDeque::new();
        while taken.len() < MAX_TOGETHER
            && let Some(next) = waiting.pop_front()
        {
            if next.answer.is_closed() {
                continue;
            }
            if taken.iter().any(|other| other.mysis == next.mysis) {
                waiting.push_front(next);
                break;
            }
            taken.push_back(next);
        }
        taken
    }
}

impl LedgerInner {
    pub(crate) async fn recall(&self, mysis: MysisId) -> Result<StoredHistory, DbErr> {
        loop {
            let mut answered = self.recalls.wait_for(mysis);
            let answer = loop {
                tokio::select! {
                    biased;
                    answer = &mut answered => break answer,
                    _place = self.recalls.places.acquire() => {
                        let mut some = self.recalls.take_some();
                        if some.is_empty() {
                            // Another task reads it.
                            break (&mut answered).await;
                        }
                        // A server that never answers must not keep the place.
                        let read = limited(self.dialect, self.read_together(&mut some));
                        if let Err(error) = read.await
                            && let Some(failed) = some.pop_front()
                        {
                            // A caller that is gone needs no answer.
                            let _ = failed.answer.send(Err(error));
                        }
                    }
                }
            };
            // One that waited behind another's failure asks again, as does one whose reader is gone.
            if let Ok(answer) = answer {
                return answer;
            }
        }
    }

    /// Reads and answers these one after the other. After a failure the first of those that are left
    /// is the one that failed.
    async fn read_together(&self, some: &mut VecDeque<WaitingRecall>) -> Result<(), DbErr> {
        let reader = self.readers.begin().await?;
        let myses = some.iter().map(|waiting| waiting.mysis);
        let small = reader.small_tables(&myses.collect::<Vec<_>>()).await;
        if small.is_err() && some.len() > 1 {
            return self.read_each(some).await;
        }
        let mut small = small?;
        while let Some(next) = some.front() {
            let history = reader.history(next.mysis, &mut small).await?;
            if let Some(next) = some.pop_front() {
                // A caller that is gone needs no answer.
                let _ = next.answer.send(Ok(history));
            }
        }
        reader.end().await
    }

    /// Reads each alone until one fails: what is stored of one cannot be read, which is no fault of
    /// the others. While one is read, also if that is given up, no other is among these.
    async fn read_each(&self, some: &mut VecDeque<WaitingRecall>) -> Result<(), DbErr> {
        while !some.is_empty() {
            let mut others = some.split_off(1);
            Box::pin(self.read_together(some)).await?;
            some.append(&mut others);
        }
        Ok(())
    }
}

struct SmallTables {
    records: BTreeMap<i64, mysis::Model>,
    notes: BTreeMap<i64, Vec<message::Model>>,
    memos: BTreeMap<i64, Memos>,
    tasks: BTreeMap<i64, BTreeMap<CallKey, Arc<str>>>,
    costs: (Day, BTreeMap<i64, u64>),
    missions: BTreeMap<i64, Arc<str>>,
}

impl DialectConnection<ReadTransaction> {
    async fn small_tables(&self, myses: &[MysisId]) -> Result<SmallTables, DbErr> {
        let ids = padded(myses.iter().map(|mysis| mysis.0));
        let records = mysis::Entity::find().filter(mysis::Column::Id.is_in(ids.clone()));
        let records: BTreeMap<i64, mysis::Model> = records
            .all(self)
            .await?
            .into_iter()
            .map(|record| (record.id, record))
            .collect();
        Ok(SmallTables {
            notes: self.recall_notes(&ids).await?,
            memos: self.memos(&ids, records.values()).await?,
            tasks: self.tasks(&ids).await?,
            costs: self.newest_costs(&ids).await?,
            missions: BTreeMap::new(),
            records,
        })
    }

    async fn history(
        &self,
        mysis: MysisId,
        small: &mut SmallTables,
    ) -> Result<StoredHistory, DbErr> {
        let (rows, last) = self.newest_rows(mysis).await?;
        let notes = small.notes.remove(&mysis.0).unwrap_or_default();
        let record = small.records.get(&mysis.0);
        let (day, costs) = &small.costs;
        let cost = (*day, costs.get(&mysis.0).copied().unwrap_or_default());
        Ok(StoredHistory {
            rows: self.complete_with(rows, &mut small.missions).await?,
            notes: self.complete_with(notes, &mut small.missions).await?,
            last,
            profile: record.map(profile),
            totals: record.map(totals),
            snapshots: self.snapshots(mysis).await?,
            memos: small.memos.remove(&mysis.0).unwrap_or_default(),
            samples: StoredSamples {
                hours: self.newest_hours(mysis).await?,
                cost,
            },
            tasks: small.tasks.remove(&mysis.0).unwrap_or_default(),
        })
    }
}

impl<C: ConnectionTrait + Send> DialectConnection<C> {
    async fn tasks(
        &self,
        myses: &[i64],
    ) -> Result<BTreeMap<i64, BTreeMap<CallKey, Arc<str>>>, DbErr> {
        let calls = tool_call::Entity::find()
            .filter(tool_call::Column::MysisId.is_in(myses.iter().copied()))
            .filter(tool_call::Column::Task.is_not_null())
            .all(self)
            .await?;
        let mut tasks: BTreeMap<i64, BTreeMap<CallKey, Arc<str>>> = BTreeMap::new();
        for call in calls {
            let (Ok(position), Some(task)) = (u16::try_from(call.position), call.task) else {
                continue;
            };
            let seq = Seq(call.seq);
            let of_mysis = tasks.entry(call.mysis_id).or_default();
            of_mysis.insert(CallKey { seq, position }, task.into());
        }
        Ok(tasks)
    }

    async fn recall_notes(
        &self,
        myses: &[i64],
    ) -> Result<BTreeMap<i64, Vec<message::Model>>, DbErr> {
        let all = message::Entity::find()
            .filter(message::Column::MysisId.is_in(myses.iter().copied()))
            .filter(Expr::cust(RARE_KINDS_CONDITION))
            .filter(message::Column::Kind.eq(RowKind::Note.as_str()))
            .filter(Expr::cust(NOT_CLEARED_CONDITION))
            .order_by_asc(message::Column::Seq)
            .all(self)
            .await?;
        let mut notes: BTreeMap<i64, Vec<message::Model>> = BTreeMap::new();
        for note in all {
            notes.entry(note.mysis_id).or_default().push(note);
        }
        Ok(notes)
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use tokio::sync::oneshot::error::TryRecvError;

    use super::*;
    use crate::SqlLedger;

    #[test]
    fn nothing_is_read_for_a_caller_that_is_gone() {
        let recalls = Recalls::new(1);
        let [one, two, again] = [1, 2, 1].map(|mysis| recalls.wait_for(MysisId(mysis)));
        drop(one);
        let taken = recalls.take_some();
        let taken = taken.iter().map(|waiting| waiting.mysis);
        assert_eq!(taken.collect::<Vec<_>>(), [MysisId(2), MysisId(1)]);
        drop((two, again));
        assert!(recalls.waiting.lock().is_empty());
    }

    #[tokio::test]
    async fn where_reading_each_alone_is_given_up_the_one_that_was_read_fails() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("zoea.db");
        let ledger = SqlLedger::open(&path).await.unwrap();
        let recalls = Recalls::new(1);
        let [one, two] = [1, 2].map(|mysis| recalls.wait_for(MysisId(mysis)));
        let mut some = recalls.take_some();
        // The time is up as soon as it waits for the database.
        let read = ledger.inner.read_each(&mut some).now_or_never();
        assert!(read.is_none());
        let left: Vec<MysisId> = some.iter().map(|waiting| waiting.mysis).collect();
        // The database may have answered the first one at once.
        let is_first = left == [MysisId(1)];
        assert!(is_first || left == [MysisId(2)], "{left:?}");
        let (mut read, other) = match is_first {
            true => (one, two),
            false => (two, one),
        };
        assert_eq!(read.try_recv().unwrap_err(), TryRecvError::Empty);
        assert_eq!(other.await.is_err(), is_first, "the second one asks again");
    }
}
