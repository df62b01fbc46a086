//! What the budgets of the day leave, and until when.

use actors::domain::books::{BudgetUse, Day};
use actors::domain::budget::{BudgetLimits, BudgetRules, DefaultCap};
use actors::domain::ids::MysisId;
use zoea_text::clean::one_line;

use super::BooksView;
use crate::dashboard::facts::Facts;
use crate::dashboard::saving::{Saving, saving};
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::Tone;

const LOW_BUDGET_PERCENT: u64 = 80;

pub(super) struct BudgetText {
    pub(super) text: String,
    pub(super) tone: Tone,
}

/// The budgets in words, one after the other, and at the end until when they count.
pub(super) fn budget_texts(facts: &Facts, view: &BooksView) -> Vec<BudgetText> {
    let rules = facts.rules.as_deref().map(|rules| rules.budget);
    let rules = rules.unwrap_or_default();
    let parts = [swarm_text(facts, &rules), mysis_text(facts, view, &rules)];
    let mut texts: Vec<BudgetText> = parts.into_iter().flatten().collect();
    let text = match texts.is_empty() {
        true => "no budget: spending is not limited".to_string(),
        false => until_text(facts),
    };
    let tone = Tone::Dim;
    texts.push(BudgetText { text, tone });
    texts.extend(saved_text(facts));
    texts
}

/// What routines saved by calls in the models' place, since the Myses were created.
fn saved_text(facts: &Facts) -> Option<BudgetText> {
    let members = facts.roster.members().values();
    let known = members.filter_map(|member| Some((&member.status, member.status.saved_calls?)));
    let saved = known.map(|(status, calls)| saving(&facts.spending, status, calls));
    let saved = saved.fold(Saving::default(), Saving::add);
    (saved.calls > 0).then(|| BudgetText {
        text: format!("routines saved {} so far", saved.text()),
        tone: Tone::Dim,
    })
}

/// The day in UTC on which all budgets begin anew.
fn until_text(facts: &Facts) -> String {
    let until = Day::of(facts.now).end_time();
    let wait = figures::span(until.since(facts.now));
    format!("until {} 00:00 UTC, in {wait}", Day::of(until))
}

/// What the swarm's own limits leave, or the cap that stands in for them.
fn swarm_text(facts: &Facts, rules: &BudgetRules) -> Option<BudgetText> {
    let spending = &facts.spending;
    let is_over = facts.now >= spending.day.end_time();
    let (spent, unpriced) = match is_over {
        true => (BudgetUse::default(), 0),
        false => (spending.swarm, spending.unpriced_tokens),
    };
    let mut parts = parts_left(&rules.swarm, &spent);
    let cap = rules.default_cap;
    if cap != DefaultCap::default() {
        let dollars = BudgetLimits {
            tokens: None,
            cost_micros: cap.cost_micros,
        };
        parts.extend(parts_left(&dollars, &spent));
        parts.extend(cap.unpriced_tokens.map(|limit| {
            format!(
                "{} of {} tokens without a price",
                figures::amount(limit.saturating_sub(unpriced)),
                figures::amount(limit)
            )
        }));
    }
    if parts.is_empty() {
        return None;
    }
    Some(BudgetText {
        text: format!("the swarm has {} left", parts.join(", ")),
        tone: tone_of(facts.budget_percent()),
    })
}

/// What a Mysis may spend, and who has the least of it left.
fn mysis_text(facts: &Facts, view: &BooksView, rules: &BudgetRules) -> Option<BudgetText> {
    let limits = &rules.mysis;
    let whole = parts_left(limits, &BudgetUse::default());
    if whole.is_empty() {
        return None;
    }
    let today = Day::of(facts.now);
    let costs = view.books.value().map_or(&[][..], |books| &books.costs[..]);
    let mut myses: std::collections::BTreeMap<MysisId, BudgetUse> = Default::default();
    for entry in costs.iter().filter(|entry| entry.day == today) {
        myses.entry(entry.mysis).or_default().add(&entry.spent);
    }
    let alive = myses
        .iter()
        .filter(|(mysis, _)| facts.roster.get(**mysis).is_some());
    let least = alive.max_by_key(|(_, spent)| limits.percent_spent(spent));
    let Some((mysis, spent)) = least else {
        let text = format!("each Mysis has {} left", whole.join(", "));
        let tone = Tone::Text;
        return Some(BudgetText { text, tone });
    };
    let name = one_line(&facts.name_of(*mysis));
    let left = parts_left(limits, spent).join(", ");
    Some(BudgetText {
        text: format!("of the Myses {name} has the least left: {left}"),
        tone: tone_of(limits.percent_spent(spent)),
    })
}

fn parts_left(limits: &BudgetLimits, spent: &BudgetUse) -> Vec<String> {
    let cost = limits.cost_micros.map(|limit| {
        let left = limit.saturating_sub(spent.cost_micros);
        format!("{} of {}", figures::money(left), figures::money(limit))
    });
    let tokens = limits.tokens.map(|limit| {
        let left = figures::amount(limit.saturating_sub(spent.tokens()));
        format!("{left} of {} tokens", figures::amount(limit))
    });
    cost.into_iter().chain(tokens).collect()
}

fn tone_of(percent: Option<u64>) -> Tone {
    match percent {
        Some(100..) => Tone::Fault,
        Some(LOW_BUDGET_PERCENT..) => Tone::Warning,
        Some(_) | None => Tone::Text,
    }
}
