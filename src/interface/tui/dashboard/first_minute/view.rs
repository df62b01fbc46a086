//! Draws what the swarm will use, and whether it answers.

use actors::domain::budget::{BudgetLimits, BudgetRules};
use actors::domain::rules::{Simulated, SwarmRules};
use actors::domain::swarm_setup::{ServerAnswer, UsedServer};
use ratatui::layout::{Constraint, Layout, Margin, Rect};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Cell, Row, Table};
use zoea_text::clean::one_line;

use super::first_steps;
use crate::dashboard::facts::Facts;
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::painter::{Painter, centre_area};

const LABEL_COLUMNS: u16 = 7;
/// The columns between two columns.
const GAP: u16 = 2;
/// The widest page. Beyond it the eye loses the line.
const MAX_COLUMNS: u16 = 100;
/// The most lines for the reason why a server fails.
const MAX_REASON_LINES: usize = 2;

/// The title of the page, and its rows with the gap below.
const TITLE: &str = "The swarm is empty. This is what a Mysis will use:";
const TITLE_ROWS: u16 = 2;

/// From this width on the state of a server has words beside its sign.
const MIN_COLUMNS_FOR_WORDS: u16 = 50;

/// A line of the page: what it is about, what is known, and the state of a server.
struct Fact {
    label: &'static str,
    text: String,
    state: Option<(String, Tone)>,
    /// What is shown below where there is room.
    more: Vec<(String, Tone)>,
}

/// Draws the page of an empty swarm: the facts in the middle, and the keys below, which come first where there is
/// little room.
pub(crate) fn paint(facts: &Facts, body: Rect, painter: &mut Painter<'_>) {
    let area = body.inner(Margin::new(2, 0));
    let area = Rect {
        x: area.x + area.width.saturating_sub(MAX_COLUMNS) / 2,
        width: area.width.min(MAX_COLUMNS),
        ..area
    };
    let steps = first_steps(facts);
    let (rows, keys) = (setup_rows(facts, area.width), lines_of(steps.len()));
    let whole = rows.saturating_add(keys).saturating_add(TITLE_ROWS + 1);
    if area.height < whole {
        let [page, foot] =
            Layout::vertical([Constraint::Min(0), Constraint::Length(1)]).areas(area);
        paint_setup(facts, page, painter);
        return paint_steps_in_line(&steps, foot, painter);
    }
    let [title, page, _, foot] = Layout::vertical([
        Constraint::Length(TITLE_ROWS),
        Constraint::Length(rows),
        Constraint::Length(1),
        Constraint::Length(keys),
    ])
    .areas(centre_area(area, area.width, whole));
    painter.text(title, 0, TITLE, Tone::Strong);
    paint_setup(facts, page, painter);
    for (row, (key, help, _)) in (0..).zip(&steps) {
        let line = StyledLine::of(format!("{key:<2} "), Tone::Key).with(*help, Tone::Text);
        painter.line(foot, row, &line);
    }
}

fn paint_steps_in_line(
    steps: &[(String, &'static str, &'static str)],
    area: Rect,
    painter: &mut Painter<'_>,
) {
    let mut line = StyledLine::default();
    for (key, _, hint) in steps {
        line.push(format!("{key} "), Tone::Key);
        line.push(format!("{hint}  "), Tone::Text);
    }
    painter.line(area, 0, &line);
}

