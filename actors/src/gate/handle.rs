//! The handle of the gate: asks for admission, and reports.

use std::sync::Arc;
use std::time::Duration;

use crate::address::Address;
use crate::domain::budget::BudgetLimits;
use crate::domain::gate::AdmissionRequest;
use crate::domain::gate::circuit::CallOutcome;
use crate::domain::ids::{Lane, MysisId};
use crate::domain::model::{Charge, OthersGet};

use super::{Admission, GateMsg, Permit};

/// The address of the gate. It survives the gate's replacement.
#[derive(Clone, Debug)]
pub struct GateHandle(pub(crate) Address<GateMsg>);

impl GateHandle {
    /// Waits for the gate's answer. Returns `None` once the program is closing.
    pub async fn request_admission(&self, request: AdmissionRequest) -> Option<Admission> {
        let admit = |reply| GateMsg::Admit {
            request: request.clone(),
            reply,
        };
        self.0.ask(admit).await
    }

    /// Waits for admission to a lane without a budget. If the server is away, the request waits
    /// only if `waits_out` is set. Returns `None` once the program is closing.
    pub async fn enter_lane(
        &self,
        lane: Lane,
        asker: MysisId,
        waits_out: bool,
    ) -> Option<Result<Permit, Arc<str>>> {
        let request = AdmissionRequest {
            routes: vec![lane],
            asker: Some(asker),
            payer: None,
            limits: BudgetLimits::default(),
            is_urgent: false,
            tokens: 0,
            waits_out,
        };
        match self.request_admission(request).await? {
            Admission::Admitted(pass) => Some(Ok(pass)),
            // Only a paying request can be out of budget.
            Admission::Denied { why, .. } | Admission::Away { why } => Some(Err(why)),
        }
    }

    /// Reports the outcome of a call that needed no admission.
    pub fn report_outcome(&self, lane: Lane, mysis: MysisId, outcome: CallOutcome) {
        // If the gate is gone, the next call tells its successor.
        let _ = self.0.actor().cast(GateMsg::Called {
            lane,
            mysis,
            outcome,
        });
    }

    pub fn report_charge(&self, mysis: MysisId, bill: Charge) {
        // If the gate is gone, its successor reads the books.
        let _ = self.0.actor().cast(GateMsg::Paid { mysis, bill });
    }

    /// What the other conversations of a provider get. If the gate is gone, nothing is known.
    pub async fn others_get(&self, lane: &Lane, mysis: MysisId) -> OthersGet {
        let (gate, lane) = (self.0.actor(), lane.clone());
        let asked = gate.call(|reply| GateMsg::Others { lane, mysis, reply }, None);
        match asked.await {
            Ok(ractor::rpc::CallResult::Success(others)) => others,
            Ok(_) | Err(_) => OthersGet::Unknown,
        }
    }

    /// Pauses a lane, because its server said this.
    pub fn hold_lane(&self, lane: Lane, why: Arc<str>, wait: Duration) {
        // If the gate is gone, nothing is admitted anyway.
        let _ = self.0.actor().cast(GateMsg::Hold { lane, why, wait });
    }
}
