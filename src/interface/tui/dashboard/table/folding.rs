//! Which columns say the same of every Mysis. They are left out, so that others get their room.

use std::collections::BTreeSet;

use actors::domain::event::MysisStatus;
use actors::domain::outages::ServerOutages;

use super::columns::Column;
use super::seen_state::SeenState;

/// The columns that say nothing in a table of these Myses, by what they have now: an account that is none or named like
/// its Mysis, one provider or one model for all (the header names them), one process, no cost, nothing known of the game.
#[must_use]
pub fn folded_columns<'a>(
    all: impl Iterator<Item = &'a MysisStatus> + Clone,
    outages: &ServerOutages,
) -> BTreeSet<Column> {
    let mut folded = BTreeSet::new();
    let mut fold_if = |column: Column, says_nothing: bool| {
        if says_nothing {
            folded.insert(column);
        }
    };
    let Some(first) = all.clone().next() else {
        return [Column::Process].into();
    };
    let is_one = all.clone().nth(1).is_none();
    fold_if(
        Column::Account,
        all.clone().all(|status| {
            status
                .account
                .as_ref()
                .is_none_or(|account| *account == status.name)
        }),
    );
    fold_if(
        Column::Provider,
        !is_one
            && all
                .clone()
                .all(|status| status.profile.provider == first.profile.provider),
    );
    let role = &first.profile.role;
    let are_alike = all.clone().all(|status| status.profile.role == *role);
    fold_if(Column::Role, are_alike);
    fold_if(
        Column::Model,
        !is_one && all.clone().all(|status| status.model == first.model),
    );
    // That all play is what is normal, and the header says it. Any other state is shown.
    let plays = |status: &MysisStatus| SeenState::of(status, outages) == SeenState::Running;
    fold_if(Column::State, !is_one && all.clone().all(plays));
    fold_if(
        Column::Nudges,
        all.clone()
            .all(|status| status.nudges.is_none_or(|given| given == 0)),
    );
    let is_there = |status: &MysisStatus| status.elsewhere == first.elsewhere;
    fold_if(Column::Process, all.clone().all(is_there));
    for column in columns_of_game(all.clone()) {
        fold_if(column, true);
    }
    let value = |status: &MysisStatus| status.figures.value.credits_per_dollar();
    fold_if(
        Column::Value,
        all.clone().all(|status| value(status).is_none()),
    );
    fold_if(
        Column::Cost,
        all.clone().all(|status| status.totals.cost_micros == 0),
    );
    folded
}

/// The columns of what the game tells, where it told nothing of it.
fn columns_of_game<'a>(all: impl Iterator<Item = &'a MysisStatus> + Clone) -> Vec<Column> {
    let mut folded = Vec::new();
    let mut fold_if = |column: Column, says_nothing: bool| {
        folded.extend(says_nothing.then_some(column));
    };
    let facts = || all.clone().map(|status| &status.figures.facts);
    let has_credits = facts().any(|facts| facts.credits.is_some());
    for column in [Column::Credits, Column::Earned] {
        fold_if(column, !has_credits);
    }
    let has_number = all.clone().any(|status| status.figures.number.is_some());
    fold_if(Column::Trend, !has_credits && !has_number);
    fold_if(
        Column::Place,
        facts().all(|facts| facts.system.is_none() && facts.poi.is_none()),
    );
    let has_no_cargo = facts().all(|facts| facts.cargo.now.is_none());
    fold_if(Column::Cargo, has_no_cargo);
    fold_if(Column::Fuel, facts().all(|facts| facts.fuel.now.is_none()));
    folded
}
