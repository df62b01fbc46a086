//! Whether it goes well, in a word, a figure and a reason: what is read first.

use actors::domain::outages::{OutageStage, ServerLabel, ServerOutage};
use actors::domain::silence::SilenceScope;
use actors::domain::state::LifeState;

use super::earning::{Direction, EarnRate};
use super::facts::Facts;
use super::money;
use super::table::seen_state::SeenState;
use super::text::figures;
use super::text::tone::{StyledLine, Tone};

/// From this time on, nothing earned is told with its time.
const QUIET_MINUTES: u64 = 4;
const JUDGED_AFTER_MS: u64 = QUIET_MINUTES * 60_000;
const RATE_COLUMNS: usize = 9;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub word: &'static str,
    /// The figure that proves it; empty if there is none.
    pub figure: String,
    /// What the figure counts, where there is room to say it; empty if that is said anyway.
    pub unit: String,
    /// What the figure is, or the reason.
    pub why: String,
    pub direction: Direction,
    /// A gain and a loss have colours, and what keeps the swarm from playing glows.
    pub tone: Tone,
}

impl Verdict {
    fn trouble(word: &'static str, why: String, tone: Tone) -> Verdict {
        Verdict {
            word,
            figure: String::new(),
            unit: String::new(),
            why,
            direction: Direction::Steady,
            tone,
        }
    }

    fn head(&self) -> StyledLine {
        let gap = if self.figure.is_empty() { "" } else { " " };
        StyledLine::of(format!("{}{gap}{}", self.word, self.figure), self.tone)
    }

    pub fn short_line(&self) -> StyledLine {
        let sign = self.direction.sign().trim_end();
        self.head().with(sign, self.tone)
    }

    pub fn line(&self) -> StyledLine {
        let sign = format!(" {}", self.direction.sign());
        let line = self.head().with(format!(" {}", self.why), Tone::Dim);
        line.with(sign.trim_end(), self.tone)
    }
}

/// How it goes with the swarm of these facts: first what keeps all of it from playing, then what it earns; where no
/// result tells of credits, what it does.
pub fn verdict(facts: &Facts) -> Verdict {
    let counts = facts.counts;
    if facts.closing_since.is_some() {
        return Verdict::trouble("CLOSING", "no new turn begins".into(), Tone::Warning);
    }
    if facts.store_trouble().is_some() {
        return Verdict::trouble(
            "NOT SAVING",
            "writes to the database fail".into(),
            Tone::Fault,
        );
    }
    if facts.frozen_since.is_some() {
        return Verdict::trouble("FROZEN", "no call begins".into(), Tone::Found);
    }
    if counts.running == 0 {
        let (word, tone) = match (counts.errored, counts.stopped) {
            (1.., _) => ("ERRORED", Tone::Fault),
            (0, 1..) => ("STOPPED", Tone::Dim),
            (0, 0) => ("IDLE", Tone::Dim),
        };
        return Verdict::trouble(word, "no Mysis runs".into(), tone);
    }
    outage(facts)
        .or_else(|| silence(facts))
        .or_else(|| money_verdict(facts))
        .unwrap_or_else(|| work_verdict(facts))
}

/// That at least half of those that run wait for a server that is away.
fn outage(facts: &Facts) -> Option<Verdict> {
    let members = facts.roster.members().values();
    let running = members.filter(|member| member.status.state == LifeState::Running);
    let states = running.map(|member| SeenState::of(&member.status, &facts.outages));
    let states: Vec<SeenState> = states.collect();
    let waiting = states.iter().filter(|state| **state == SeenState::Waiting);
    let (all, waiting) = (states.len(), waiting.count());
    if waiting == 0 || waiting * 2 < all {
        return None;
    }
    let away = facts.outages.away().min_by_key(|away| away.since);
    let worst = away.or_else(|| facts.outages.0.iter().max_by_key(|it| it.stage));
    let whom = |server: &ServerOutage| {
        let how = match server.stage {
            OutageStage::Away => "away",
            OutageStage::Failing => "failing",
            OutageStage::Doubtful => "in doubt",
        };
        let since = figures::span(facts.now.since(server.since));
        format!("{} {how} {since}", ServerLabel(&server.lane))
    };
    let whom = worst.map_or_else(|| "no session with the tool server".to_string(), whom);
    let why = format!(
        "{waiting} of {all} wait: {}",
        zoea_text::clean::one_line(&whom)
    );
    Some(Verdict::trouble("OUTAGE", why, Tone::Fault))
}

