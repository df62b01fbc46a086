//! Read from the first six rows of a terminal of 80 by 24: whether it goes well, and who needs the operator.

use std::sync::Arc;

use actors::domain::event::{
    Activity, EventKind, LinkState, MysisStatus, PARKED_PREFIX, SwarmCondition,
};
use actors::domain::ids::{Lane, Timestamp};
use actors::domain::outages::{OutageStage, ServerOutage, ServerOutages};
use actors::domain::progress::{StallKind, Stuck};
use actors::domain::silence::{Silence, SilenceNotice, SilenceScope};
use actors::domain::standing::{StandingConditions, StandingKind};
use actors::domain::state::LifeState;
use zoea_scenes::swarm::{START, Swarm};

use crate::operator::Operator;

const NOW: Timestamp = Timestamp(START.0 + 3_600_000);

/// Three running Myses, each of which earned this, so many minutes ago.
fn playing(sums: &[(i64, i64)]) -> Swarm {
    let mut swarm = Swarm::new(3, 0, 1);
    for id in swarm.ids() {
        let name = swarm.statuses[&id].name.to_string();
        drop(swarm.change(&name, LifeState::Running, NOW));
        swarm.has_earned(id, 5_000, sums, NOW);
    }
    swarm
}

/// So much in each of the last ten minutes, and of the ten before.
fn steadily(recent: i64, before: i64) -> Vec<(i64, i64)> {
    let sum = |minute| (minute, if minute < 10 { recent } else { before });
    (0..20).map(sum).collect()
}

fn at(swarm: Swarm) -> Operator {
    Operator::at(swarm, (80, 24))
}

/// The first six rows hold these words, and none of those.
#[track_caller]
fn first_rows_tell(operator: &Operator, words: &[&str], others: &[&str]) {
    let text = operator.text();
    let rows: Vec<&str> = text.lines().take(6).collect();
    let rows = rows.join("\n");
    for word in words {
        assert!(rows.contains(word), "{word}:\n{rows}");
    }
    for word in others {
        assert!(!rows.contains(word), "{word}:\n{rows}");
    }
}

const NO_NEED: &str = "need you";

#[test]
fn earning_is_told_with_its_rate_and_direction() {
    let rising = at(playing(&steadily(100, 50)));
    first_rows_tell(&rising, &["EARNING +", " a minute ▲"], &[NO_NEED]);
    let falling = at(playing(&steadily(50, 100)));
    first_rows_tell(&falling, &["EARNING +", " a minute ▼"], &[NO_NEED]);
}

#[test]
fn flat_is_told_with_its_time() {
    let flat = at(playing(&[(30, 500), (25, 500)]));
    first_rows_tell(&flat, &["FLAT 0 a minute, nothing for 2"], &["EARNING"]);
}

#[test]
fn losing_is_told_with_its_rate() {
    let losing = at(playing(&steadily(-40, 10)));
    first_rows_tell(&losing, &["LOSING -", " a minute ▼"], &["EARNING", NO_NEED]);
}

#[test]
fn an_outage_is_told_with_its_server() {
    let mut swarm = playing(&steadily(50, 50));
    let lane = Lane::Provider("openrouter".into());
    for status in swarm.statuses.values_mut() {
        status.activity = Activity::Queueing(lane.clone());
    }
    let mut operator = at(swarm);
    let away = ServerOutage {
        lane,
        text: "HTTP 503".into(),
        since: Timestamp(NOW.0 - 180_000),
        next_try: Timestamp(NOW.0 + 4_000),
        needs_operator: false,
        stage: OutageStage::Away,
    };
    let outages = ServerOutages(vec![away]);
    let outages = SwarmCondition::Outages(Arc::new(outages));
    operator.happens(EventKind::Condition(outages));
    let words = ["OUTAGE 3 of 3 wait: provider openrouter away 3m"];
    first_rows_tell(&operator, &words, &["EARNING"]);
}

