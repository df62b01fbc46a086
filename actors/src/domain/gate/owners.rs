//! Owners: whose a failure is, one conversation's or its server's (decision 340).
//!
//! A failure that one conversation gets while others are served is its own. Nobody else pays for it:
//! it opens no circuit, holds no lane, and is no news for other processes.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::ids::{Moment, MysisId};
use crate::model::OthersGet;

/// For how long a conversation counts as one of a lane after its last request.
const RECENT: Duration = Duration::from_secs(30);
/// As many conversations are kept without a look at which are gone.
const MIN_SWEPT: usize = 64;

/// What the conversations of a lane get.
#[derive(Debug, Default)]
pub(super) struct Owners {
    known: BTreeMap<MysisId, OwnerStanding>,
    /// When the server last served what is no conversation of this lane: one of another process, or
    /// a bare request.
    served_beside: Option<Moment>,
    swept_at: usize,
}

#[derive(Debug, Default)]
struct OwnerStanding {
    asked: Moment,
    in_flight: u32,
    served: Option<Moment>,
    failing: Option<Failing>,
    /// Its last failure before it was served that was its own.
    failed_alone: Option<Moment>,
}

/// The failures of a conversation since it was last served.
#[derive(Clone, Copy, Debug)]
struct Failing {
    since: Moment,
    last: Moment,
    count: u32,
    /// Whether others were served meanwhile.
    is_own: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// It belongs to one conversation: others are served.
    Own,
    Server {
        /// The conversation; `None` for a call that belongs to none.
        who: Option<MysisId>,
        /// How often it has failed since it was last served.
        count: u32,
        /// The number of other conversations that use the server now.
        others: usize,
    },
}

impl Blame {
    pub const NOBODYS: Blame = Blame::Server {
        who: None,
        count: 1,
        others: 0,
    };
}

impl Owners {
    pub(super) fn begin(&mut self, who: MysisId, now: Moment) {
        let standing = self.known.entry(who).or_default();
        standing.asked = now;
        standing.in_flight += 1;
        self.sweep(now);
    }

    /// Forgets conversations that are gone, once as many have come as were left.
    fn sweep(&mut self, now: Moment) {
        if self.known.len() < self.swept_at.saturating_mul(2).max(MIN_SWEPT) {
            return;
        }
        self.known.retain(|_, standing| standing.is_recent(now));
        self.swept_at = self.known.len();
    }

    pub(super) fn end(&mut self, who: MysisId) {
        if let Some(standing) = self.known.get_mut(&who) {
            standing.in_flight = standing.in_flight.saturating_sub(1);
        }
    }

    pub(super) fn on_served(&mut self, who: MysisId, now: Moment) {
        let standing = self.known.entry(who).or_default();
        standing.served = Some(now);
        let before = standing.failing.take().filter(|failing| failing.is_own);
        standing.failed_alone = before.map(|failing| failing.last).or(standing.failed_alone);
    }

    pub(super) fn note_served_beside(&mut self, now: Moment) {
        self.served_beside = Some(now);
    }

    /// Notes a failure. Returns whose it may be.
    pub(super) fn on_failed(&mut self, who: MysisId, now: Moment) -> Blame {
        let before = self.failing_of(who);
        let since = before.map_or(now, |failing| failing.since);
        let is_own = before.is_some_and(|failing| failing.is_own)
            || (before.is_some() && self.others_served_since(who, since))
            || self.failed_alone_lately(who, now);
        let count = before.map_or(0, |failing| failing.count).saturating_add(1);
        let standing = self.known.entry(who).or_default();
        standing.failing = Some(Failing {
            since,
            last: now,
            count,
            is_own,
        });
        let others = self.others_of(who, now);
        // Of one who is alone by now, the others' good times prove nothing any more.
        if is_own && others > 0 {
            return Blame::Own;
        }
        Blame::Server {
            who: Some(who),
            count,
            others,
        }
    }

