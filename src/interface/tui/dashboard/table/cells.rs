//! The texts of the table's cells and of the panels for one Mysis.

use std::cmp::Ordering;

use actors::domain::event::{Activity, LastToolCall, MysisStatus};
use actors::domain::ids::{Lane, Timestamp};
use actors::domain::message::Severity;
use actors::domain::model::AnswerProgress;
use actors::domain::needs::operator_need;
use actors::domain::outages::ServerOutages;
use actors::domain::rules::SwarmRules;
use actors::domain::state::LifeState;

use crate::dashboard::facts::Facts;
use crate::dashboard::money;
use crate::dashboard::roster::RosterMember;
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::Tone;
use crate::dashboard::text::width;
use zoea_text::clean::one_line;

const MAX_CELL_COLUMNS: usize = 400;
/// The remaining time of a wait is shown from this length on, in milliseconds.
const LONG_MS: u64 = 5_000;

pub(super) struct CellFacts<'a> {
    pub(super) facts: &'a Facts,
    pub(super) member: &'a RosterMember,
    /// The columns of the screen that it has.
    pub(super) width: u16,
}

impl CellFacts<'_> {
    pub(super) fn status(&self) -> &MysisStatus {
        &self.member.status
    }
}

/// The role. One that the configuration does not know is marked.
pub fn role_text(status: &MysisStatus) -> (String, Tone) {
    match &status.profile.role {
        None => unknown(),
        Some(role) if status.lacks_role => (format!("{} ?", one_line(role)), Tone::Warning),
        Some(role) => (one_line(role), Tone::Dim),
    }
}

/// What is shown where there is nothing to tell.
pub(super) fn unknown() -> (String, Tone) {
    ("–".to_string(), Tone::Faint)
}

pub(super) fn credits_text(at: &CellFacts<'_>) -> (String, Tone) {
    let credits = at.status().figures.facts.credits;
    credits.map_or_else(unknown, |credits| {
        (money::credits(credits, usize::from(at.width)), Tone::Text)
    })
}

/// What it earned in the last hour.
pub(super) fn earned_text(at: &CellFacts<'_>) -> (String, Tone) {
    let earned = at.status().figures.earned_last_hour(at.facts.now);
    earned.map_or_else(unknown, |sum| {
        let tone = match sum {
            1.. => Tone::Text,
            0 => Tone::Dim,
            ..0 => Tone::Fault,
        };
        (money::short_credits(sum), tone)
    })
}

/// The credits that it earned for a US dollar.
pub(super) fn value_text(at: &CellFacts<'_>) -> (String, Tone) {
    match at.status().figures.value.credits_per_dollar() {
        Some(credits) => (money::short_credits(credits), tone_of_gain(credits)),
        None => unknown(),
    }
}

pub(super) fn account_text(status: &MysisStatus) -> (String, Tone) {
    let account = status.account.as_ref();
    account.map_or_else(unknown, |account| (one_line(account), Tone::Text))
}

/// The process that runs it: this one, or another one by its name.
pub(super) fn process_text(status: &MysisStatus) -> (String, Tone) {
    match &status.elsewhere {
        None => ("here".to_string(), Tone::Dim),
        Some(place) if place.is_gone => (one_line(&place.process), Tone::Warning),
        Some(place) => (one_line(&place.process), Tone::Text),
    }
}

/// The system and the place in it, as `krynn/war_materials`.
pub(super) fn place_text(status: &MysisStatus) -> (String, Tone) {
    let facts = &status.figures.facts;
    let text = match (&facts.system, &facts.poi) {
        (Some(system), Some(poi)) => format!("{system}/{poi}"),
        (Some(place), None) | (None, Some(place)) => place.to_string(),
        (None, None) => return unknown(),
    };
    (one_line(&text), Tone::Text)
}

/// The place in a system that is told already.
pub fn place_within(status: &MysisStatus) -> (String, Tone) {
    let poi = &status.figures.facts.poi;
    poi.as_ref()
        .map_or_else(unknown, |poi| (one_line(poi), Tone::Text))
}

pub fn tone_of_gain(credits: i64) -> Tone {
    match credits.cmp(&0) {
        Ordering::Less => Tone::Fault,
        Ordering::Equal => Tone::Dim,
        Ordering::Greater => Tone::Success,
    }
}

/// The cost of the Mysis' calls. An unknown cost is not shown as 0.
pub fn cost_text(status: &MysisStatus, rules: Option<&SwarmRules>) -> String {
    let price_of = |rules: &SwarmRules| rules.price_of(&status.profile.provider, &status.model);
    match status.totals.cost_micros {
        0 if status.totals.tokens() > 0 && rules.and_then(price_of).is_none() => {
            "unknown".to_string()
        }
        micros => figures::money(micros),
    }
}

