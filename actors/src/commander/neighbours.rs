//! Neighbours: the Myses that other processes of the fleet run, as those tell of them. Watchers get
//! their statuses as they get those of the Myses here, so whatever shows a Mysis shows all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::sync::oneshot;
use zoea_text::natural::compare_natural;

use crate::domain::event::{Elsewhere, EventKind, MysisStatus, RosterChange};
use crate::domain::ids::MysisId;
use crate::domain::order::OrderRefusal;
use crate::domain::record::MysisRecord;
use crate::fleet::FleetMsg;
use crate::ports::{FleetNeighbours, MysisPlace, ProcessSign};

use super::CommanderState;

const UNKNOWN_PROCESS: &str = "another process";

#[derive(Default)]
pub(super) struct Neighbours {
    myses: BTreeMap<MysisId, Neighbour>,
    processes: BTreeMap<Arc<str>, Arc<Elsewhere>>,
    /// The Myses that may have to be shown anew.
    changed: BTreeSet<MysisId>,
    /// The name of this process; `None` as long as there was no other one.
    own_name: Option<Arc<str>>,
    /// Whether this process knows all Myses of the fleet that it joined, and those who wait for that.
    knows_all: bool,
    waiting: Vec<oneshot::Sender<()>>,
}

struct Neighbour {
    received: Arc<MysisStatus>,
    owner: Arc<str>,
    /// The status as it is shown here; `None` while the Mysis runs here.
    shown: Option<Arc<MysisStatus>>,
}

impl Neighbours {
    pub(super) fn statuses(&self) -> impl Iterator<Item = &Arc<MysisStatus>> {
        let myses = self.myses.values();
        myses.filter_map(|neighbour| neighbour.shown.as_ref())
    }

    pub(super) fn names(&self) -> Vec<Arc<str>> {
        let mut names: Vec<Arc<str>> = self.statuses().map(|status| status.name.clone()).collect();
        names.sort_by(|a, b| compare_natural(a, b));
        names
    }

    pub(super) fn own_name(&self) -> Option<Arc<str>> {
        self.own_name.clone()
    }

    pub(super) fn named(&self, name: &str) -> Option<&Arc<MysisStatus>> {
        self.statuses().find(|status| &*status.name == name)
    }

    pub(super) fn process_of(&self, name: &str) -> Option<Arc<str>> {
        Some(self.named(name)?.elsewhere.as_ref()?.process.clone())
    }

    /// Answers those who wait until the whole fleet is known.
    fn end_first_look(&mut self) {
        self.knows_all = true;
        // Dropping them is the answer.
        self.waiting.clear();
    }

    fn take_signs(&mut self, signs: &[ProcessSign]) {
        for sign in signs {
            if sign.is_here {
                self.own_name = Some(sign.name.clone());
            }
        }
        let place = |sign: &ProcessSign| Elsewhere {
            process: sign.name.clone(),
            is_gone: !sign.is_alive,
        };
        let others = signs.iter().filter(|sign| !sign.is_here);
        let now: BTreeMap<Arc<str>, Arc<Elsewhere>> = others
            .map(|sign| (sign.owner.clone(), Arc::new(place(sign))))
            .collect();
        if now != self.processes {
            self.changed.extend(self.myses.keys());
            self.processes = now;
        }
    }

    fn place_of(&self, owner: &str) -> Arc<Elsewhere> {
        let known = self.processes.get(owner).cloned();
        known.unwrap_or_else(|| {
            Arc::new(Elsewhere {
                process: UNKNOWN_PROCESS.into(),
                is_gone: false,
            })
        })
    }

    fn take_status(&mut self, owner: Arc<str>, received: Arc<MysisStatus>) {
        self.changed.insert(received.id);
        let shown = self
            .myses
            .remove(&received.id)
            .and_then(|known| known.shown);
        self.myses.insert(
            received.id,
            Neighbour {
                received,
                owner,
                shown,
            },
        );
    }

    /// Takes the places of all Myses. Returns the Myses that are no more.
    fn take_places(&mut self, places: &[MysisPlace]) -> Vec<Arc<MysisStatus>> {
        let all: BTreeSet<MysisId> = places.iter().map(|place| place.mysis).collect();
        for place in places {
            if let (Some(owner), Some(known)) = (&place.owner, self.myses.get_mut(&place.mysis))
                && known.owner != *owner
            {
                known.owner = owner.clone();
                self.changed.insert(place.mysis);
            }
        }
        let gone: Vec<MysisId> = self.myses.keys().copied().collect();
        let gone = gone.into_iter().filter(|mysis| !all.contains(mysis));
        let gone = gone.filter_map(|mysis| self.myses.remove(&mysis)?.shown);
        gone.collect()
    }

