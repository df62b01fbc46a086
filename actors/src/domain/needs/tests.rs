//! The list of needs.

use std::sync::Arc;

use super::*;
use crate::event::{EventKind, MysisRef, RosterChange, SwarmCondition, SwarmEvent};
use crate::fault::{MysisFault, MysisFaultKind};
use crate::ids::Lane;
use crate::outages::{OutageStage, ServerOutage, ServerOutages};
use crate::record::{MysisProfile, MysisRecord};
use crate::rules::SwarmRules;
use crate::standing::{StandingConditions, StandingKind};

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;

/// A book, and what happens in its swarm.
#[derive(Default)]
struct Scene {
    book: NeedBook,
    now: i64,
}

fn running(id: i64) -> MysisStatus {
    let profile = MysisProfile::of(&format!("m{id}"), "local");
    let record = MysisRecord::new(MysisId(id), profile, Timestamp(0));
    MysisStatus {
        state: LifeState::Running,
        ..MysisStatus::from_record(&record, &SwarmRules::default(), Timestamp(0))
    }
}

impl Scene {
    fn happens(&mut self, what: EventKind) {
        let event = SwarmEvent {
            at: Timestamp(self.now),
            mysis: None,
            what,
        };
        self.book.on_event(&event);
    }

    fn is(&mut self, status: MysisStatus) {
        self.happens(EventKind::StatusChanged(Arc::new(status)));
    }

    fn waits(&mut self, ids: std::ops::RangeInclusive<i64>, lane: &Lane) {
        for id in ids {
            self.is(MysisStatus {
                activity: Activity::Queueing(lane.clone()),
                ..running(id)
            });
        }
    }

    fn is_away(&mut self, lane: &Lane, text: &str, needs_operator: bool) {
        let away = ServerOutage {
            lane: lane.clone(),
            text: text.into(),
            since: Timestamp(self.now),
            next_try: Timestamp(self.now + 4 * SECOND),
            needs_operator,
            stage: OutageStage::Away,
        };
        self.happens(EventKind::Condition(SwarmCondition::Outages(Arc::new(
            ServerOutages(vec![away]),
        ))));
    }

    fn is_back(&mut self) {
        self.happens(EventKind::Condition(
            SwarmCondition::Outages(Arc::default()),
        ));
    }

    /// What, whose, since how many seconds.
    fn list(&self) -> Vec<(&'static str, String, i64)> {
        let lines = self.book.list(Timestamp(self.now)).into_iter();
        lines
            .map(|line| {
                let age = (self.now - line.since.0) / SECOND;
                (line.what, line.whose(), age)
            })
            .collect()
    }
}

fn local() -> Lane {
    Lane::Provider("local".into())
}

#[test]
fn a_dead_model_server_is_one_need_with_every_mysis_that_waited_a_minute() {
    let mut scene = Scene::default();
    scene.is_away(&local(), "HTTP 503", false);
    scene.waits(1..=13, &local());
    for id in 14..=16 {
        scene.is(running(id));
    }
    scene.now = 59 * SECOND;
    assert_eq!(scene.list(), [], "what comes back soon needs no operator");
    assert_eq!(
        scene.book.next_due(Timestamp(scene.now)),
        Some(Timestamp(MINUTE))
    );
    scene.now = MINUTE;
    assert_eq!(scene.list(), [("model away", "13 Myses".to_string(), 60)]);
    // The one that tries it for all still waits.
    scene.is(MysisStatus {
        activity: Activity::CallingModel,
        ..running(7)
    });
    assert_eq!(scene.list()[0].1, "13 Myses");
    // One that is served does not.
    scene.is(MysisStatus {
        activity: Activity::CallingTool("mine".into()),
        ..running(7)
    });
    assert_eq!(scene.list()[0].1, "12 Myses");
    let line = &scene.book.list(Timestamp(scene.now))[0];
    assert_eq!(
        (line.cause, line.remedy),
        (NeedCause::Model, NeedRemedy::TryNow)
    );
    assert_eq!(&*line.why, "local: HTTP 503");
}

