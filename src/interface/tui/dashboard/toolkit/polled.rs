//! A value that is read from the store again and again while it is shown.

use std::sync::Arc;
use std::time::Duration;

use actors::domain::ids::Moment;
use actors::domain::screen::{ReadId, StoreAnswer};

/// A value from the store. There is one read at a time, so that impatient keys do not ask for more
/// and more.
#[derive(Clone, Debug)]
pub struct Polled<T> {
    value: Option<Arc<T>>,
    complaint: Option<Arc<str>>,
    awaited: Option<ReadId>,
    asked_at: Option<Moment>,
    /// Whether something else is wanted than what was asked for last.
    is_outdated: bool,
}

impl<T> Default for Polled<T> {
    fn default() -> Self {
        Polled {
            value: None,
            complaint: None,
            awaited: None,
            asked_at: None,
            is_outdated: false,
        }
    }
}

impl<T> Polled<T> {
    /// Whether it is time to ask: the first time, after a change of what is wanted, and each time that
    /// the last one is so long ago.
    pub fn is_due(&self, now: Moment, every: Duration) -> bool {
        let is_old = |at: Moment| now.since(at) >= every;
        self.awaited.is_none() && (self.is_outdated || self.asked_at.is_none_or(is_old))
    }

    pub fn ask(&mut self, id: ReadId, now: Moment) {
        (self.awaited, self.asked_at) = (Some(id), Some(now));
        self.is_outdated = false;
    }

    /// Wants something else than what was read. The answer that is under way is dropped when it comes.
    pub fn invalidate(&mut self) {
        self.value = None;
        self.is_outdated = true;
    }

    /// Asks again soon, and keeps what was read until then.
    pub fn refresh(&mut self) {
        self.is_outdated = true;
    }

    /// Waits no longer for a read whose answer may be lost.
    pub fn forget_read(&mut self) {
        self.awaited = None;
        self.is_outdated = true;
    }

    pub fn awaits(&self, id: ReadId) -> bool {
        self.awaited == Some(id)
    }

    /// Takes the answer that is waited for. After an error the value stays, with the complaint. Returns
    /// whether there is a new value.
    pub fn take(
        &mut self,
        id: ReadId,
        read: Result<StoreAnswer, String>,
        value_of: impl FnOnce(StoreAnswer) -> Option<T>,
    ) -> bool {
        if self.awaited.take_if(|awaited| *awaited == id).is_none() || self.is_outdated {
            return false;
        }
        let unlike = || "the store gave an unexpected answer".to_string();
        match read.and_then(|answer| value_of(answer).ok_or_else(unlike)) {
            Ok(value) => {
                self.value = Some(Arc::new(value));
                self.complaint = None;
                true
            }
            Err(why) => {
                self.complaint = Some(why.into());
                false
            }
        }
    }

    pub fn value(&self) -> Option<&Arc<T>> {
        self.value.as_ref()
    }

    /// Why it could not be read; `None` after a read that worked.
    pub fn complaint(&self) -> Option<&Arc<str>> {
        self.complaint.as_ref()
    }

    pub fn is_reading(&self) -> bool {
        self.awaited.is_some()
    }
}

#[cfg(test)]
mod tests {
    use actors::domain::fleet_process::FleetProcess;

    use super::*;

    const EVERY: Duration = Duration::from_secs(5);

    fn take(polled: &mut Polled<Vec<FleetProcess>>, id: u64, read: Result<(), &str>) -> bool {
        let read = read.map(|()| StoreAnswer::Processes(Vec::new()));
        let read = read.map_err(str::to_string);
        polled.take(ReadId(id), read, StoreAnswer::try_as_processes)
    }

    #[test]
    fn one_read_is_under_way_and_what_comes_too_late_is_left_alone() {
        let mut polled = Polled::default();
        assert!(polled.is_due(Moment(0), EVERY) && polled.value().is_none());
        polled.ask(ReadId(1), Moment(0));
        polled.invalidate();
        assert!(!polled.is_due(Moment(90_000), EVERY), "one at a time");
        assert!(!take(&mut polled, 2, Ok(())), "another one's answer");
        assert!(!take(&mut polled, 1, Ok(())), "no longer wanted");
        assert!(polled.is_due(Moment(0), EVERY) && polled.value().is_none());
        polled.ask(ReadId(3), Moment(0));
        assert!(take(&mut polled, 3, Ok(())) && polled.value().is_some());
        assert!(!polled.is_due(Moment(4_999), EVERY) && polled.is_due(Moment(5_000), EVERY));
        polled.ask(ReadId(4), Moment(5_000));
        polled.forget_read();
        assert!(polled.is_due(Moment(5_000), EVERY), "a lost answer");
    }

    #[test]
    fn after_an_error_the_value_stays_until_it_can_be_read_again() {
        let mut polled = Polled::default();
        for (id, read) in [(1, Ok(())), (2, Err("gone"))] {
            polled.ask(ReadId(id), Moment(0));
            take(&mut polled, id, read);
        }
        assert!(polled.value().is_some());
        assert_eq!(polled.complaint().map(|why| &**why), Some("gone"));
        polled.ask(ReadId(3), Moment(0));
        take(&mut polled, 3, Ok(()));
        assert_eq!(polled.complaint(), None);
    }
}
