//! Memory: a ledger and archive without a database, by the same promises: all or nothing, harmless
//! when repeated, refused for older lives.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use actors::domain::event::{State, Totals};
use actors::domain::game_state::Sighting;
use actors::domain::ids::{Incarnation, MysisId, Seq, Timestamp};
use actors::domain::message::{Body, CallStatus, Kind, Row};
use actors::domain::write::{
    Account, Author, Batch, Mission, MysisRecord, NewMysis, Recollection, Write,
};
use actors::ports::{
    Archive, ArchiveFault, Found, Ledger, LedgerFault, Page, PageFrom, Piece, ResultAsked, Search,
    SwarmRecord,
};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::chaos::{Chaos, PANIC, Strike};
use super::verdict::Watch;

/// So many rows at the end of a conversation are kept: more than a Mysis takes up again.
const KEPT: usize = 160;

/// The ledger.
pub(super) struct Memory {
    stored: Arc<Mutex<Stored>>,
    chaos: Arc<Chaos>,
    watch: Arc<Watch>,
}

/// What is stored.
#[derive(Clone, Default)]
struct Stored {
    myses: BTreeMap<MysisId, Member>,
    mission: Option<Mission>,
    accounts: Vec<(Account, Option<MysisId>)>,
    /// How often each prompt was written, by its text.
    prompts: BTreeMap<Arc<str>, u64>,
}

#[derive(Clone)]
struct Member {
    record: MysisRecord,
    rows: BTreeMap<Seq, Arc<Row>>,
    last: Seq,
    notes_after: Seq,
    sightings: Vec<(Arc<str>, Sighting)>,
}

impl Memory {
    pub(super) fn new(chaos: Arc<Chaos>, watch: Arc<Watch>) -> Memory {
        Memory {
            stored: Arc::default(),
            chaos,
            watch,
        }
    }

    /// The swarm, as the next process finds it.
    pub(super) fn swarm_now(&self) -> SwarmRecord {
        lock(&self.stored).swarm()
    }

    /// How often each prompt was written.
    pub(super) fn prompts(&self) -> BTreeMap<Arc<str>, u64> {
        lock(&self.stored).prompts.clone()
    }

    fn read<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Stored) -> T + Send + 'static,
    ) -> BoxFuture<'static, Result<T, ArchiveFault>> {
        let (stored, chaos) = (self.stored.clone(), self.chaos.clone());
        async move {
            let short = Duration::from_millis(2);
            tokio::time::sleep(chaos.between(Duration::ZERO, short)).await;
            if chaos.strikes(Strike::ReadFault, 0.002) {
                return Err(ArchiveFault("the store cannot be read now".to_string()));
            }
            Ok(look(&lock(&stored)))
        }
        .boxed()
    }
}

fn lock(stored: &Mutex<Stored>) -> MutexGuard<'_, Stored> {
    stored.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ledger for Memory {
    fn commit(&self, batches: Vec<Batch>) -> BoxFuture<'static, Vec<Result<(), LedgerFault>>> {
        let (stored, chaos, watch) = (self.stored.clone(), self.chaos.clone(), self.watch.clone());
        async move {
            let all = |fault: &str| {
                let fault = LedgerFault::Unavailable(fault.to_string());
                vec![Err(fault); batches.len()]
            };
            let usual = chaos.between(Duration::from_millis(1), Duration::from_millis(8));
            tokio::time::sleep(usual).await;
            if chaos.strikes(Strike::SlowCommit, 0.001) {
                tokio::time::sleep(Duration::from_secs(4)).await;
            }
            if chaos.strikes(Strike::CommitRefused, 0.002) {
                return all("database is locked");
            }
            assert!(!chaos.strikes(Strike::CommitPanic, 0.0005), "{PANIC}");
            let mut stored = lock(&stored);
            let answers = batches
                .iter()
                .map(|batch| stored.commit(batch, &watch))
                .collect();
            if chaos.strikes(Strike::CommitAnswerLost, 0.002) {
                return all("disk I/O error");
            }
            answers
        }
        .boxed()
    }

    fn claim_account(
        &self,
        mysis: MysisId,
        _at: Timestamp,
    ) -> BoxFuture<'static, Result<Option<Account>, LedgerFault>> {
        let stored = self.stored.clone();
        async move {
            tokio::time::sleep(Duration::from_millis(2)).await;
            let mut stored = lock(&stored);
            let own = stored.account(mysis);
            if own.is_some() {
                return Ok(own);
            }
            let free = stored.accounts.iter_mut().find(|(_, of)| of.is_none());
            Ok(free.map(|(account, of)| {
                *of = Some(mysis);
                account.clone()
            }))
        }
        .boxed()
    }
}

