//! What the budgets of the day leave, and until when.

use std::collections::BTreeMap;

use actors::domain::books::{BudgetUse, Day};
use actors::domain::budget::{BudgetLimits, BudgetRules, DefaultCap};
use actors::domain::event::MysisStatus;
use actors::domain::ids::MysisId;
use zoea_text::clean::one_line;

use super::BooksView;
use crate::dashboard::facts::Facts;
use crate::dashboard::saving::{Saving, saving};
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::Tone;

const LOW_BUDGET_PERCENT: u64 = 80;

/// The budgets in words, one after the other, and at the end until when they count.
pub(super) fn budget_texts(facts: &Facts, view: &BooksView) -> Vec<(String, Tone)> {
    let rules = facts.rules.as_deref().map(|rules| rules.budget);
    // The operator may have raised the cap of today.
    let rules = rules.unwrap_or_default().on(Day::of(facts.now));
    let of_myses = mysis_text(facts, view, rules.mysis);
    let parts = [swarm_text(facts, &rules), of_myses];
    let mut texts: Vec<(String, Tone)> = parts.into_iter().flatten().collect();
    let text = match (texts.is_empty(), view.books.value().is_some()) {
        (true, true) => "no budget: spending is not limited".to_string(),
        (true, false) => "…".to_string(),
        (false, _) => until_text(facts),
    };
    texts.push((text, Tone::Dim));
    texts.extend(saved_text(facts));
    texts
}

/// What routines saved by calls in the models' place, since the Myses were created.
fn saved_text(facts: &Facts) -> Option<(String, Tone)> {
    let members = facts.roster.members().values();
    let known = members.filter_map(|member| Some((&member.status, member.status.saved_calls?)));
    let saved = known.map(|(status, calls)| saving(&facts.spending, status, calls));
    let saved = saved.fold(Saving::default(), Saving::add);
    let text = || format!("routines saved {} so far", saved.text());
    (saved.calls > 0).then(|| (text(), Tone::Dim))
}

/// The day in UTC on which all budgets begin anew.
fn until_text(facts: &Facts) -> String {
    let until = Day::of(facts.now).end_time();
    let wait = figures::span(until.since(facts.now));
    format!("until {} 00:00 UTC, in {wait}", Day::of(until))
}

/// What the swarm's own limits leave, or the cap that stands in for them.
fn swarm_text(facts: &Facts, rules: &BudgetRules) -> Option<(String, Tone)> {
    let (spent, unpriced) = facts.spent_today();
    let mut parts = parts_left(&rules.swarm, &spent);
    let cap = rules.default_cap;
    if cap != DefaultCap::default() {
        let dollars = BudgetLimits {
            tokens: None,
            cost_micros: cap.cost_micros,
        };
        parts.extend(parts_left(&dollars, &spent));
        parts.extend(cap.unpriced_tokens.map(|limit| {
            let left = figures::amount(limit.saturating_sub(unpriced));
            let limit = figures::amount(limit);
            format!("{left} of {limit} tokens without a price")
        }));
    }
    let text = format!("the swarm has {} left", parts.join(", "));
    (!parts.is_empty()).then(|| (text, tone_of(facts.budget_percent())))
}

/// What a Mysis may spend, and who has the least of it left. A role may have limits of its own.
fn mysis_text(facts: &Facts, view: &BooksView, of_each: BudgetLimits) -> Option<(String, Tone)> {
    let today = Day::of(facts.now);
    let costs = view.books.value().map_or(&[][..], |books| &books.costs[..]);
    let mut myses: BTreeMap<MysisId, BudgetUse> = BTreeMap::new();
    for entry in costs.iter().filter(|entry| entry.day == today) {
        myses.entry(entry.mysis).or_default().add(&entry.spent);
    }
    let members = facts.roster.members().values();
    let limited = members.filter_map(|member| {
        let status = &*member.status;
        let limits = limits_of(facts, status, of_each);
        let spent = myses.get(&status.id).copied().unwrap_or_default();
        Some((limits.percent_spent(&spent)?, status, limits, spent))
    });
    // Of those who spent nothing, one with limits of its own stands for what the others may not.
    let least = limited.max_by_key(|(percent, _, limits, spent)| {
        let has_own = *limits != of_each;
        (*percent, spent.tokens(), has_own)
    });
    // Until the books are read, the program does not know who has the least left.
    let is_read = view.books.value().is_some();
    let told =
        least.filter(|(_, _, limits, spent)| is_read && (*limits != of_each || spent.tokens() > 0));
    let Some((percent, status, limits, spent)) = told else {
        let whole = parts_left(&of_each, &BudgetUse::default());
        let text = format!("each Mysis has {} left", whole.join(", "));
        return (!whole.is_empty()).then_some((text, Tone::Text));
    };
    let name = one_line(&status.name);
    let left = parts_left(&limits, &spent).join(", ");
    let text = format!("of the Myses {name} has the least left: {left}");
    Some((text, tone_of(Some(percent))))
}