/// That at least half of those that run play in vain. The banner says why, and tells of fewer.
fn silence(facts: &Facts) -> Option<Verdict> {
    let notice = facts.silence.as_ref()?;
    let concerns_half = match notice.scope {
        SilenceScope::Swarm => true,
        SilenceScope::Provider => is_half_silent(facts),
        SilenceScope::Myses => false,
    };
    if !concerns_half {
        return None;
    }
    let why = match notice.text.starts_with("most calls fail") {
        true => "Myses run, and most calls fail".to_string(),
        false => "Myses run, and no call succeeds".to_string(),
    };
    Some(Verdict::trouble("NO PROGRESS", why, Tone::Warning))
}

/// Whether no call of at least half of those that run succeeded since their start.
fn is_half_silent(facts: &Facts) -> bool {
    let statuses = facts.roster.members().values().map(|member| &member.status);
    let running = statuses.filter(|status| status.state == LifeState::Running);
    let silent = running.filter(|status| status.silence.is_some()).count();
    silent * 2 >= facts.counts.running
}

/// What the swarm earns, or how the number changes that the operator named; `None` if no result ever told of either.
fn money_verdict(facts: &Facts) -> Option<Verdict> {
    let money = &facts.money;
    // It is too early to say that a swarm that began just now earns nothing.
    let is_new = (money.begun).is_some_and(|begun| facts.now.since(begun) < JUDGED_AFTER_MS);
    let rate = EarnRate::of(&money.points, facts.now, money.begun);
    if !money.has_rate() || (is_new && rate.per_minute == 0) {
        return None;
    }
    let number = facts.number_name();
    let [rises, falls] = match number {
        Some(_) => ["UP", "DOWN"],
        None => ["EARNING", "LOSING"],
    };
    let a_minute = match &number {
        Some(name) => format!("{name} a minute"),
        None => "a minute".to_string(),
    };
    let sign = if rate.per_minute > 0 { "+" } else { "" };
    let figure = format!("{sign}{}", money::credits(rate.per_minute, RATE_COLUMNS));
    let (word, tone) = match (rate.per_minute, money.has_earned) {
        (1.., _) => (rises, Tone::Success),
        (..0, _) => (falls, Tone::Fault),
        (0, true) => ("FLAT", Tone::Warning),
        (0, false) => ("FLAT", Tone::Text),
    };
    let why = match (rate.per_minute, rate.quiet_minutes) {
        (0, _) if !money.has_earned && number.is_none() => {
            format!("{a_minute}, nothing earned yet")
        }
        (0, 60..) => match money.known_since(facts.now) {
            Some(_) => format!("{a_minute}, nothing {}", facts.money_period()),
            None => format!("{a_minute}, nothing in the last hour"),
        },
        (0, QUIET_MINUTES..) => format!("{a_minute}, nothing for {}m", rate.quiet_minutes),
        _ => a_minute,
    };
    Some(Verdict {
        word,
        figure,
        unit: match number {
            Some(_) => String::new(),
            None => "credits ".to_string(),
        },
        why,
        direction: rate.direction,
        tone,
    })
}

/// What the swarm does, where there is nothing to earn: turns and tokens.
fn work_verdict(facts: &Facts) -> Verdict {
    let tokens = facts.tokens_per_minute();
    let turns = facts.turn_rate.per_minute();
    let (word, tone) = match (turns, tokens) {
        (Some(0), Some(0)) => ("QUIET", Tone::Warning),
        _ => ("WORKING", Tone::Text),
    };
    let amount = |count: Option<u64>| count.map(figures::amount);
    let why = match (turns, amount(tokens)) {
        (Some(_), Some(tokens)) => format!("turns a minute, {tokens} tokens"),
        (Some(_), None) => "turns a minute".to_string(),
        (None, _) => "turns a minute: not known yet".to_string(),
    };
    Verdict {
        word,
        figure: amount(turns).unwrap_or_default(),
        unit: String::new(),
        why,
        direction: Direction::Steady,
        tone,
    }
}