    /// Whether it goes on failing: what is served in between does not make its failures the server's.
    fn failed_alone_lately(&self, who: MysisId, now: Moment) -> bool {
        let standing = self.known.get(&who);
        let failed_alone = standing.and_then(|standing| standing.failed_alone);
        failed_alone.is_some_and(|at| now.since(at) < RECENT)
    }

    fn failing_of(&self, who: MysisId) -> Option<Failing> {
        self.known.get(&who)?.failing
    }

    fn others_served_since(&self, who: MysisId, since: Moment) -> bool {
        let is_since = |served: &Option<Moment>| served.is_some_and(|at| at >= since);
        let mut others = self.known.iter().filter(|(other, _)| **other != who);
        is_since(&self.served_beside) || others.any(|(_, standing)| is_since(&standing.served))
    }

    /// The number of other conversations that use the lane and have no failure of their own.
    fn others_of(&self, who: MysisId, now: Moment) -> usize {
        let is_other = |(other, standing): &(&MysisId, &OwnerStanding)| {
            let has_own = standing.failing.is_some_and(|failing| failing.is_own);
            **other != who && !has_own && standing.is_recent(now)
        };
        let is_recent = |at: &Moment| now.since(*at) < RECENT;
        let beside = self.served_beside.filter(is_recent);
        self.known.iter().filter(is_other).count() + usize::from(beside.is_some())
    }

    /// When a conversation last failed; `None` if it was served since.
    pub(super) fn last_failure(&self, who: Option<MysisId>) -> Option<Moment> {
        Some(self.failing_of(who?)?.last)
    }

    /// Whether the newest failure is of this conversation, and others are there to try.
    pub(super) fn yields(&self, who: Option<MysisId>, now: Moment) -> bool {
        let Some((who, own)) = who.zip(self.last_failure(who)) else {
            return false;
        };
        let mut failures = self.known.values().filter_map(|standing| standing.failing);
        self.others_of(who, now) > 0 && !failures.any(|failing| failing.last > own)
    }

    /// Whether any conversation was served within the time in which it counts, and none that failed
    /// since speaks against it.
    pub(super) fn is_serving(&self, now: Moment) -> bool {
        let is_recent = |at: Moment| now.since(at) < RECENT;
        let served = self.known.values().filter_map(|standing| standing.served);
        let served = served.max().filter(|at| is_recent(*at));
        let failing = self.known.values().filter_map(|standing| standing.failing);
        let mut failing = failing.filter(|failing| !failing.is_own);
        served.is_some_and(|served| !failing.any(|failing| failing.last > served))
    }

    /// Whether a pause that the server asked this conversation for holds for all: nobody else uses the
    /// lane, or another one does not get on, either.
    pub(super) fn holds_all(&self, who: Option<MysisId>, now: Moment) -> bool {
        who.is_none_or(|who| match self.others_get(who, now) {
            OthersGet::Served | OthersGet::Both | OthersGet::Unknown => false,
            OthersGet::Refused | OthersGet::Nobody => true,
        })
    }

    /// What the other conversations got since this one began to fail.
    pub(super) fn others_get(&self, who: MysisId, now: Moment) -> OthersGet {
        let Some(own) = self.failing_of(who) else {
            return OthersGet::Unknown;
        };
        let others = self.known.iter().filter(|(other, _)| **other != who);
        let failing = others.filter_map(|(_, standing)| standing.failing);
        let is_failing = failing
            .filter(|failing| !failing.is_own)
            .any(|failing| now.since(failing.last) < RECENT);
        match (self.others_served_since(who, own.since), is_failing) {
            (true, false) => OthersGet::Served,
            (true, true) => OthersGet::Both,
            (false, true) => OthersGet::Refused,
            (false, false) if self.others_of(who, now) > 0 => OthersGet::Unknown,
            (false, false) => OthersGet::Nobody,
        }
    }
}

impl OwnerStanding {
    fn is_recent(&self, now: Moment) -> bool {
        // Calls without an admission are known by what they got.
        let served = self.served.is_some_and(|at| now.since(at) < RECENT);
        self.in_flight > 0 || now.since(self.asked) < RECENT || served
    }
}
