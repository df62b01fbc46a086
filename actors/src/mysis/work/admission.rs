//! Admission of a model call, and what is shown while its Mysis waits for it.

use std::time::Duration;

use crate::domain::event::Activity;
use crate::domain::gate::AdmissionRequest;
use crate::domain::ids::{Lane, MysisId};
use crate::domain::life::ModelQuery;
use crate::gate::{Admission, GateHandle};
use crate::session::Outlet;

/// From then on it is shown that the gate lets a request wait. An answer at once shows no wait: the server
/// that takes the request may be another one than the first.
const SHOWN_AFTER: Duration = Duration::from_millis(200);

pub(super) async fn request_admission(
    gate: &GateHandle,
    payer: MysisId,
    outlet: &Outlet,
    ask: &ModelQuery,
) -> Option<Admission> {
    let lanes = ask.routes.iter();
    let request = AdmissionRequest {
        routes: lanes
            .map(|route| Lane::Provider(route.provider.clone()))
            .collect(),
        asker: Some(payer),
        payer: Some(payer),
        limits: ask.limits,
        is_urgent: ask.is_urgent,
        tokens: ask.tokens,
        waits_out: true,
    };
    let first = request.routes.first()?.clone();
    let mut asked = std::pin::pin!(gate.request_admission(request));
    if let Ok(admission) = tokio::time::timeout(SHOWN_AFTER, &mut asked).await {
        return admission;
    }
    show_wait(outlet, first);
    asked.await
}

/// Shows that a request waits for its first server. The swarm may be frozen before the gate has answered.
pub(super) fn show_first_wait(outlet: &Outlet, ask: &ModelQuery) {
    if let Some(first) = ask.routes.first() {
        show_wait(outlet, Lane::Provider(first.provider.clone()));
    }
}

/// Shows that the model is called. Who is admitted to another server does not wait for its first one any
/// more.
pub(super) fn show_call(outlet: &Outlet, ask: &ModelQuery, lane: &Lane) {
    let first = ask.routes.first();
    let first = first.map(|route| Lane::Provider(route.provider.clone()));
    if first.is_some_and(|first| first != *lane) {
        show_wait(outlet, lane.clone());
    }
    outlet.show(Activity::CallingModel);
}

fn show_wait(outlet: &Outlet, lane: Lane) {
    outlet.show(Activity::Queueing(lane));
}