    /// Shows a Mysis as it is told now. Returns the status if it is news.
    fn show(&mut self, mysis: MysisId, is_here: bool) -> Option<Arc<MysisStatus>> {
        let place = self.place_of(&self.myses.get(&mysis)?.owner);
        let known = self.myses.get_mut(&mysis)?;
        if is_here {
            known.shown = None;
            return None;
        }
        let shown = known.received.as_seen_from_afar(place);
        if known.shown.as_deref() == Some(&shown) {
            return None;
        }
        let shown = Arc::new(shown);
        known.shown = Some(shown.clone());
        Some(shown)
    }
}

impl CommanderState {
    /// Takes what the other processes tell, and tells the watchers what is new.
    pub(super) fn follow_neighbours(&mut self, found: Option<Box<FleetNeighbours>>) {
        let Some(found) = found else {
            return self.neighbours.end_first_look();
        };
        self.neighbours.take_signs(&found.processes);
        for record in found.unshared {
            self.take_unshared(record, found.places.as_deref().unwrap_or_default());
        }
        for published in found.statuses {
            self.neighbours
                .take_status(published.owner, published.status);
        }
        let is_known = |place: &MysisPlace| {
            place.owner.is_none()
                || self.neighbours.myses.contains_key(&place.mysis)
                || self.members.get(place.mysis).is_some()
        };
        if found
            .places
            .as_ref()
            .is_some_and(|places| places.iter().all(is_known))
        {
            self.neighbours.end_first_look();
        }
        let deleted = found
            .places
            .map(|places| self.neighbours.take_places(&places));
        for status in deleted.into_iter().flatten() {
            if self.members.get(status.id).is_none() {
                self.emit_event_of(status.who(), EventKind::Roster(RosterChange::Deleted));
            }
        }
        for mysis in std::mem::take(&mut self.neighbours.changed) {
            self.show_neighbour(mysis);
        }
        let known = self.members.count() + self.neighbours.statuses().count();
        self.send_to_fleet(FleetMsg::Known(known));
    }

    /// Takes a Mysis of which its process told nothing yet.
    fn take_unshared(&mut self, record: MysisRecord, places: &[MysisPlace]) {
        let place = places.iter().find(|place| place.mysis == record.id);
        let Some(owner) = place.and_then(|place| place.owner.clone()) else {
            return;
        };
        if self.members.get(record.id).is_none() {
            let first = MysisStatus::from_record(&record, &self.rules.current, self.now());
            let received = MysisStatus {
                state: record.state,
                ..first
            };
            self.neighbours.take_status(owner, Arc::new(received));
        }
    }

    fn show_neighbour(&mut self, mysis: MysisId) {
        let is_here = self.members.get(mysis).is_some();
        if let Some(shown) = self.neighbours.show(mysis, is_here) {
            self.emit_event_of(shown.who(), EventKind::StatusChanged(shown));
        }
    }

    /// Shows a Mysis that left this process, until another one tells of it.
    pub(super) fn show_as_neighbour(&mut self, last: Arc<MysisStatus>) {
        let mysis = last.id;
        if !self.neighbours.myses.contains_key(&mysis) {
            self.neighbours.take_status(UNKNOWN_PROCESS.into(), last);
        }
        self.show_neighbour(mysis);
    }

    /// Forgets what others told of a Mysis that runs here now.
    pub(super) fn forget_neighbour(&mut self, mysis: MysisId) {
        self.neighbours.myses.remove(&mysis);
    }

    /// Ends once this process knows all Myses of the fleet; at once where there is none.
    pub(super) fn until_fleet_is_known(&mut self) -> oneshot::Receiver<()> {
        let (waiting, known) = oneshot::channel();
        if self.fleet.is_some() && !self.neighbours.knows_all {
            self.neighbours.waiting.push(waiting);
        }
        known
    }

    /// The same refusal of an order, or where the Mysis is that is not here.
    pub(super) fn or_elsewhere(&self, refusal: OrderRefusal) -> OrderRefusal {
        let OrderRefusal::UnknownMysis(unknown) = &refusal else {
            return refusal;
        };
        let name = unknown.name.clone();
        let process = self.neighbours.process_of(&name);
        process.map_or(refusal, |process| OrderRefusal::Elsewhere { name, process })
    }

    pub(super) fn all_statuses(&self) -> Vec<Arc<MysisStatus>> {
        let mut statuses = self.members.statuses();
        let before = statuses.len();
        statuses.extend(self.neighbours.statuses().cloned());
        if statuses.len() > before {
            statuses.sort_by(|a, b| a.name.cmp(&b.name));
        }
        statuses
    }
}
