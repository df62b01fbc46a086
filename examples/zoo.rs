//! Prints the zoo's table: for each way to be stuck, after how many turns the watch on progress told
//! of it and how far it was taken; for players that are well, how often it told of them, and how many
//! of those were not well by then: whoever explores may run out of fuel.
//!
//! `cargo run --release --example zoo` (`-- HOURS EACH`: how many simulated hours, 12 by default, and
//! how many healthy players of each kind, 20 by default).

#![expect(clippy::print_stdout, reason = "a program that prints")]

use std::time::Duration;

use actors::domain::rules::ProgressRules;
use zoea_simulation::stall_suite::{
    CaseGroup, CaseResult, SuiteOptions, healthy_groups, run_group, stuck_cases,
};

fn main() -> anyhow::Result<()> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let hours = numbers.next().transpose()?.unwrap_or(12);
    let each = usize::try_from(numbers.next().transpose()?.unwrap_or(20))?;
    let watch = SuiteOptions {
        seed: 1,
        length: Duration::from_secs(hours * 3600),
        rules: ProgressRules::default(),
        has_other_provider: true,
        adapters: zoea::wiring::simulated::adapters(),
    };
    println!("{hours} simulated hours, ticks of 10 s, the watch as configured by default");
    println!("\nstuck                  told after  turns  taken to         the first notice");
    let ways = CaseGroup {
        order: "Mine ore, sell it at your station, refuel and go again.",
        members: stuck_cases(),
    };
    let seen = run_group(&watch, &ways)?;
    for sight in &seen {
        println!("{}", line(sight));
    }
    let found = seen.iter().filter(|sight| sight.told.is_some()).count();
    println!("{found} of {} found", seen.len());
    println!("\nhealthy                players   turns  told of  stranded then  worst");
    let (mut players, mut told_of, mut false_alarms, mut turns) = (0, 0, 0, 0);
    for party in healthy_groups(each) {
        let seen = run_group(&watch, &party)?;
        let told: Vec<&CaseResult> = seen.iter().filter(|sight| sight.told.is_some()).collect();
        let all: i64 = seen.iter().map(|sight| sight.turns).sum();
        let worst = seen
            .iter()
            .map(|sight| sight.rung)
            .max()
            .unwrap_or_default();
        let name = party.members[0].name;
        println!(
            "{name:<22} {:>7} {all:>7} {:>8} {:>14}  {}",
            seen.len(),
            told.len(),
            told.iter().filter(|sight| !sight.is_false_alarm()).count(),
            worst.as_str()
        );
        let wrong = told.iter().filter(|sight| sight.is_false_alarm());
        for (turn, notice) in wrong
            .clone()
            .filter_map(|sight| sight.told.as_ref())
            .take(2)
        {
            println!("    turn {turn}: {notice}");
        }
        players += seen.len();
        told_of += told.len();
        false_alarms += wrong.count();
        turns += all;
    }
    println!(
        "{told_of} of {players} told of in {turns} turns: {} had no fuel and no way to get any, \
         {false_alarms} could have gone on",
        told_of - false_alarms
    );
    Ok(())
}

fn line(sight: &CaseResult) -> String {
    let (turn, notice) = match &sight.told {
        Some((turn, notice)) => (turn.to_string(), notice.chars().take(90).collect()),
        None => ("never".to_string(), String::new()),
    };
    format!(
        "{:<22} {turn:>10} {:>6}  {:<15}  {notice}",
        sight.animal.name,
        sight.turns,
        sight.rung.as_str(),
    )
}
