//! The stored swarm, and the effect of each write on it.

mod recalling;
mod shared;

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::books::{BudgetUse, CostEntry, Day, SavedCalls};
use actors::domain::held::HeldTexts;
use actors::domain::ids::{CallKey, MysisId, Seq, Timestamp};
use actors::domain::memo::Memos;
use actors::domain::message::{CallStatus, Row, RowBody};
use actors::domain::record::{GameAccount, Mission, MysisRecord, NewMysis, SavedSession};
use actors::domain::routine::saves_a_call;
use actors::domain::samples::StoredSamples;
use actors::domain::write::{Author, Batch, Write};
use actors::ports::{
    LedgerFault, PageFrom, PageQuery, ResultPiece, ResultQuery, SearchQuery, SwarmRecord,
};

use super::super::seen::SeenSnapshots;
use super::super::verdict::InvariantMonitor;
use super::CommitRules;

#[derive(Clone, Default)]
pub(crate) struct StoredSwarm {
    pub(super) myses: BTreeMap<MysisId, StoredMysis>,
    pub(super) mission: Option<Mission>,
    pub(super) accounts: Vec<(GameAccount, Option<MysisId>)>,
    pub(super) prompts: BTreeMap<Arc<str>, u64>,
    books: BTreeMap<(Day, MysisId, Arc<str>), BudgetUse>,
    pub(super) held: HeldTexts,
    /// Calls that routines made in the models' place.
    spared: BTreeMap<(Day, MysisId), u64>,
}

#[derive(Clone)]
pub(super) struct StoredMysis {
    record: MysisRecord,
    rows: BTreeMap<Seq, Arc<Row>>,
    /// No row before this one is a step of a routine.
    no_steps_before: Seq,
    last: Seq,
    notes_after: Seq,
    seen: SeenSnapshots,
    pub(super) session: Option<SavedSession>,
    memos: Memos,
    samples: StoredSamples,
    tasks: BTreeMap<CallKey, Arc<str>>,
}

impl StoredSwarm {
    pub(super) fn swarm_record(&self) -> SwarmRecord {
        let myses = self.myses.values().map(|member| {
            let account = self.account_of(member.record.id);
            MysisRecord {
                account: account.map(|account| account.username),
                ..member.record.clone()
            }
        });
        let passwords = self.accounts.iter();
        SwarmRecord {
            myses: myses.collect(),
            mission: self.mission.clone(),
            passwords: passwords
                .map(|(account, _)| account.password.clone())
                .collect(),
            books: self.newest_books(),
        }
    }

    fn newest_books(&self) -> Vec<CostEntry> {
        let newest = self.books.keys().map(|(day, ..)| *day).max();
        newest.map(|day| self.books_since(day)).unwrap_or_default()
    }

    /// The token use from a day on.
    pub(crate) fn books_since(&self, since: Day) -> Vec<CostEntry> {
        let lines = self.books.iter().filter(|((day, ..), _)| *day >= since);
        lines
            .map(|((day, mysis, provider), spent)| CostEntry {
                day: *day,
                mysis: *mysis,
                provider: provider.clone(),
                spent: *spent,
            })
            .collect()
    }

    pub(super) fn saved_since(&self, since: Day) -> Vec<SavedCalls> {
        let lines = self.spared.range((since, MysisId(i64::MIN))..);
        lines
            .map(|((day, mysis), calls)| SavedCalls {
                day: *day,
                mysis: *mysis,
                calls: *calls,
            })
            .collect()
    }

    pub(super) fn account_of(&self, mysis: MysisId) -> Option<GameAccount> {
        let found = self.accounts.iter().find(|(_, of)| *of == Some(mysis));
        found.map(|(account, _)| account.clone())
    }

    pub(super) fn commit_batch(
        &mut self,
        batch: &Batch,
        rules: &dyn CommitRules,
        watch: &InvariantMonitor,
    ) -> Result<(), LedgerFault> {
        let batch = rules.admit(self, batch)?;
        self.check_batch(&batch)?;
        for write in &batch.writes {
            self.apply_write(write, watch);
        }
        rules.complete(self, &batch);
        Ok(())
    }

    pub(super) fn check_fence(&self, batch: &Batch) -> Result<(), LedgerFault> {
        let Author::Mysis(mysis, incarnation) = batch.author else {
            return Ok(());
        };
        let newest = self.myses.get(&mysis).map(|m| m.record.incarnation);
        match newest.is_some_and(|newest| newest > incarnation) {
            true => Err(LedgerFault::Fenced),
            false => Ok(()),
        }
    }