/// The mark of a Mysis that needs the operator, else of one with unread words.
pub(super) fn attention_mark(member: &RosterMember) -> (String, Tone) {
    let (sign, tone) = match operator_need(&member.status).map(|need| need.severity) {
        Some(Severity::Error) => ("!", Tone::Fault),
        Some(Severity::Warn | Severity::Info) => ("!", Tone::Warning),
        None if member.is_unread() => ("●", Tone::Dim),
        None => ("", Tone::Dim),
    };
    (sign.to_string(), tone)
}

pub(super) fn nudges(at: &CellFacts<'_>) -> (String, Tone) {
    let rules = at.facts.rules.as_deref();
    let limit = rules.map_or(0, SwarmRules::nudge_limit);
    match at.status().nudges {
        None | Some(0) => unknown(),
        Some(given) if limit == 0 => (given.to_string(), Tone::Warning),
        Some(given) => (format!("{given}/{limit}"), Tone::Warning),
    }
}

/// What a Mysis does: that it is frozen, unless it still awaits an answer.
pub fn doing_text(facts: &Facts, status: &MysisStatus) -> (String, Tone) {
    match facts.is_held(status) {
        true => ("frozen".to_string(), Tone::Found),
        false => doing_within(status, facts.now, &facts.outages, MAX_CELL_COLUMNS),
    }
}

/// What a Mysis does within a width. A long text is cut, but the time is kept.
pub(super) fn doing_within(
    status: &MysisStatus,
    now: Timestamp,
    outages: &ServerOutages,
    columns: usize,
) -> (String, Tone) {
    // Once the expected end has passed, only the elapsed time is known.
    let left = status
        .activity_until
        .filter(|until| *until > now)
        .map(|until| figures::stopwatch(until.since(now) + 999));
    let taken = figures::stopwatch(now.since(status.activity_since));
    let timed = |words: &str| with_round(status, words, left.as_deref(), &taken, columns);
    let short_or_long = |short: &str, long: &str| {
        let time = left.as_deref().unwrap_or(&taken);
        // A narrow column, and one with the round of a routine, has the shorter words: the time stays.
        let fits = status.routine.is_none() && width::of(long) + width::of(time) < columns;
        timed(if fits { long } else { short })
    };
    match &status.activity {
        Activity::Resting if status.state == LifeState::Idle => {
            ("awaits orders".to_string(), Tone::Dim)
        }
        Activity::Resting => unknown(),
        Activity::Rebuilding => ("loads history".to_string(), Tone::Dim),
        Activity::Pausing if is_long(status) => (timed("between turns"), Tone::Dim),
        Activity::Pausing => ("between turns".to_string(), Tone::Dim),
        Activity::Waiting => (timed("waiting"), Tone::Dim),
        Activity::Done => (timed("done"), Tone::Success),
        Activity::Queueing(lane) => match outages.of(lane) {
            Some(away) => {
                let left = figures::stopwatch(away.next_in(now) * 1000);
                let words = down_words(lane, columns.saturating_sub(width::of(&left) + 1));
                let text = with_time(&words, Some(&left), &taken, columns);
                (text, Tone::Warning)
            }
            None => (short_or_long("busy", &queue_words(lane)), Tone::Dim),
        },
        Activity::Connecting => (timed("connects"), Tone::Dim),
        Activity::CallingModel => (short_or_long("model", "asks model"), Tone::Text),
        Activity::Answering(arrived) => (timed(&answer_words(*arrived)), Tone::Text),
        Activity::CoolingDown(..) => {
            let soon = ("retries soon", &taken);
            let (words, time) = left.as_ref().map_or(soon, |left| ("retries in", left));
            (with_time(words, None, time, columns), Tone::Warning)
        }
        Activity::CallingTool(tool) => {
            let name = short_name(tool);
            (short_or_long(&name, &format!("calls {name}")), Tone::Text)
        }
        Activity::Asked(_) => (timed("asks you"), Tone::Warning),
        Activity::Travelling => (timed("travels"), Tone::Text),
        Activity::Mining => (timed("mines"), Tone::Text),
        Activity::Fighting => (timed("fights"), Tone::Text),
        Activity::InTransit => (timed("in transit"), Tone::Dim),
        Activity::OnCooldown => (timed("on cooldown"), Tone::Dim),
        Activity::Recording => ("writes to disk".to_string(), Tone::Dim),
        Activity::AwaitingLogin(_) => (timed("needs login"), Tone::Warning),
        Activity::Paused(_) => ("paused".to_string(), Tone::Warning),
    }
}