#[test]
fn a_server_that_nobody_waits_for_has_a_need_of_its_own_after_a_minute() {
    let mut scene = Scene::default();
    scene.is_away(&local(), "HTTP 402; the account has nothing left", true);
    let holders = |scene: &Scene| -> Vec<NeedHolder> {
        let needs = scene.book.single_needs(Timestamp(scene.now)).into_iter();
        needs.map(|need| need.holder).collect()
    };
    // It is listed at once, and Myses may come to wait for it.
    assert_eq!(scene.list().len(), 1);
    assert_eq!(holders(&scene), []);
    let due = scene.book.next_due(Timestamp(scene.now));
    assert_eq!(due, Some(Timestamp(MINUTE)));
    scene.waits(1..=1, &local());
    assert_eq!(holders(&scene), [NeedHolder::Mysis(MysisId(1))]);
    scene.is(MysisStatus {
        state: LifeState::Stopped,
        ..running(1)
    });
    scene.now = MINUTE;
    let server = NeedHolder::Server(NeedCause::Account, Some("local".into()));
    assert_eq!(holders(&scene), [server]);
    scene.is_back();
    assert_eq!(holders(&scene), []);
}

#[test]
fn a_need_that_ends_for_a_moment_keeps_its_age_and_one_of_long_ago_does_not() {
    let mut scene = Scene::default();
    scene.waits(1..=2, &local());
    for _ in 0..10 {
        scene.is_away(&local(), "HTTP 503", false);
        scene.now += 80 * SECOND;
        scene.is_back();
        scene.now += 10 * SECOND;
    }
    scene.is_away(&local(), "HTTP 503", false);
    assert_eq!(
        scene.list(),
        [("model away", "2 Myses".to_string(), 10 * 90)]
    );
    scene.is_back();
    assert_eq!(scene.list(), []);
    scene.now += 6 * MINUTE;
    scene.is_away(&local(), "HTTP 503", false);
    assert_eq!(scene.list(), []);
    scene.now += MINUTE;
    assert_eq!(scene.list(), [("model away", "2 Myses".to_string(), 60)]);
}

#[test]
fn a_clock_that_is_set_back_hides_no_server_that_is_away() {
    let mut scene = Scene {
        now: 90 * MINUTE,
        ..Scene::default()
    };
    scene.waits(1..=2, &local());
    scene.is_away(&local(), "HTTP 503", false);
    assert_eq!(scene.list(), []);
    scene.now -= 60 * MINUTE;
    assert_eq!(scene.list(), [("model away", "2 Myses".to_string(), -3600)]);
    assert_eq!(scene.book.next_due(Timestamp(scene.now)), None);
}

#[test]
fn one_that_is_stuck_in_turns_is_one_need_with_its_whole_age() {
    let stuck = |way, since| MysisStatus {
        stuck: Some(Stuck {
            since: Timestamp(since),
            turns: 5,
            way,
            tool: None,
        }),
        ..running(1)
    };
    let mut scene = Scene::default();
    for at in (0..20 * MINUTE).step_by(90 * 1_000) {
        scene.now = at;
        let way = match at % (180 * SECOND) {
            0 => StallKind::OnlyText,
            _ => StallKind::Looping,
        };
        scene.is(stuck(way, at));
        scene.now = at + 45 * SECOND;
        scene.is(running(1));
    }
    scene.now = 20 * MINUTE;
    scene.is(stuck(StallKind::Inactive, scene.now));
    assert_eq!(scene.list(), [("no gain", "m1".to_string(), 20 * 60)]);
}

