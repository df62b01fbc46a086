//! Where a Mysis runs that this process does not run.

use std::sync::Arc;

use super::{Activity, MysisStatus};
use crate::record::MysisRecord;
use crate::state::LifeState;

/// The other process of the fleet that runs a Mysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    pub process: Arc<str>,
    /// Whether it does not renew its leases any more.
    pub is_gone: bool,
}

impl MysisStatus {
    /// The status as this process shows it while another one runs the Mysis. Of one that is gone,
    /// nobody knows what the Mysis does.
    pub fn as_seen_from_afar(&self, place: Arc<Elsewhere>) -> MysisStatus {
        let mut status = self.clone();
        if place.is_gone && self.state == LifeState::Running {
            let name = &place.process;
            let text = format!("its process {name} is gone; another one takes the Mysis over");
            status.activity = Activity::Paused(text.into());
            status.activity_until = None;
        }
        status.elsewhere = Some(place);
        status
    }

    /// Takes state and profile as they are stored, which may be newer than what was told.
    pub fn take_stored(&mut self, record: MysisRecord) {
        if self.state != record.state {
            self.state = record.state;
            self.reason = record.reason;
            self.fault = record.fault;
            self.activity = Activity::Resting;
            self.activity_until = None;
        }
        if *self.own_profile != record.profile {
            self.own_profile = Arc::new(record.profile);
            self.profile = self.own_profile.clone();
            self.model = self.profile.model.clone().unwrap_or_default();
        }
    }
}