/// The server of a lane, for a narrow column.
fn server_name(lane: &Lane) -> String {
    match lane {
        Lane::Provider(name) => one_line(name),
        Lane::Logins | Lane::Game => "tools".to_string(),
    }
}

/// What waits for a server that is away, within a width.
fn down_words(lane: &Lane, columns: usize) -> String {
    let words = format!("{} down", server_name(lane));
    if width::of(&words) <= columns {
        return words;
    }
    "down".to_string()
}

/// What waits for its turn at a server in good order, for a narrow column.
fn queue_words(lane: &Lane) -> String {
    match lane {
        Lane::Provider(_) | Lane::Game => format!("{} busy", server_name(lane)),
        Lane::Logins => "logs in".to_string(),
    }
}

fn queue_text(lane: &Lane) -> String {
    match lane {
        Lane::Provider(name) => format!("waits for its turn at {}", one_line(name)),
        Lane::Logins => "waits for its turn to log in".to_string(),
        Lane::Game => "waits for its turn at the tool server".to_string(),
    }
}

fn answer_words(arrived: AnswerProgress) -> String {
    let (is_thinking, size) = arrived.describe_progress();
    let verb = if is_thinking { "thinks" } else { "answers" };
    format!("{verb} {size}")
}

/// What is done, behind the round of the routine that it is of. Which step it is tells more than its
/// time.
fn with_round(
    status: &MysisStatus,
    words: &str,
    left: Option<&str>,
    taken: &str,
    columns: usize,
) -> String {
    let Some(routine) = &status.routine else {
        return with_time(words, left, taken, columns);
    };
    let words = format!("↻{}/{} {words}", routine.round, routine.rounds);
    match width::of(&words) + width::of(taken) < columns {
        true => with_time(&words, left, taken, columns),
        false => width::clip(&words, columns).into_owned(),
    }
}

/// Words with the time that is left, else with the time that was taken. A narrow column has room for
/// the time alone, and words that fit are not cut for it.
fn with_time(words: &str, left: Option<&str>, taken: &str, columns: usize) -> String {
    let time = left.unwrap_or(taken);
    let whole = format!("{words} {time} left");
    if left.is_some() && width::of(&whole) <= columns {
        return whole;
    }
    let room = columns.saturating_sub(width::of(time) + 1);
    if (room + 1..=columns).contains(&width::of(words)) {
        return words.to_string();
    }
    format!("{} {time}", width::clip(words, room))
}

fn short_name(tool: &str) -> String {
    one_line(tool).chars().take(40).collect()
}

/// Whether the end is far enough away to show the remaining time.
fn is_long(status: &MysisStatus) -> bool {
    let until = status.activity_until;
    until.is_some_and(|until| until.since(status.activity_since) >= LONG_MS)
}

/// Its last words, or its fault, or else its last tool call.
pub(super) fn last_words_text(
    member: &RosterMember,
    now: Timestamp,
    outages: &ServerOutages,
) -> (String, Tone) {
    let status = &*member.status;
    if let Some(fault) = &status.fault {
        return (clip_to_line(&fault.text), Tone::Errored);
    }
    if let Activity::Queueing(lane) = &status.activity {
        let text = match outages.of(lane) {
            Some(away) => format!("{}: {}", away.waiting_text(now), away.text),
            None => queue_text(lane),
        };
        return (clip_to_line(&text), Tone::Warning);
    }
    if let Activity::Asked(question) = &status.activity {
        return (clip_to_line(&question.summary()), Tone::Warning);
    }
    if let Activity::Paused(why) | Activity::CoolingDown(_, why) = &status.activity
        && !why.is_empty()
    {
        return (clip_to_line(why), Tone::Warning);
    }
    let is_reason_newer = status.state != LifeState::Running || status.last_words.is_empty();
    if let Some(reason) = &status.reason
        && is_reason_newer
    {
        return (clip_to_line(reason), Tone::Dim);
    }
    if let Some(deed) = &status.last_tool_call
        && status.last_words.is_empty()
    {
        return tool_call_text(deed);
    }
    let is_unread = member.is_unread();
    let tone = if is_unread { Tone::Text } else { Tone::Dim };
    (clip_to_line(&status.last_words), tone)
}

pub fn tool_call_text(deed: &LastToolCall) -> (String, Tone) {
    let (sign, tone) = if deed.is_error {
        ("✗", Tone::Warning)
    } else {
        ("✓", Tone::Dim)
    };
    let text = format!("{sign} {}: {}", deed.tool, &*deed.gist);
    (clip_to_line(&text), tone)
}

