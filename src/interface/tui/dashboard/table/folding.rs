//! Which columns say the same of every Mysis. They are left out, so that others get their room.

use std::collections::BTreeSet;

use actors::domain::event::MysisStatus;
use actors::domain::outages::ServerOutages;
use actors::domain::samples::GameFacts;

use super::columns::Column;
use super::seen_state::SeenState;

/// The columns that say nothing in a table of these Myses, by what they have now: an account that is none or named like
/// its Mysis, one provider or one model for all (the header names them), one process, no cost, nothing known of the game.
pub fn folded_columns<'a>(
    all: impl Iterator<Item = &'a MysisStatus> + Clone,
    outages: &ServerOutages,
) -> BTreeSet<Column> {
    let Some(first) = all.clone().next() else {
        return [Column::Process].into();
    };
    let are_many = all.clone().nth(1).is_some();
    let every = |is_so: &dyn Fn(&MysisStatus) -> bool| all.clone().all(is_so);
    let has_own_name = |of: &MysisStatus| of.account.as_ref().is_none_or(|it| *it == of.name);
    let plays = |of: &MysisStatus| SeenState::of(of, outages) == SeenState::Running;
    let provider = &first.profile.provider;
    let role = &first.profile.role;
    let says_nothing = [
        (Column::Account, every(&has_own_name)),
        (
            Column::Provider,
            are_many && every(&|of| of.profile.provider == *provider),
        ),
        (Column::Role, every(&|of| of.profile.role == *role)),
        (
            Column::Model,
            are_many && every(&|of| of.model == first.model),
        ),
        // That all play is what is normal, and the header says it. Any other state is shown.
        (Column::State, are_many && every(&plays)),
        (Column::Nudges, every(&|of| of.nudges.unwrap_or(0) == 0)),
        (
            Column::Process,
            every(&|of| of.elsewhere == first.elsewhere),
        ),
        (Column::Cost, every(&|of| of.totals.cost_micros == 0)),
    ];
    let all = says_nothing.into_iter().chain(untold_of_game(every));
    all.filter_map(|(column, is_so)| is_so.then_some(column))
        .collect()
}

/// The columns of what the game tells, and whether it told nothing of it.
fn untold_of_game(every: impl Fn(&dyn Fn(&MysisStatus) -> bool) -> bool) -> [(Column, bool); 7] {
    let untold = |is_so: fn(&GameFacts) -> bool| every(&|of| is_so(&of.figures.facts));
    let has_no_credits = untold(|facts| facts.credits.is_none());
    let has_no_number = every(&|of| of.figures.number.is_none());
    let has_no_value = every(&|of| of.figures.value.credits_per_dollar().is_none());
    [
        (Column::Credits, has_no_credits),
        (Column::Earned, has_no_credits),
        (Column::Trend, has_no_credits && has_no_number),
        (
            Column::Place,
            untold(|facts| facts.system.is_none() && facts.poi.is_none()),
        ),
        (Column::Cargo, untold(|facts| facts.cargo.now.is_none())),
        (Column::Fuel, untold(|facts| facts.fuel.now.is_none())),
        (Column::Value, has_no_value),
    ]
}