#[test]
fn no_progress_is_told_where_half_of_the_swarm_makes_none() {
    let told = |scope, text: &str, silent: usize| {
        let mut swarm = playing(&steadily(50, 50));
        for status in swarm.statuses.values_mut().take(silent) {
            status.silence = Some(Arc::new(Silence::as_shared(NOW, None)));
        }
        let mut operator = at(swarm);
        let text = text.into();
        let silence = Some(Arc::new(SilenceNotice { scope, text }));
        operator.happens(EventKind::Condition(SwarmCondition::Silence(silence)));
        operator
    };
    let one = told(SilenceScope::Myses, "alpha: every call failed", 1);
    let words = ["alpha: every call failed", "EARNING +"];
    first_rows_tell(&one, &words, &["NO PROGRESS"]);
    let provider = |silent| told(SilenceScope::Provider, "nothing happens: qwen", silent);
    first_rows_tell(&provider(1), &["EARNING +"], &["NO PROGRESS"]);
    let words = ["NO PROGRESS Myses run, and no call succeeds"];
    first_rows_tell(&provider(2), &words, &["EARNING"]);
    let failing = told(SilenceScope::Swarm, "most calls fail: 2 of 3 Myses", 0);
    let words = ["NO PROGRESS Myses run, and most calls fail"];
    first_rows_tell(&failing, &words, &["EARNING", "no call succeeds"]);
}

/// The header calls what a Mysis needs as its line below the table does.
#[track_caller]
fn has_one_word(change: impl FnOnce(&mut MysisStatus)) {
    let mut swarm = playing(&steadily(50, 50));
    change(swarm.statuses.values_mut().next().unwrap());
    let text = at(swarm).text();
    let (_, named) = text.split_once("! 1 need you: alpha ").unwrap();
    let named = named.lines().next().unwrap();
    let word = named.split("   ").next().unwrap().trim_end();
    let mut lines = text
        .lines()
        .skip_while(|row| !row.contains("WHO NEEDS YOU"));
    let line = lines.find(|row| row.contains("alpha")).unwrap();
    assert!(line.contains(&format!("  {word}  ")), "{word}:\n{text}");
}

#[test]
fn a_need_has_one_word_in_the_header_and_in_its_line() {
    has_one_word(|status| status.link = LinkState::NoAccess);
    has_one_word(|status| {
        (status.link, status.link_since) = (LinkState::Down, Timestamp(NOW.0 - 90_000));
    });
    for why in ["it asks", &format!("{PARKED_PREFIX}it asks")] {
        has_one_word(|status| {
            (status.state, status.reason) = (LifeState::Idle, Some(why.into()));
        });
    }
    for way in [
        StallKind::Repeats,
        StallKind::OnlyText,
        StallKind::AllCallsFail,
        StallKind::Looping,
        StallKind::Inactive,
    ] {
        has_one_word(|status| {
            status.stuck = Some(Stuck {
                since: NOW,
                turns: 5,
                tool: None,
                way,
            });
        });
    }
}

#[test]
fn what_the_whole_program_needs_has_no_word_of_json_in_the_header() {
    for kind in StandingKind::ALL {
        let mut standing = StandingConditions::default();
        standing.set(kind, NOW, Some("why".into()));
        let mut operator = at(playing(&steadily(50, 50)));
        let standing = SwarmCondition::Standing(Arc::new(standing));
        operator.happens(EventKind::Condition(standing));
        first_rows_tell(&operator, &["! 1 need you: zoea "], &[kind.code()]);
    }
}

#[test]
fn who_needs_the_operator_is_named() {
    let mut swarm = playing(&steadily(50, 50));
    let ids = swarm.ids();
    drop(swarm.fail(ids[1], "model server: 401 Unauthorized", NOW));
    let operator = at(swarm);
    first_rows_tell(&operator, &["EARNING +", "! 1 need you: bravo"], &[]);
}

#[test]
fn a_frozen_swarm_says_so() {
    let mut operator = at(playing(&steadily(50, 50)));
    operator.happens(EventKind::Condition(SwarmCondition::Freeze(Some(NOW))));
    first_rows_tell(&operator, &["FROZEN no call begins"], &["EARNING"]);
}

