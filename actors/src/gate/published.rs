//! Publishes what is known of the servers: those that are away, and those that did not serve the last calls.

use std::sync::Arc;

use crate::domain::event::{EventKind, SwarmCondition};
use crate::domain::gate::circuit::Outage;
use crate::domain::gate::{GateEvent, LaneHold, LaneTrouble};
use crate::domain::ids::{Lane, Now, Timestamp};
use crate::domain::model::ServiceReturn;
use crate::domain::outages::{OutageStage, ServerOutage, ServerOutages};

use super::GateState;

#[derive(Default)]
pub(super) struct PublishedOutages {
    away: Vec<(Lane, Outage)>,
    troubles: Vec<(Lane, LaneTrouble)>,
    holds: Vec<(Lane, LaneHold)>,
}

impl GateState {
    /// Reports the servers that are away or in trouble, if anything changed.
    pub(super) fn publish_outages(&mut self, now: Now) {
        let PublishedOutages {
            away,
            troubles,
            holds,
        } = &self.published;
        let is_known = self
            .gate
            .outages()
            .eq(away.iter().map(|(lane, it)| (lane, it)))
            && (self.gate.troubles()).eq(troubles.iter().map(|(lane, it)| (lane, it)))
            && (self.gate.holds(now.moment)).eq(holds.iter().map(|(lane, it)| (lane, it)));
        if is_known {
            return;
        }
        let away = self.gate.outages();
        let troubles = self.gate.troubles();
        let holds = self.gate.holds(now.moment);
        self.published = PublishedOutages {
            away: away.map(|(lane, it)| (lane.clone(), it.clone())).collect(),
            troubles: troubles
                .map(|(lane, it)| (lane.clone(), it.clone()))
                .collect(),
            holds: holds.map(|(lane, it)| (lane.clone(), it.clone())).collect(),
        };
        let outages = Arc::new(self.outages(now));
        self.emit_event(
            now.wall,
            EventKind::Condition(SwarmCondition::Outages(outages)),
        );
    }

    /// When what it tells began: an outage began with the first failure.
    pub(super) fn began(&self, news: &GateEvent, now: Now) -> Timestamp {
        let outage = match news {
            GateEvent::CircuitOpened { lane, .. } | GateEvent::OutOfService { lane, .. } => {
                self.gate.outages().find(|(of, _)| *of == lane)
            }
            GateEvent::CircuitClosed { .. }
            | GateEvent::Budget(_)
            | GateEvent::CachingStopped { .. } => None,
        };
        outage.map_or(now.wall, |(_, outage)| now.wall_at(outage.since))
    }

    /// The servers that are away or in trouble, by the wall clock.
    pub(super) fn outages(&self, now: Now) -> ServerOutages {
        let away = self.gate.outages().map(|(lane, outage)| ServerOutage {
            lane: lane.clone(),
            text: outage.text.clone(),
            since: now.wall_at(outage.since),
            next_try: now.wall_at(outage.next_try),
            needs_operator: outage.ends_by == Some(ServiceReturn::Operator),
            stage: OutageStage::Away,
        });
        let troubles = self.gate.troubles().map(|(lane, trouble)| ServerOutage {
            lane: lane.clone(),
            text: trouble.text.clone(),
            since: now.wall_at(trouble.since),
            next_try: now.wall,
            needs_operator: trouble.needs_operator,
            stage: match trouble.is_servers {
                true => OutageStage::Failing,
                false => OutageStage::Doubtful,
            },
        });
        let holds = self.gate.holds(now.moment);
        let holds = holds.map(|(lane, hold)| ServerOutage {
            lane: lane.clone(),
            text: hold.text.clone(),
            since: now.wall_at(hold.since),
            next_try: now.wall_at(hold.until),
            needs_operator: false,
            stage: OutageStage::Doubtful,
        });
        let mut all: Vec<ServerOutage> = away.chain(troubles).collect();
        // A server that is away lets nobody in either.
        let known = all.len();
        for hold in holds {
            if !all[..known].iter().any(|it| it.is_of_server(&hold.lane)) {
                all.push(hold);
            }
        }
        ServerOutages(all)
    }
}
