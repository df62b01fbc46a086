//! What is stored, and what each write does to it.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::books::{BudgetUse, Day, Entry};
use actors::domain::event::{State, Totals};
use actors::domain::ids::{Incarnation, MysisId, Seq};
use actors::domain::message::{Body, CallStatus, Kind, Row};
use actors::domain::write::{
    Account, Author, Batch, Mission, MysisRecord, NewMysis, Recollection, SavedSession, Write,
};
use actors::ports::{LedgerFault, Page, PageFrom, Piece, ResultAsked, Search, SwarmRecord};

use super::super::seen::Seen;
use super::super::verdict::Watch;

/// So many rows at the end of a conversation are kept: more than a Mysis takes up again.
const KEPT: usize = 160;

/// What is stored.
#[derive(Clone, Default)]
pub(super) struct Stored {
    pub(super) myses: BTreeMap<MysisId, Member>,
    pub(super) mission: Option<Mission>,
    pub(super) accounts: Vec<(Account, Option<MysisId>)>,
    /// How often each prompt was written, by its text.
    pub(super) prompts: BTreeMap<Arc<str>, u64>,
    /// What was spent, by day, Mysis and provider.
    books: BTreeMap<(Day, MysisId, Arc<str>), BudgetUse>,
}

#[derive(Clone)]
pub(super) struct Member {
    record: MysisRecord,
    rows: BTreeMap<Seq, Arc<Row>>,
    last: Seq,
    notes_after: Seq,
    seen: Seen,
    pub(super) session: Option<SavedSession>,
    watch: Option<Arc<str>>,
}