    /// Checks that a row which exists already is the same row.
    fn check_batch(&self, batch: &Batch) -> Result<(), LedgerFault> {
        for write in &batch.writes {
            let Write::Append { mysis, row } = write else {
                continue;
            };
            let Some(member) = self.myses.get(mysis) else {
                let why = format!("there is no mysis {mysis}");
                return Err(LedgerFault::Refused(why));
            };
            let stands = member.rows.get(&row.seq);
            if stands.is_some_and(|old| (old.at, old.kind()) != (row.at, row.kind())) {
                let why = format!("another row stands at {} of mysis {mysis}", row.seq);
                return Err(LedgerFault::Refused(why));
            }
        }
        Ok(())
    }

    fn delete_mysis(&mut self, mysis: MysisId) {
        self.myses.remove(&mysis);
        for (_, of) in &mut self.accounts {
            *of = of.filter(|of| *of != mysis);
        }
    }

    fn keep_mission(&mut self, mission: &Mission) {
        if self.mission.as_ref().is_none_or(|old| old.at <= mission.at) {
            self.mission = Some(mission.clone());
        }
    }

    fn keep_account(&mut self, account: &GameAccount, owner: Option<MysisId>) {
        self.accounts
            .retain(|(old, _)| old.username != account.username);
        self.accounts.push((account.clone(), owner));
    }

    fn apply_write(&mut self, write: &Write, watch: &InvariantMonitor) {
        match write {
            Write::Create(new) => self.create_mysis(new),
            Write::Delete { mysis } => self.delete_mysis(*mysis),
            Write::Mission(mission) => self.keep_mission(mission),
            Write::ClearMission { mission, .. } => {
                self.mission.take_if(|stands| stands.id == *mission);
            }
            // These are not part of the state that a swarm is rebuilt from.
            Write::Event(_) | Write::OrderDone { .. } => {}
            Write::HoldText(held) => self.held.hold(held.clone()),
            Write::ReleaseText(held) => self.held.release(held),
            Write::SaveAccount { mysis, account, .. } => self.keep_account(account, Some(*mysis)),
            Write::Append { mysis, row } => self.append_row(*mysis, row, watch),
            Write::Configure { mysis, change } => {
                self.update_mysis(*mysis, |member| change.apply(&mut member.record.profile));
            }
            Write::Fence { mysis, incarnation } => {
                self.update_mysis(*mysis, |member| member.record.incarnation = *incarnation);
            }
            Write::State { mysis, .. } => {
                self.update_mysis(*mysis, |member| member.set_state(write));
            }
            Write::Called { mysis } => {
                self.update_mysis(*mysis, |member| member.record.is_called = true)
            }
            Write::CallSent { mysis, call, .. } => {
                self.mark_call(*mysis, *call, [CallStatus::Recorded, CallStatus::Sent]);
            }
            Write::CallHeld { mysis, call } => {
                self.mark_call(*mysis, *call, [CallStatus::Sent, CallStatus::Recorded]);
            }
            Write::CallTask { mysis, call, task } => self.set_task(*mysis, *call, task.as_ref()),
            Write::Totals { mysis, totals } => {
                self.update_mysis(*mysis, |member| member.record.totals = *totals);
            }
            Write::ClearNotes { mysis, upto } => {
                self.update_mysis(*mysis, |member| member.notes_after = *upto);
            }
            Write::SaveSnapshot { mysis, .. }
            | Write::Stale { mysis, .. }
            | Write::ForgetSnapshots { mysis, .. } => {
                self.update_mysis(*mysis, |member| member.seen.apply(write));
            }
            Write::KeepSession { mysis, session } => {
                self.update_mysis(*mysis, |member| member.session.clone_from(session));
            }
            Write::Memo { mysis, kind, memo } => {
                self.update_mysis(*mysis, |member| {
                    member.memos.insert(*kind, memo.clone());
                });
            }
            Write::Samples { mysis, hour } => {
                self.update_mysis(*mysis, |member| member.samples.keep(hour));
            }
            Write::PoolAccount { account, .. } => {
                self.keep_account(&account.account, account.owner);
            }
        }
    }

    /// Changes the status of a call, if it is the first of these, to the second.
    fn mark_call(&mut self, mysis: MysisId, call: CallKey, [from, to]: [CallStatus; 2]) {
        self.update_mysis(mysis, |member| {
            member.set_status(call.seq, call.position, to, |status| status == from);
        });
    }

    fn update_mysis(&mut self, mysis: MysisId, change: impl FnOnce(&mut StoredMysis)) {
        if let Some(member) = self.myses.get_mut(&mysis) {
            change(member);
        }
    }