/// The limits of one Mysis, as the gate has them: those of its role, else those for each.
fn limits_of(facts: &Facts, status: &MysisStatus, of_each: BudgetLimits) -> BudgetLimits {
    let rules = facts.rules.as_deref();
    let role = rules.and_then(|rules| rules.roles.rules_of(&status.own_profile));
    let own = role.map(|role| role.budget).unwrap_or_default();
    own.or(of_each)
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use actors::domain::books::CostEntry;
    use actors::domain::budget::BudgetStatus;
    use actors::domain::ids::Moment;
    use actors::domain::role::{RoleBook, RoleRules};
    use actors::domain::rules::SwarmRules;
    use actors::domain::screen::{ReadId, StoreAnswer};
    use actors::domain::state::LifeState;
    use actors::domain::swarm_books::SwarmBooks;

    use super::*;
    use crate::dashboard::roster::Roster;
    use crate::dashboard::tests::status;

    fn dollars(cents: u64) -> BudgetLimits {
        BudgetLimits {
            cost_micros: Some(cents * 10_000),
            tokens: None,
        }
    }

    /// Facts with alpha, and with bravo, whose role has these limits.
    fn facts(budget: BudgetRules, of_role: BudgetLimits) -> Facts {
        let trader = RoleRules {
            budget: of_role,
            ..RoleRules::default()
        };
        let roles = RoleBook {
            roles: BTreeMap::from([("trader".into(), Arc::new(trader))]),
            myses: BTreeMap::from([("bravo".into(), "trader".into())]),
            ..RoleBook::default()
        };
        let rules = SwarmRules {
            budget,
            roles: Arc::new(roles),
            ..SwarmRules::default()
        };
        let mut roster = Roster::default();
        for (id, name) in [(1, "alpha"), (2, "bravo")] {
            roster.update_member(&status(id, name, LifeState::Running));
        }
        Facts {
            roster: Arc::new(roster),
            rules: Some(Arc::new(rules)),
            ..Facts::default()
        }
    }

    /// What is told first where Myses spent so many cents today.
    fn told(facts: &Facts, spent: &[(i64, u64)]) -> String {
        let costs = spent.iter().map(|(id, cents)| CostEntry {
            day: Day::of(facts.now),
            mysis: MysisId(*id),
            provider: "local".into(),
            spent: BudgetUse {
                calls: 1,
                input: 100,
                cost_micros: cents * 10_000,
                ..BudgetUse::default()
            },
        });
        let books = SwarmBooks {
            costs: costs.collect(),
            earned: Vec::new(),
            saved: Vec::new(),
        };
        let mut view = BooksView::default();
        view.books.ask(ReadId(1), Moment(0));
        let answer = Ok(StoreAnswer::Books(books));
        let read = view
            .books
            .take(ReadId(1), answer, StoreAnswer::try_as_books);
        assert!(read);
        budget_texts(facts, &view)[0].0.clone()
    }

    #[test]
    fn a_budget_of_a_role_is_told_whatever_holds_for_each() {
        let least = |left: &str| format!("of the Myses {left}");
        let unlimited = facts(BudgetRules::default(), dollars(150));
        let bravo = least("bravo has the least left: $1.50 of $1.50");
        assert_eq!(told(&unlimited, &[]), bravo);
        let bravo = least("bravo has the least left: $0 of $1.50");
        assert_eq!(told(&unlimited, &[(1, 900), (2, 160)]), bravo);
        let of_each = BudgetRules {
            mysis: dollars(500),
            ..BudgetRules::default()
        };
        let both = facts(of_each, dollars(150));
        let bravo = least("bravo has the least left: $0.30 of $1.50");
        assert_eq!(told(&both, &[(1, 200), (2, 120)]), bravo);
        let alpha = least("alpha has the least left: $0.50 of $5.00");
        assert_eq!(told(&both, &[(1, 450), (2, 120)]), alpha);
        let equal = facts(of_each, BudgetLimits::default());
        assert_eq!(told(&equal, &[]), "each Mysis has $5.00 of $5.00 left");
        let unread = budget_texts(&unlimited, &BooksView::default());
        assert_eq!(unread[0].0, "…");
        let none = facts(BudgetRules::default(), BudgetLimits::default());
        assert!(told(&none, &[]).starts_with("no budget"));
    }

    #[test]
    fn what_the_swarm_has_left_is_of_the_cap_that_was_raised_today() {
        let raised = |day| BudgetRules {
            swarm: dollars(500),
            raised: Some((day, dollars(2_000))),
            ..BudgetRules::default()
        };
        let with = |day| {
            let mut facts = facts(raised(day), BudgetLimits::default());
            facts.spending = Arc::new(BudgetStatus {
                day: Day::of(facts.now),
                swarm: BudgetUse {
                    cost_micros: 6_000_000,
                    ..BudgetUse::default()
                },
                ..BudgetStatus::default()
            });
            told(&facts, &[])
        };
        assert_eq!(with(Day(0)), "the swarm has $14.00 of $20.00 left");
        assert_eq!(with(Day(-1)), "the swarm has $0 of $5.00 left");
    }
}
