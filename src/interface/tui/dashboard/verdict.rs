//! Whether it goes well, in a word, a figure and a reason: what is read first.

use actors::domain::outages::{ServerLabel, ServerOutage};
use actors::domain::state::LifeState;

use super::Dashboard;
use super::earning::{Direction, EarnRate};
use super::money;
use super::table::seen_state::SeenState;
use super::text::figures;
use super::text::tone::{StyledLine, Tone};
use super::text::width;

/// From this time on, nothing earned is told with its time.
const QUIET_MINUTES: u64 = 4;
const MAX_NAME_COLUMNS: usize = 20;
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
    /// The direction of the figure.
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

    /// The word, the figure and its direction.
    #[must_use]
    pub fn short_line(&self) -> StyledLine {
        let gap = if self.figure.is_empty() { "" } else { " " };
        let sign = self.direction.sign().trim_end();
        StyledLine::of(format!("{}{gap}{}", self.word, self.figure), self.tone)
            .with(sign, self.tone)
    }

    #[must_use]
    pub fn line(&self) -> StyledLine {
        let gap = if self.figure.is_empty() { "" } else { " " };
        let sign = match self.direction {
            Direction::Rising => " ▲",
            Direction::Steady => "",
            Direction::Falling => " ▼",
        };
        StyledLine::of(format!("{}{gap}{}", self.word, self.figure), self.tone)
            .with(format!(" {}", self.why), Tone::Dim)
            .with(sign, self.tone)
    }
}

impl Dashboard {
    /// What the number is called that the operator named; `None` if none is told, or credits are.
    #[must_use]
    pub fn number_name(&self) -> Option<String> {
        self.money.number?;
        let mut members = self.roster.members().values();
        let number = members.find_map(|member| member.status.figures.number.as_ref())?;
        let name = zoea_text::clean::one_line(&number.name);
        Some(width::clip(&name, MAX_NAME_COLUMNS).into_owned())
    }
}

/// How it goes with the swarm of a dashboard: first what keeps all of it from playing, then what it earns; where no
/// result tells of credits, what it does.
#[must_use]
pub fn verdict(board: &Dashboard) -> Verdict {
    let counts = board.counts();
    if board.closing_since().is_some() {
        return Verdict::trouble("CLOSING", "no new turn begins".into(), Tone::Warning);
    }
    if board.store_trouble().is_some() {
        return Verdict::trouble("STANDS STILL", "nothing is written".into(), Tone::Fault);
    }
    if board.frozen_since().is_some() {
        return Verdict::trouble("FROZEN", "nothing is called".into(), Tone::Found);
    }
    if counts.running == 0 {
        let (word, tone) = match (counts.errored, counts.stopped) {
            (1.., _) => ("ERRORED", Tone::Fault),
            (0, 1..) => ("STOPPED", Tone::Dim),
            (0, 0) => ("IDLE", Tone::Dim),
        };
        return Verdict::trouble(word, "no Mysis runs".into(), tone);
    }
    outage(board)
        .or_else(|| silence(board))
        .or_else(|| money_verdict(board))
        .unwrap_or_else(|| work_verdict(board))
}

/// That at least half of those that run wait for a server that is away.
fn outage(board: &Dashboard) -> Option<Verdict> {
    let members = board.roster().members().values();
    let running = members.filter(|member| member.status.state == LifeState::Running);
    let (mut all, mut waiting) = (0, 0);
    for member in running {
        all += 1;
        let state = SeenState::of(&member.status, board.outages());
        waiting += usize::from(state == SeenState::Waiting);
    }
    if waiting == 0 || waiting * 2 < all {
        return None;
    }
    let away = board.outages().away().min_by_key(|away| away.since);
    let whom = |away: &ServerOutage| {
        let since = figures::span(board.now().since(away.since));
        format!("{} away {since}", ServerLabel(&away.lane))
    };
    let whom = away.map_or_else(|| "a server is away".to_string(), whom);
    let why = format!(
        "{waiting} of {all} wait: {}",
        zoea_text::clean::one_line(&whom)
    );
    Some(Verdict::trouble("OUTAGE", why, Tone::Fault))
}

/// That the swarm runs and nothing happens. The banner says why.
fn silence(board: &Dashboard) -> Option<Verdict> {
    board.silence.as_ref()?;
    let why = "Myses run, and no call succeeds".to_string();
    Some(Verdict::trouble("STANDS STILL", why, Tone::Warning))
}

/// What the swarm earns, or how the number changes that the operator named; `None` if no result ever told of either.
fn money_verdict(board: &Dashboard) -> Option<Verdict> {
    let money = board.money();
    if !money.has_rate() {
        return None;
    }
    let number = board.number_name();
    let [rises, falls] = match number {
        Some(_) => ["UP", "DOWN"],
        None => ["EARNING", "LOSING"],
    };
    let a_minute = match &number {
        Some(name) => format!("{name} a minute"),
        None => "a minute".to_string(),
    };
    let rate = EarnRate::of(&money.points, board.now());
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
        (0, 60..) => match money.known_since(board.now()) {
            Some(_) => format!("{a_minute}, nothing {}", money::period_text(board)),
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
fn work_verdict(board: &Dashboard) -> Verdict {
    let tokens = board.token_rate().per_minute();
    let turns = board.turns.per_minute();
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
