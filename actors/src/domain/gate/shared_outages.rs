//! What processes tell each other about model servers that are away, so that one of them tries for all.
//!
//! What a process found out since they last agreed is told; what others found out is taken over. A server
//! that cannot even be reached is no news for others: their way to it may be another one.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::circuit::Outage;
use super::{AdmissionGate, LaneRules};
use crate::ids::{Lane, Moment};
use crate::sharing::{OutageChange, OutageReport, SharedOutage};

#[derive(Debug, Default)]
pub(super) struct SharedOutages(BTreeMap<Arc<str>, Agreed>);

#[derive(Clone, Debug, Default)]
struct Agreed {
    version: i64,
    /// The same as it stands in the lane.
    outage: Option<Outage>,
    reported: Option<Outage>,
}

/// Whether both say the same, whatever calls are under way.
fn is_the_same(one: Option<&Outage>, other: Option<&Outage>) -> bool {
    let said = |of: &Outage| (of.since, of.text.clone(), of.next_try, of.ends_by);
    one.map(said) == other.map(said)
}

impl AdmissionGate {
    pub(super) fn note_asked(&mut self, routes: &[Lane], chosen: &Lane, now: Moment) {
        for lane in routes {
            self.lanes.entry(lane.clone()).or_default().asked_at = Some(now);
            if lane == chosen {
                break;
            }
        }
    }

    /// What is known here about a provider, as far as it concerns others. Whoever cannot reach it from
    /// here has nothing to say beyond what was agreed on.
    fn outage_for_all(&self, provider: &Arc<str>) -> Option<Outage> {
        let lane = self.lanes.get(&Lane::Provider(provider.clone()))?;
        let here = lane.shared_outage()?;
        match here.is_local {
            true => self.shared_outages.0.get(provider)?.outage.clone(),
            false => Some(here.clone()),
        }
    }

    fn shared_providers(&self) -> Vec<Arc<str>> {
        let provider = |(lane, rules): (&Lane, &LaneRules)| match lane {
            Lane::Provider(provider) => rules.circuit.map(|_| provider.clone()),
            Lane::Logins | Lane::Game => None,
        };
        self.rules.lanes.iter().filter_map(provider).collect()
    }

    pub fn outage_reports(&mut self, now: Moment) -> Vec<OutageReport> {
        let mut reports = Vec::new();
        for provider in self.shared_providers() {
            let here = self.outage_for_all(&provider);
            let agreed = self.shared_outages.0.entry(provider.clone()).or_default();
            let change =
                (!is_the_same(here.as_ref(), agreed.outage.as_ref())).then(|| match &here {
                    None => OutageChange::Over,
                    Some(absence) => OutageChange::Away(SharedOutage {
                        provider: provider.clone(),
                        version: 0,
                        text: absence.text.clone(),
                        ends_by: absence.ends_by,
                        since: now.since(absence.since),
                        next_try: absence.next_try.since(now),
                    }),
                });
            agreed.reported = here;
            reports.push(OutageReport {
                provider,
                seen: agreed.version,
                change,
            });
        }
        reports
    }

    pub fn on_outages_shared(
        &mut self,
        reports: &[OutageReport],
        shared: &[SharedOutage],
        now: Moment,
    ) {
        for report in reports {
            let shared = shared
                .iter()
                .find(|shared| shared.provider == report.provider);
            let here = self.outage_for_all(&report.provider);
            let agreed = self
                .shared_outages
                .0
                .entry(report.provider.clone())
                .or_default();
            let reported = agreed.reported.take();
            let version = shared.map_or(0, |shared| shared.version);
            let is_news = report.change.is_none()
                && version != report.seen
                && is_the_same(here.as_ref(), reported.as_ref());
            *agreed = Agreed {
                version,
                outage: reported,
                reported: None,
            };
            if is_news {
                self.take_over_outage(&report.provider, shared, now);
            }
        }
    }

    fn take_over_outage(
        &mut self,
        provider: &Arc<str>,
        shared: Option<&SharedOutage>,
        now: Moment,
    ) {
        let lane = Lane::Provider(provider.clone());
        let outage = shared.map(|shared| {
            let (since, next_try) = (now.minus(shared.since), now.plus(shared.next_try));
            Outage::new(shared.text.clone(), since, next_try, shared.ends_by)
        });
        let turn = self
            .lanes
            .entry(lane.clone())
            .or_default()
            .take_over(outage.clone(), now);
        if let Some(agreed) = self.shared_outages.0.get_mut(provider) {
            agreed.outage = outage;
        }
        self.on_transition(&lane, turn);
    }
}
