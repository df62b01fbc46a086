//! Where a Mysis runs that this process does not run.

use std::sync::Arc;

use super::{Activity, MysisStatus};
use crate::state::LifeState;

/// The other process of the fleet that runs a Mysis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// The process' name.
    pub process: Arc<str>,
    /// Whether it does not renew its leases any more.
    pub is_gone: bool,
}

impl MysisStatus {
    /// The status as this process shows it while another one runs the Mysis. Of one that is gone,
    /// nobody knows what the Mysis does.
    #[must_use]
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
}
