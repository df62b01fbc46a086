//! The processes that share one database: what each runs, since when, and whether it is heard of.

pub mod keys;
pub(crate) mod view;

mod actions;

use std::sync::Arc;

use actors::domain::fleet_process::FleetProcess;
use actors::domain::ids::Moment;
use actors::domain::screen::ReadId;

use super::keys::Movement;

/// How often the open list is read again, in milliseconds.
const REFRESH_MS: u64 = 2_000;

/// The open list of processes.
#[derive(Clone, Debug, Default)]
pub struct ProcessesView {
    processes: Option<Arc<[FleetProcess]>>,
    complaint: Option<Arc<str>>,
    /// The name of the selected process; `None` for the first one.
    selected: Option<Arc<str>>,
    /// The first line in sight, and how many fit.
    top: usize,
    height: usize,
    awaited: Option<ReadId>,
    asked_at: Option<Moment>,
}

impl ProcessesView {
    /// Whether it is time to read.
    #[must_use]
    pub fn is_due(&self, now: Moment) -> bool {
        let is_old = |at: Moment| now.since(at).as_millis() >= u128::from(REFRESH_MS);
        self.awaited.is_none() && self.asked_at.is_none_or(is_old)
    }

    /// Notes that a read is under way.
    fn ask(&mut self, id: ReadId, now: Moment) {
        (self.awaited, self.asked_at) = (Some(id), Some(now));
    }

    /// Waits no longer for a read whose answer may be lost.
    pub fn forget_read(&mut self) {
        (self.awaited, self.asked_at) = (None, None);
    }

    /// Takes what was read. After an error the list stays.
    fn take(&mut self, id: ReadId, read: Result<Vec<FleetProcess>, String>) {
        if self.awaited.take_if(|awaited| *awaited == id).is_none() {
            return;
        }
        match read {
            Ok(processes) => {
                self.processes = Some(processes.into());
                self.complaint = None;
            }
            Err(why) => self.complaint = Some(why.into()),
        }
    }

    /// Scrolls so that the selected process is in sight.
    fn settle(&mut self, height: usize) {
        self.height = height.max(1);
        let place = self.place();
        let last = self.all().len().saturating_sub(self.height);
        let first = (place + 1).saturating_sub(self.height);
        self.top = self.top.clamp(first, place).min(last.max(first));
    }

    /// All processes.
    fn all(&self) -> &[FleetProcess] {
        self.processes.as_deref().unwrap_or_default()
    }

    /// The selected process.
    #[must_use]
    pub fn selected(&self) -> Option<&FleetProcess> {
        self.all().get(self.place())
    }

    fn place(&self) -> usize {
        let is_it = |process: &FleetProcess| Some(&process.name) == self.selected.as_ref();
        self.all().iter().position(is_it).unwrap_or(0)
    }

    /// Selects another process.
    fn go(&mut self, going: Movement) {
        let last = self.all().len().saturating_sub(1);
        let place = going.lead_from(self.place(), last, self.height);
        let process = self.all().get(place);
        self.selected = process.map(|process| process.name.clone());
    }
}