#[test]
fn a_swarm_of_some_seconds_is_not_called_flat() {
    let mut swarm = playing(&[]);
    for status in swarm.statuses.values_mut() {
        status.created_at = Timestamp(NOW.0 - 15_000);
    }
    first_rows_tell(&at(swarm), &["turns a minute"], &["FLAT"]);
}

#[test]
fn after_a_night_the_present_is_told_and_not_the_evening() {
    let mut swarm = playing(&[]);
    let ids = swarm.ids();
    for id in &ids {
        let evening = Timestamp(NOW.0 - 10 * 3_600_000);
        swarm.has_earned(*id, 5_000, &[(1, 900), (3, 900)], evening);
    }
    drop(swarm.fail(ids[0], "model server: 503 after 4 tries", NOW));
    let operator = at(swarm);
    let words = [
        "FLAT 0 a minute, nothing in the last hour",
        "! 1 need you: alpha",
    ];
    first_rows_tell(&operator, &words, &["EARNING"]);
}

#[test]
fn a_swarm_without_credits_is_judged_by_its_work() {
    let mut swarm = Swarm::new(2, 3, 1);
    for id in swarm.ids() {
        let name = swarm.statuses[&id].name.to_string();
        drop(swarm.change(&name, LifeState::Running, NOW));
    }
    let operator = at(swarm);
    first_rows_tell(
        &operator,
        &["WORKING", "turns a minute"],
        &["EARNING", "credits"],
    );
}

#[test]
fn work_with_other_tools_is_judged_by_the_number_that_the_operator_named() {
    let text = |levels: &[(i64, i64)]| {
        let mut swarm = Swarm::new(2, 0, 1);
        for id in swarm.ids() {
            let name = swarm.statuses[&id].name.to_string();
            drop(swarm.change(&name, LifeState::Running, NOW));
            swarm.has_counted(id, levels, NOW);
        }
        at(swarm)
    };
    let climbing: Vec<(i64, i64)> = (0..20).map(|it| (20 - it, 100 + 10 * it)).collect();
    let operator = text(&climbing);
    let words = ["UP +", " total a minute", "total 580", "A MINUTE"];
    first_rows_tell(&operator, &words, &["EARNING", "credits", "WORKING"]);
    let row = operator.text();
    let row = row.lines().find(|row| row.contains("alpha")).unwrap();
    assert!(row.contains("+9") || row.contains("+10"), "{row}");
    let falling: Vec<(i64, i64)> = climbing.iter().map(|(ago, it)| (*ago, -it)).collect();
    first_rows_tell(&text(&falling), &["DOWN -", "total a minute"], &["LOSING"]);
    let words = ["FLAT 0 total a minute, nothing in the last hour"];
    first_rows_tell(&text(&[(9, 7), (3, 7)]), &words, &["earned"]);
}

/// Nothing on the screen tells the terminal to do anything.
#[track_caller]
pub(crate) fn does_no_harm(operator: &Operator) {
    let text = operator.text();
    let harms = |letter: char| {
        letter != '\n' && (letter.is_control() || ('\u{202a}'..='\u{202e}').contains(&letter))
    };
    let size = operator.board.facts().size;
    assert!(!text.contains(harms), "{size:?}: {text:?}");
}

#[test]
fn hostile_names_and_words_do_no_harm_beside_the_table() {
    for size in [(60, 15), (80, 24), (120, 40), (200, 60), (300, 80)] {
        let mut swarm = playing(&steadily(50, 50));
        let evil = format!(
            "\u{1b}[31m\u{202e}{}漢字\u{200d}👩\u{200d}🚀",
            "x".repeat(10_000)
        );
        let id = swarm.add(&evil, NOW);
        swarm.has_earned(id, 5, &[(1, i64::from(i32::MAX)), (3, -7)], NOW);
        drop(swarm.says(id, &evil, NOW));
        drop(swarm.fail(id, &evil, NOW));
        let mut operator = Operator::at(swarm, size);
        for keys in ["!", "g", "<esc>Z", "<esc><enter>"] {
            operator.keys(keys);
            does_no_harm(&operator);
        }
    }
}