    fn set_task(&mut self, mysis: MysisId, call: CallKey, task: Option<&Arc<str>>) {
        self.update_mysis(mysis, |member| {
            match task {
                Some(task) => member.tasks.insert(call, task.clone()),
                None => member.tasks.remove(&call),
            };
        });
    }

    fn create_mysis(&mut self, new: &NewMysis) {
        self.myses.entry(new.id).or_insert_with(|| StoredMysis {
            record: MysisRecord::new(new.id, new.profile.clone(), new.at),
            rows: BTreeMap::new(),
            no_steps_before: Seq(0),
            last: Seq(0),
            notes_after: Seq(0),
            seen: SeenSnapshots::default(),
            session: None,
            memos: Memos::default(),
            samples: StoredSamples::default(),
            tasks: BTreeMap::new(),
        });
    }

    fn append_row(&mut self, mysis: MysisId, row: &Arc<Row>, watch: &InvariantMonitor) {
        let Some(member) = self.myses.get_mut(&mysis) else {
            return;
        };
        if member.rows.contains_key(&row.seq) {
            return;
        }
        watch.on_row_stored(mysis, row);
        if let RowBody::Prompt { text } = &row.body {
            *self.prompts.entry(text.clone()).or_default() += 1;
        }
        if let Some((call, _, meta)) = row.result() {
            let is_of_routine = member.is_of_routine(call);
            if is_of_routine && saves_a_call(&meta.call_id, meta.status) {
                *self.spared.entry((Day::of(row.at), mysis)).or_default() += 1;
            }
            member.set_status(call.seq, call.position, meta.status, |_| true);
            member.tasks.remove(&call);
        }
        if let Some(bill) = row.charge() {
            let line = (Day::of(row.at), mysis, bill.provider.clone());
            self.books.entry(line).or_default().add_charge(&bill);
        }
        member.last = member.last.max(row.seq);
        member.rows.insert(row.seq, row.clone());
        member.drop_old_rows();
    }
}

impl StoredMysis {
    fn set_state(&mut self, write: &Write) {
        if let Write::State {
            state,
            reason,
            fault,
            ..
        } = write
        {
            self.record.state = *state;
            self.record.reason.clone_from(reason);
            self.record.fault.clone_from(fault);
            self.record.is_called = false;
        }
    }

    fn set_status(
        &mut self,
        seq: Seq,
        position: u16,
        status: CallStatus,
        may: impl FnOnce(CallStatus) -> bool,
    ) {
        let Some(row) = self.rows.get_mut(&seq) else {
            return;
        };
        if let RowBody::Call { calls, .. } = &mut Arc::make_mut(row).body
            && let Some(call) = calls.get_mut(usize::from(position))
            && may(call.status)
        {
            call.status = status;
        }
    }

    pub(super) fn read_page(&self, page: &PageQuery) -> Vec<Arc<Row>> {
        let is_wanted = |row: &&Arc<Row>| {
            page.kinds.is_empty() || row.kind().is_some_and(|kind| page.kinds.contains(&kind))
        };
        let rows = self.rows.values().filter(is_wanted);
        let mut found: Vec<Arc<Row>> = match page.from {
            PageFrom::Newest => rows.rev().take(page.limit).cloned().collect(),
            PageFrom::Before(seq) => {
                let older = rows.rev().filter(|row| row.seq < seq);
                older.take(page.limit).cloned().collect()
            }
            PageFrom::After(seq) => {
                let newer = rows.filter(|row| row.seq > seq);
                newer.take(page.limit).cloned().collect()
            }
        };
        found.sort_by_key(|row| row.seq);
        found
    }

    pub(super) fn search_rows(&self, search: &SearchQuery) -> Vec<Arc<Row>> {
        let until = search.until.unwrap_or(Timestamp(i64::MAX));
        let rows = self.rows.values().rev().filter(|row| row.at <= until);
        let rows = rows.filter(|row| row.is_sendable() && row.text().contains(&search.text));
        let mut found: Vec<Arc<Row>> = rows.take(search.limit).cloned().collect();
        found.reverse();
        found
    }

    pub(super) fn result_of(&self, asked: &ResultQuery) -> Option<ResultPiece> {
        let results = self.rows.values().rev().filter_map(|row| row.result());
        let mut named = results.filter(|(call, _, meta)| {
            call.to_string() == asked.call_id || *meta.call_id == *asked.call_id
        });
        let (_, text, _) = named.next()?;
        let start = usize::try_from(asked.offset).unwrap_or(usize::MAX);
        let rest = &text.as_bytes()[start.min(text.len())..];
        let piece = &rest[..rest.len().min(asked.limit)];
        Some(ResultPiece::of_bytes(
            piece,
            asked.offset,
            text.len() as u64,
        ))
    }
}