impl Stored {
    fn swarm(&self) -> SwarmRecord {
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
        }
    }

    fn account(&self, mysis: MysisId) -> Option<Account> {
        let found = self.accounts.iter().find(|(_, of)| *of == Some(mysis));
        found.map(|(account, _)| account.clone())
    }

    /// All of a batch or nothing.
    fn commit(&mut self, batch: &Batch, watch: &Watch) -> Result<(), LedgerFault> {
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
            Write::ClearMission { .. } => self.mission = None,
            Write::SaveAccount { mysis, account, .. } => {
                self.accounts
                    .retain(|(old, _)| old.username != account.username);
                self.accounts.push((account.clone(), Some(*mysis)));
            }
            Write::Append { mysis, row } => self.append(*mysis, row, watch),
            Write::Configure { mysis, profile } => {
                self.with(*mysis, |member| member.record.profile = profile.clone());
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
            Write::Sighted {
                mysis,
                account,
                sighting,
            } => self.with(*mysis, |member| member.sighted(account, sighting)),
            Write::Stale {
                mysis,
                account,
                tools,
                by,
            } => self.with(*mysis, |member| member.stale(account, tools, by)),
            Write::ForgetSightings { mysis, account } => {
                self.with(*mysis, |member| {
                    member.sightings.retain(|(of, _)| of != account);
                });
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
            sightings: Vec::new(),
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

    fn sighted(&mut self, account: &Arc<str>, seen: &Sighting) {
        self.sightings
            .retain(|(of, old)| of != account || old.look != seen.look);
        self.sightings.push((account.clone(), seen.clone()));
    }

    fn stale(&mut self, account: &Arc<str>, tools: &[Arc<str>], by: &Arc<str>) {
        for (of, seen) in &mut self.sightings {
            if of == account && tools.contains(&seen.look.tool) && seen.stale_by.is_none() {
                seen.stale_by = Some(by.clone());
            }
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

    fn recollection(&self) -> Recollection {
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
            sightings: self.sightings.clone(),
        }
    }

    fn page(&self, page: &Page) -> Vec<Arc<Row>> {
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
    fn search(&self, search: &Search) -> Vec<Arc<Row>> {
        let rows = self.rows.values().rev();
        let mut found: Vec<Arc<Row>> = rows
            .filter(|row| row.is_sendable() && row.text().contains(&search.text))
            .take(search.limit)
            .cloned()
            .collect();
        found.reverse();
        found
    }

    fn result_of(&self, asked: &ResultAsked) -> Option<Piece> {
        let rows = self.rows.values().rev();
        let mut made = rows.flat_map(|row| {
            let calls = row.calls().iter().enumerate();
            calls.map(move |(place, call)| (row.seq, place, call))
        });
        let (seq, place, _) = made.find(|(seq, place, call)| {
            *call.id == asked.call_id || format!("{seq}.{place}") == asked.call_id
        })?;
        let text = self.rows.values().find_map(|row| {
            let (call, text, _) = row.result()?;
            (call.seq == seq && usize::from(call.position) == place).then_some(text)
        })?;
        let whole = text.len() as u64;
        let begin = usize::try_from(asked.offset.min(whole)).unwrap_or(text.len());
        let end = begin.saturating_add(asked.limit).min(text.len());
        let bytes = text.as_bytes().get(begin..end).unwrap_or_default();
        Some(Piece::of_bytes(bytes, begin as u64, whole))
    }
}

impl Archive for Memory {
    fn swarm(&self) -> BoxFuture<'static, Result<SwarmRecord, ArchiveFault>> {
        self.read(Stored::swarm)
    }

    fn recall(&self, mysis: MysisId) -> BoxFuture<'static, Result<Recollection, ArchiveFault>> {
        self.read(move |stored| {
            let member = stored.myses.get(&mysis);
            member.map(Member::recollection).unwrap_or_default()
        })
    }

    fn page(&self, page: Page) -> BoxFuture<'static, Result<Vec<Arc<Row>>, ArchiveFault>> {
        self.read(move |stored| {
            let member = stored.myses.get(&page.mysis);
            member.map(|member| member.page(&page)).unwrap_or_default()
        })
    }

    fn search(&self, search: Search) -> BoxFuture<'static, Result<Found, ArchiveFault>> {
        self.read(move |stored| {
            let of_all = stored.myses.iter();
            let rows = of_all
                .filter(|(id, _)| search.mysis.is_none_or(|wanted| wanted == **id))
                .flat_map(|(id, member)| {
                    let found = member.search(&search).into_iter();
                    found.map(move |row| (*id, row))
                });
            Found {
                rows: rows.take(search.limit).collect(),
                ignoring_case: 0,
            }
        })
    }

    fn result_of(
        &self,
        asked: ResultAsked,
    ) -> BoxFuture<'static, Result<Option<Piece>, ArchiveFault>> {
        self.read(move |stored| stored.myses.get(&asked.mysis)?.result_of(&asked))
    }

    fn account(&self, mysis: MysisId) -> BoxFuture<'static, Result<Option<Account>, ArchiveFault>> {
        self.read(move |stored| stored.account(mysis))
    }
}