#[test]
fn equal_troubles_are_one_line_and_each_login_by_a_link_has_its_own() {
    let errored = |id: i64, text: &str| MysisStatus {
        state: LifeState::Errored,
        fault: Some(MysisFault {
            kind: MysisFaultKind::Permanent,
            text: text.into(),
            at: Timestamp(id),
        }),
        ..running(id)
    };
    let mut scene = Scene::default();
    for id in 1..=4 {
        scene.is(errored(
            id,
            &format!("HTTP 400: m{id} asked badly (request id: 9{id})"),
        ));
    }
    for id in 5..=6 {
        scene.is(errored(
            id,
            "HTTP 401: bad key; check the provider's api_key_env",
        ));
    }
    for id in 7..=8 {
        scene.is(MysisStatus {
            activity: Activity::AwaitingLogin("enter K-1".into()),
            ..running(id)
        });
    }
    let seen: Vec<_> = scene
        .list()
        .into_iter()
        .map(|(what, whose, _)| (what, whose))
        .collect();
    let line = |what, whose: &str| (what, whose.to_string());
    assert_eq!(
        seen,
        [
            line("errored", "2 Myses"),
            line("errored", "4 Myses"),
            line("log in", "m7"),
            line("log in", "m8"),
        ]
    );
}

#[test]
fn needs_are_listed_by_cause() {
    let mut scene = Scene::default();
    let mut standing = StandingConditions::default();
    for kind in [
        StandingKind::SecretMissing,
        StandingKind::LittleRoom,
        StandingKind::StoreTrouble,
    ] {
        standing.set(kind, Timestamp(0), Some("why".into()));
    }
    scene.happens(EventKind::Condition(SwarmCondition::Standing(Arc::new(
        standing,
    ))));
    let outage = |lane: Lane, text: &str, needs_operator| ServerOutage {
        lane,
        text: text.into(),
        since: Timestamp(0),
        next_try: Timestamp(0),
        needs_operator,
        stage: OutageStage::Away,
    };
    scene.happens(EventKind::Condition(SwarmCondition::Outages(Arc::new(
        ServerOutages(vec![
            outage(
                Lane::Provider("dear".into()),
                "402; the account has nothing left",
                true,
            ),
            outage(local(), "HTTP 503", false),
            outage(Lane::Game, "refused", false),
        ]),
    ))));
    let refused = LinkState::LoginRefused("Invalid username or password".into());
    scene.is(MysisStatus {
        link: refused.clone(),
        ..running(1)
    });
    scene.is(MysisStatus {
        link: refused,
        activity: Activity::CallingModel,
        ..running(2)
    });
    scene.is(MysisStatus {
        activity: Activity::Paused("the swarm's budget spent, resumes 00:00".into()),
        ..running(3)
    });
    scene.is(MysisStatus {
        state: LifeState::Errored,
        ..running(4)
    });
    scene.is(MysisStatus {
        link: LinkState::Down,
        ..running(5)
    });
    scene.waits(6..=6, &local());
    scene.now = 2 * MINUTE;
    let seen: Vec<_> = scene
        .list()
        .into_iter()
        .map(|(what, whose, _)| (what, whose))
        .collect();
    let line = |what, whose: &str| (what, whose.to_string());
    assert_eq!(
        seen,
        [
            line("store_trouble", "zoea"),
            line("little_room", "zoea"),
            line("game away", "m5"),
            line("login refused", "2 Myses"),
            line("model away", "m6"),
            line("secret_missing", "zoea"),
            line("account", "zoea"),
            line("paused", "m3"),
            line("errored", "m4"),
        ]
    );
}

#[test]
fn a_session_that_is_lost_for_seconds_is_no_need_and_a_deleted_mysis_has_none() {
    let mut scene = Scene::default();
    let down = |at| MysisStatus {
        link: LinkState::Down,
        link_since: Timestamp(at),
        ..running(1)
    };
    scene.is(down(0));
    assert_eq!(scene.list(), []);
    scene.now = MINUTE;
    assert_eq!(scene.list(), [("no tools", "m1".to_string(), 60)]);
    let event = SwarmEvent {
        at: Timestamp(scene.now),
        mysis: Some(MysisRef {
            id: MysisId(1),
            name: "m1".into(),
        }),
        what: EventKind::Roster(RosterChange::Deleted),
    };
    scene.book.on_event(&event);
    assert_eq!(scene.list(), []);
}