fn clip_to_line(text: &str) -> String {
    let end = text.floor_char_boundary(MAX_CELL_COLUMNS);
    one_line(&text[..end])
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use actors::domain::game::GameRef;
    use actors::domain::outages::{OutageStage, ServerOutage};
    use actors::domain::question::Question;
    use actors::domain::routine::{RoutineStatus, RunSource};

    use super::*;
    use crate::dashboard::tests::status;

    #[test]
    fn a_narrow_column_keeps_the_verb_and_the_time() {
        let cell = |columns| with_time("travels", Some("0:02"), "0:07", columns);
        assert_eq!(cell(22), "travels 0:02 left");
        assert_eq!(cell(13), "travels 0:02");
        assert_eq!(with_time("travels", None, "0:07", 13), "travels 0:07");
        assert_eq!(with_time("on cooldown", None, "0:07", 13), "on cooldown");
        assert_eq!(with_time("on cooldown", None, "0:07", 10), "on c… 0:07");
    }

    /// Every activity. The compiler asks for a new one here.
    fn activities() -> Vec<Activity> {
        let question = Question::read(
            "tools.example",
            &serde_json::json!({"message": "Go on?",
            "requestedSchema": {"type": "object", "properties": {}}}),
        );
        let answer = |words| AnswerProgress {
            thoughts: 99_900,
            words,
        };
        zoea_golden::every!(Activity:
            Resting => [Activity::Resting],
            Rebuilding => [Activity::Rebuilding],
            Pausing => [Activity::Pausing],
            Waiting => [Activity::Waiting],
            Done => [Activity::Done],
            Queueing => [
                Activity::Queueing(Lane::Game),
                Activity::Queueing(Lane::Logins),
                Activity::Queueing(Lane::Provider("openrouter".into())),
            ],
            Connecting => [Activity::Connecting],
            AwaitingLogin => [Activity::AwaitingLogin("enter K-1 at https://game.example".into())],
            CallingModel => [Activity::CallingModel],
            Answering => [
                Activity::Answering(answer(0)),
                Activity::Answering(answer(999_000)),
            ],
            CoolingDown => [Activity::CoolingDown(Lane::Provider("local".into()), "HTTP 503".into())],
            CallingTool => [Activity::CallingTool("get_map".into())],
            Asked => [Activity::Asked(Arc::new(question.expect("a question")))],
            Travelling => [Activity::Travelling],
            Mining => [Activity::Mining],
            Fighting => [Activity::Fighting],
            InTransit => [Activity::InTransit],
            OnCooldown => [Activity::OnCooldown],
            Recording => [Activity::Recording],
            Paused => [Activity::Paused("the swarm's budget spent".into())],
        )
        .to_vec()
    }

    #[test]
    fn every_short_word_of_a_column_is_whole_in_fifteen_letters() {
        let away = |lane: &Lane| ServerOutage {
            lane: lane.clone(),
            text: "HTTP 503".into(),
            since: Timestamp(0),
            next_try: Timestamp(4_000_000),
            needs_operator: false,
            stage: OutageStage::Away,
        };
        let lanes = [
            Lane::Game,
            Lane::Logins,
            Lane::Provider("openrouter".into()),
        ];
        let outages = [vec![], lanes.iter().map(away).collect()].map(ServerOutages);
        // Half a minute, a quarter of an hour, and more than an hour.
        for taken in [30_000, 900_000, 4_500_000] {
            let now = Timestamp(taken);
            for (game, until) in [GameRef::SpaceMolt, GameRef::AnyTools]
                .into_iter()
                .flat_map(|game| {
                    [
                        (game, None),
                        (game, Some(now.plus(Duration::from_secs(2_000)))),
                    ]
                })
            {
                for state in [LifeState::Running, LifeState::Idle] {
                    for activity in activities() {
                        let status = MysisStatus {
                            activity,
                            activity_until: until,
                            game: Some(game),
                            ..(*status(1, "alpha", state)).clone()
                        };
                        for outages in &outages {
                            let (cell, _) = doing_within(&status, now, outages, 15);
                            let words = format!("{:?}, {taken}: {cell}", status.activity);
                            assert!(width::of(&cell) <= 15 && !cell.contains('…'), "{words}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_step_of_a_routine_is_told_before_its_time() {
        let running = status(1, "alpha", LifeState::Running);
        let status = MysisStatus {
            routine: Some(Arc::new(RoutineStatus {
                name: "mining".into(),
                source: RunSource::Operator,
                round: 2,
                rounds: 20,
                step: "step 2 of 9: mine".into(),
                calls: 9,
                earned: 0,
                earned_an_hour: None,
            })),
            ..(*running).clone()
        };
        let cell = |columns| with_round(&status, "travels", Some("0:02"), "0:07", columns);
        assert_eq!(cell(13), "↻2/20 travels");
        assert_eq!(cell(20), "↻2/20 travels 0:02");
        assert_eq!(cell(30), "↻2/20 travels 0:02 left");
    }
}
