//! Sharing: renews this process's parts of limits that hold for several processes together.
//!
//! A task of the gate asks for them once a second. Without an answer in time the gate admits nothing
//! that is limited, because other processes may use these parts then.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use ractor::ActorRef;
use tokio_util::task::AbortOnDropHandle;

use crate::domain::event::EventKind;
use crate::domain::held::{HeldText, SharedTrial, TrialClaim};
use crate::domain::ids::{Moment, Now};
use crate::domain::message::Severity;
use crate::ports::{ArchiveFault, LimitNews, LimitReport, SharedLimits};
use crate::shared::HeldBack;
use crate::telling::spawn_job;

use super::{GateMsg, GateState};

const RENEWAL_INTERVAL: Duration = Duration::from_secs(1);

pub(super) struct LimitSharing {
    limits: Arc<dyn SharedLimits>,
    held: HeldBack,
    /// What stands for the texts that are held back, as they were read last.
    held_stamp: i64,
    under_way: Option<(Moment, LimitReport, AbortOnDropHandle<()>)>,
    is_lapse_reported: bool,
    _ticks: AbortOnDropHandle<()>,
}

impl LimitSharing {
    pub(super) fn begin(
        myself: &ActorRef<GateMsg>,
        limits: Arc<dyn SharedLimits>,
        held: HeldBack,
    ) -> LimitSharing {
        held.change(|held| held.trials.is_shared = true);
        // A gate that is gone needs no parts.
        let _ = myself.cast(GateMsg::RenewalDue);
        let ticks = myself.send_interval(RENEWAL_INTERVAL, || GateMsg::RenewalDue);
        LimitSharing {
            limits,
            held,
            held_stamp: 0,
            under_way: None,
            is_lapse_reported: false,
            _ticks: AbortOnDropHandle::new(ticks),
        }
    }

    /// Takes what all processes know of trials and of texts that are held back.
    fn take_held(
        &mut self,
        said: &[TrialClaim],
        shared: Vec<SharedTrial>,
        stored: Option<(i64, Vec<HeldText>)>,
        now: Moment,
    ) {
        self.held.change(|held| {
            held.trials.take_shared(said, shared, now);
            if let Some((stamp, stored)) = stored {
                self.held_stamp = stamp;
                held.take_stored(stored, now);
            }
        });
    }
}

impl GateState {
    pub(super) fn begin_renewal(&mut self, now: Now) {
        let Some(sharing) = self.sharing.as_mut().filter(|it| it.under_way.is_none()) else {
            return;
        };
        let report = LimitReport {
            claims: self.gate.claims(now.moment),
            day: self.gate.budget_day(now.wall),
            outages: self.gate.outage_reports(now.moment),
            trials: sharing.held.now().trials.claims(),
            held_stamp: sharing.held_stamp,
        };
        let said = report.clone();
        let renewal = AssertUnwindSafe(sharing.limits.renew(report)).catch_unwind();
        let renewal = spawn_job(&self.myself, async move {
            let panicked = || ArchiveFault("the renewal of the limits panicked".to_string());
            GateMsg::Renewed(renewal.await.unwrap_or_else(|_| Err(panicked())))
        });
        sharing.under_way = Some((now.moment, said, renewal));
    }

    pub(super) fn on_renewed(&mut self, result: Result<LimitNews, ArchiveFault>, now: Now) {
        let Some(sharing) = &mut self.sharing else {
            return;
        };
        let Some((began, said, _)) = sharing.under_way.take() else {
            return;
        };
        match result {
            Ok(news) => {
                let until = began.plus(sharing.limits.safe_time());
                let was_reported = std::mem::take(&mut sharing.is_lapse_reported);
                self.gate.set_parts(&news.parts, until, now.moment);
                self.gate
                    .on_outages_shared(&said.outages, &news.outages, now.moment);
                sharing.take_held(&said.trials, news.trials, news.held, now.moment);
                if let Some(spent) = &news.spent {
                    self.gate.raise_spending(spent, now);
                }
                if was_reported {
                    let text = "this process shares the limits with the others again";
                    self.emit_limits(now, Severity::Info, "limits_renewed", text);
                }
            }
            Err(fault) => {
                tracing::warn!(%fault, "failed to renew the parts of limits");
                let is_new = !sharing.is_lapse_reported && self.gate.has_lapsed_at(now.moment);
                if is_new {
                    sharing.is_lapse_reported = true;
                    let text = format!(
                        "this process cannot renew its part of the limits: {fault}; until it can, no \
                         model call and no login begins, because other processes may use them"
                    );
                    self.emit_limits(now, Severity::Error, "limits_lapsed", &text);
                }
            }
        }
    }

    fn emit_limits(&self, now: Now, severity: Severity, code: &'static str, text: &str) {
        self.emit_event(now.wall, EventKind::notice(severity, code, text));
    }
}
