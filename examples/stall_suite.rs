//! Prints the table of the stall suite. For each stuck player: the turns until the first notice, and
//! the highest step of the stall detector. For healthy players: how many got a notice, and how many of
//! these were stranded by then, as an explorer without fuel is.
//!
//! `cargo run --release --example stall_suite` (`-- HOURS EACH`: the simulated hours, 12 by default,
//! and the number of healthy players of each kind, 20 by default).

#![expect(clippy::print_stdout, reason = "a program that prints")]

use std::time::Duration;

use actors::domain::rules::ProgressRules;
use zoea_measures::stall_suite::{
    CaseGroup, CaseResult, SuiteOptions, healthy_groups, run_group, stuck_cases,
};

fn main() -> anyhow::Result<()> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let hours = numbers.next().transpose()?.unwrap_or(12);
    let each = usize::try_from(numbers.next().transpose()?.unwrap_or(20))?;
    let options = SuiteOptions {
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
    let results = run_group(&options, &ways)?;
    for result in &results {
        println!("{}", line(result));
    }
    let found = results
        .iter()
        .filter(|result| result.reported.is_some())
        .count();
    println!("{found} of {} found", results.len());
    println!("\nhealthy                players   turns  told of  stranded then  worst");
    let (mut players, mut reported_players, mut false_alarms, mut turns) = (0, 0, 0, 0);
    for group in healthy_groups(each) {
        let results = run_group(&options, &group)?;
        let reported: Vec<&CaseResult> = results
            .iter()
            .filter(|result| result.reported.is_some())
            .collect();
        let all: i64 = results.iter().map(|result| result.turns).sum();
        let worst = results
            .iter()
            .map(|result| result.step)
            .max()
            .unwrap_or_default();
        let name = group.members[0].name;
        println!(
            "{name:<22} {:>7} {all:>7} {:>8} {:>14}  {worst:?}",
            results.len(),
            reported.len(),
            reported
                .iter()
                .filter(|result| !result.is_false_alarm())
                .count(),
        );
        let wrong = reported.iter().filter(|result| result.is_false_alarm());
        for (turn, notice) in wrong
            .clone()
            .filter_map(|result| result.reported.as_ref())
            .take(2)
        {
            println!("    turn {turn}: {notice}");
        }
        players += results.len();
        reported_players += reported.len();
        false_alarms += wrong.count();
        turns += all;
    }
    println!(
        "{reported_players} of {players} told of in {turns} turns: {} had no fuel and no way to get any, \
         {false_alarms} could have gone on",
        reported_players - false_alarms
    );
    Ok(())
}

fn line(result: &CaseResult) -> String {
    let (turn, notice) = match &result.reported {
        Some((turn, notice)) => (turn.to_string(), notice.chars().take(90).collect()),
        None => ("never".to_string(), String::new()),
    };
    let step = format!("{:?}", result.step).to_lowercase();
    format!(
        "{:<22} {turn:>10} {:>6}  {step:<15}  {notice}",
        result.case.name, result.turns,
    )
}