fn lines_of(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

pub(crate) fn setup_rows(facts: &Facts, columns: u16) -> u16 {
    let rows = setup_facts(facts, columns)
        .iter()
        .map(|fact| 1 + fact.more.len())
        .sum();
    lines_of(rows)
}

/// Draws the facts as a table: with everything that is known where that fits, else a row each.
pub(crate) fn paint_setup(facts: &Facts, area: Rect, painter: &mut Painter<'_>) {
    let is_whole = area.height >= setup_rows(facts, area.width);
    let used = setup_facts(facts, area.width);
    let state_columns = state_columns(&used);
    let text_columns = usize::from(area.width)
        .saturating_sub(usize::from(LABEL_COLUMNS + 2 * GAP) + state_columns);
    let paint = painter.paint();
    let rows = used.iter().map(|fact| {
        let span = |text: &str, tone| {
            Line::from(Span::styled(
                width::clip(text, text_columns).into_owned(),
                paint.text(tone),
            ))
        };
        let mut lines = vec![span(&fact.text, Tone::Text)];
        if is_whole {
            lines.extend(fact.more.iter().map(|(text, tone)| span(text, *tone)));
        }
        let height = lines_of(lines.len());
        let (state, tone) = fact.state.clone().unwrap_or_default();
        Row::new([
            Cell::from(Span::styled(fact.label, paint.text(Tone::Dim))),
            Cell::from(Text::from(lines)),
            Cell::from(Span::styled(state, paint.text(tone))),
        ])
        .height(height)
    });
    let columns = [
        Constraint::Length(LABEL_COLUMNS),
        Constraint::Min(0),
        Constraint::Length(lines_of(state_columns)),
    ];
    let table = Table::new(rows, columns).column_spacing(GAP);
    painter.render(table, area);
}

fn state_columns(facts: &[Fact]) -> usize {
    let states = facts.iter().filter_map(|fact| fact.state.as_ref());
    states.map(|(text, _)| width::of(text)).max().unwrap_or(0)
}

fn setup_facts(facts: &Facts, columns: u16) -> Vec<Fact> {
    let Some(rules) = facts.rules.as_deref() else {
        return Vec::new();
    };
    let mut used = server_facts(facts, rules, columns);
    let plain = |label, text| Fact {
        label,
        text,
        state: None,
        more: Vec::new(),
    };
    let setup = facts.setup.as_deref();
    used.extend(setup.map(|setup| plain("home", one_line(&setup.home))));
    let (count, most) = (facts.roster.members().len(), rules.max_myses);
    used.push(plain("Myses", format!("{count} of at most {most}")));
    used.push(plain("a day", day_text(rules)));
    used
}

fn server_facts(facts: &Facts, rules: &SwarmRules, columns: u16) -> Vec<Fact> {
    match facts.setup.as_deref() {
        Some(setup) => {
            let servers = setup.servers.iter();
            servers.map(|server| server_fact(server, columns)).collect()
        }
        None => {
            let models = rules.providers.iter();
            let facts = models.map(|(name, provider)| Fact {
                label: "model",
                text: format!("{} at {}", one_line(&provider.model), one_line(name)),
                state: None,
                more: Vec::new(),
            });
            facts.collect()
        }
    }
}

fn server_fact(server: &UsedServer, columns: u16) -> Fact {
    let address = one_line(&server.address);
    let (label, text) = match &server.provider {
        None => ("tools", address),
        Some(name) => {
            let model = server.model.as_deref().map(one_line).unwrap_or_default();
            let name = one_line(name);
            let wide = format!("{name}  {address}  {model}");
            let room = usize::from(columns.saturating_sub(LABEL_COLUMNS + 2 * GAP + 18));
            match width::of(&wide) <= room {
                true => ("model", wide),
                false => ("model", format!("{model}  {address}")),
            }
        }
    };
    let (state, tone, why) = match &server.answer {
        ServerAnswer::Awaited => ("○ is asked …".to_string(), Tone::Dim, ""),
        ServerAnswer::Answers(more) => {
            let gap = if more.is_empty() { "" } else { ", " };
            let words = format!("● answers{gap}{}", one_line(more));
            (words, Tone::Success, "")
        }
        ServerAnswer::Starts => ("○ starts with each Mysis".to_string(), Tone::Dim, ""),
        ServerAnswer::Fails(why) => ("✖ no answer".to_string(), Tone::Fault, &**why),
    };
    let state = match columns < MIN_COLUMNS_FOR_WORDS {
        true => state.chars().take(1).collect(),
        false => state,
    };
    let room = usize::from(columns).saturating_sub(usize::from(LABEL_COLUMNS + 2 * GAP) + 16);
    let more = reason_lines(&one_line(why), room.max(10));
    Fact {
        label,
        text,
        state: Some((state, tone)),
        more,
    }
}

/// The reason why a server fails. What does not fit into the last line is cut there.
fn reason_lines(why: &str, columns: usize) -> Vec<(String, Tone)> {
    let lines = width::wrap(why, columns).at_most(MAX_REASON_LINES);
    let lines = lines.filter(|line| !line.is_empty());
    lines
        .map(|line| (line.to_string(), Tone::Warning))
        .collect()
}

fn day_text(rules: &SwarmRules) -> String {
    let BudgetRules {
        mysis,
        swarm,
        default_cap,
        raised: _,
    } = rules.budget;
    let cap = BudgetLimits {
        cost_micros: default_cap.cost_micros,
        tokens: None,
    };
    let mut parts = [limit_text(swarm), limit_text(cap)].concat();
    if let Some(tokens) = default_cap.unpriced_tokens {
        parts.push(format!(
            "{} tokens of models without a price",
            figures::amount(tokens)
        ));
    }
    let each = limit_text(mysis).join(" and ");
    let whole = match (parts.is_empty(), rules.simulated) {
        (false, _) => parts.join(" and "),
        (true, Simulated::GameAndModel) => {
            "costs nothing: game and model are simulated".to_string()
        }
        (true, Simulated::Game | Simulated::Nothing) => "without a limit of the swarm".to_string(),
    };
    match each.is_empty() {
        true => whole,
        false => format!("{whole}; each Mysis {each}"),
    }
}

fn limit_text(limits: BudgetLimits) -> Vec<String> {
    let cost = limits.cost_micros.map(figures::money);
    let tokens = limits
        .tokens
        .map(|tokens| format!("{} tokens", figures::amount(tokens)));
    cost.into_iter().chain(tokens).collect()
}