impl Stored {
    pub(super) fn swarm(&self) -> SwarmRecord {
        let myses = self.myses.values().map(|member| {
            let account = self.account(member.record.id);
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

    fn newest_books(&self) -> Vec<Entry> {
        let newest = self.books.keys().map(|(day, ..)| *day).max();
        newest.map(|day| self.books(day)).unwrap_or_default()
    }

    /// The books from a day on.
    pub(super) fn books(&self, since: Day) -> Vec<Entry> {
        let lines = self.books.iter().filter(|((day, ..), _)| *day >= since);
        lines
            .map(|((day, mysis, provider), spent)| Entry {
                day: *day,
                mysis: *mysis,
                provider: provider.clone(),
                spent: *spent,
            })
            .collect()
    }

    pub(super) fn account(&self, mysis: MysisId) -> Option<Account> {
        let found = self.accounts.iter().find(|(_, of)| *of == Some(mysis));
        found.map(|(account, _)| account.clone())
    }

    /// All of a batch or nothing.
    pub(super) fn commit(&mut self, batch: &Batch, watch: &Watch) -> Result<(), LedgerFault> {
        if let Author::Mysis(mysis, incarnation) = batch.author {
            let newest = self.myses.get(&mysis).map(|m| m.record.incarnation);
            if newest.is_some_and(|newest| newest > incarnation) {
                return Err(LedgerFault::Fenced);
            }
        }
        self.check(batch)?;
        for write in &batch.writes {
            self.apply(write, watch);
        }
        Ok(())
    }

    /// What stands at a row's place must be the same row.
    fn check(&self, batch: &Batch) -> Result<(), LedgerFault> {
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

    fn apply(&mut self, write: &Write, watch: &Watch) {
        match write {
            Write::Create(new) => self.create(new),
            Write::Delete { mysis } => {
                self.myses.remove(mysis);
                for (_, of) in &mut self.accounts {
                    *of = of.filter(|of| of != mysis);
                }
            }
            Write::Mission(mission) => {
                if self.mission.as_ref().is_none_or(|old| old.at <= mission.at) {
                    self.mission = Some(mission.clone());
                }
            }
            Write::ClearMission { mission, .. } => {
                self.mission.take_if(|stands| stands.id == *mission);
            }
            // What is told is no part of what a swarm is rebuilt from.
            Write::Event(_) => {}
            Write::SaveAccount { mysis, account, .. } => {
                self.accounts
                    .retain(|(old, _)| old.username != account.username);
                self.accounts.push((account.clone(), Some(*mysis)));
            }
            Write::Append { mysis, row } => self.append(*mysis, row, watch),
            Write::Configure { mysis, change } => {
                self.with(*mysis, |member| change.apply(&mut member.record.profile));
            }
            Write::Fence { mysis, incarnation } => {
                self.with(*mysis, |member| member.record.incarnation = *incarnation);
            }
            Write::State {
                mysis,
                state,
                reason,
                fault,
                ..
            } => self.with(*mysis, |member| {
                member.record.state = *state;
                member.record.reason.clone_from(reason);
                member.record.fault.clone_from(fault);
                member.record.is_called = false;
            }),
            Write::Called { mysis } => self.with(*mysis, |member| member.record.is_called = true),
            Write::CallSent { mysis, call, .. } => self.with(*mysis, |member| {
                let is_recorded = |status| status == CallStatus::Recorded;
                member.set_status(call.seq, call.position, CallStatus::Sent, is_recorded);
            }),
            Write::Totals { mysis, totals } => {
                self.with(*mysis, |member| member.record.totals = *totals);
            }
            Write::ClearNotes { mysis, upto } => {
                self.with(*mysis, |member| member.notes_after = *upto);
            }
            Write::Sighted { mysis, .. }
            | Write::Stale { mysis, .. }
            | Write::ForgetSightings { mysis, .. } => {
                self.with(*mysis, |member| member.seen.apply(write));
            }
            Write::KeepSession { mysis, session } => {
                self.with(*mysis, |member| member.session.clone_from(session));
            }
            Write::Watched { mysis, memo } => {
                self.with(*mysis, |member| member.watch = Some(memo.clone()));
            }
            Write::PoolAccount { account, .. } => {
                let of_name = |old: &Account| old.username == account.account.username;
                self.accounts.retain(|(old, _)| !of_name(old));
                self.accounts.push((account.account.clone(), account.owner));
            }
        }
    }

    fn with(&mut self, mysis: MysisId, change: impl FnOnce(&mut Member)) {
        if let Some(member) = self.myses.get_mut(&mysis) {
            change(member);
        }
    }

    fn create(&mut self, new: &NewMysis) {
        self.myses.entry(new.id).or_insert_with(|| Member {
            record: MysisRecord {
                id: new.id,
                profile: new.profile.clone(),
                state: State::Idle,
                reason: None,
                fault: None,
                is_called: false,
                incarnation: Incarnation(0),
                totals: Totals::default(),
                account: None,
                created_at: new.at,
            },
            rows: BTreeMap::new(),
            last: Seq(0),
            notes_after: Seq(0),
            seen: Seen::default(),
            session: None,
            watch: None,
        });
    }

    fn append(&mut self, mysis: MysisId, row: &Arc<Row>, watch: &Watch) {
        let Some(member) = self.myses.get_mut(&mysis) else {
            return;
        };
        if member.rows.contains_key(&row.seq) {
            return;
        }
        watch.stored(mysis, row);
        if let Body::Prompt { text } = &row.body {
            *self.prompts.entry(text.clone()).or_default() += 1;
        }
        if let Some((call, _, meta)) = row.result() {
            member.set_status(call.seq, call.position, meta.status, |_| true);
        }
        if let Some(bill) = row.bill() {
            let line = (Day::of(row.at), mysis, bill.provider.clone());
            self.books.entry(line).or_default().pay(&bill);
        }
        member.last = member.last.max(row.seq);
        member.rows.insert(row.seq, row.clone());
        member.forget();
    }
}

impl Member {
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
        if let Body::Call { calls, .. } = &mut Arc::make_mut(row).body
            && let Some(call) = calls.get_mut(usize::from(position))
            && may(call.status)
        {
            call.status = status;
        }
    }

    /// Old rows go, but for what a Mysis still has to answer or keep in mind.
    fn forget(&mut self) {
        while self.rows.len() > KEPT {
            let old = self
                .rows
                .iter()
                .find(|(_, row)| !matches!(row.kind(), Some(Kind::Prompt | Kind::Note)));
            let Some(seq) = old.map(|(seq, _)| *seq) else {
                return;
            };
            self.rows.remove(&seq);
        }
    }

    pub(super) fn recollection(&self) -> Recollection {
        let answered = self.rows.values().rev().find_map(|row| {
            let Body::Reply(said) = &row.body else {
                return None;
            };
            (!said.text.is_empty()).then_some(said.horizon)
        });
        let answered = answered.unwrap_or_default();
        let newest = self.rows.len().saturating_sub(96);
        let is_kept = |place: usize, row: &Row| {
            place >= newest || row.kind() == Some(Kind::Prompt) && row.seq > answered
        };
        let notes = self.rows.values();
        Recollection {
            rows: self
                .rows
                .values()
                .enumerate()
                .filter(|(place, row)| is_kept(*place, row))
                .map(|(_, row)| row.clone())
                .collect(),
            notes: notes
                .filter(|row| row.kind() == Some(Kind::Note) && row.seq > self.notes_after)
                .cloned()
                .collect(),
            last: self.last,
            profile: Some(self.record.profile.clone()),
            totals: Some(self.record.totals),
            sightings: self.seen.all(),
            watch: self.watch.clone(),
        }
    }

    pub(super) fn page(&self, page: &Page) -> Vec<Arc<Row>> {
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

    /// The newest rows that hold a text.
    pub(super) fn search(&self, search: &Search) -> Vec<Arc<Row>> {
        let rows = self.rows.values().rev();
        let mut found: Vec<Arc<Row>> = rows
            .filter(|row| row.is_sendable() && row.text().contains(&search.text))
            .take(search.limit)
            .cloned()
            .collect();
        found.reverse();
        found
    }

    pub(super) fn result_of(&self, asked: &ResultAsked) -> Option<Piece> {
        let results = self.rows.values().rev().filter_map(|row| row.result());
        let mut named = results.filter(|(call, _, meta)| {
            call.to_string() == asked.call_id || *meta.call_id == *asked.call_id
        });
        let (_, text, _) = named.next()?;
        let start = usize::try_from(asked.offset).unwrap_or(usize::MAX);
        let rest = &text.as_bytes()[start.min(text.len())..];
        let piece = &rest[..rest.len().min(asked.limit)];
        Some(Piece::of_bytes(piece, asked.offset, text.len() as u64))
    }
}
