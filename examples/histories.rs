//! Statistics of generated histories: the number of requests that a strict provider accepts, of
//! lost orders, and of other broken rules of composition.
//!
//! `cargo run --release --example histories -- [COUNT]` (10000 by default)

use std::io::Write;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, RngSeed, TestRunner};

/// The number of broken rules that are printed.
const MAX_SHOWN: usize = 10;

fn main() -> std::io::Result<()> {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok());
    let count: usize = count.unwrap_or(10_000);
    let mut out = std::io::stdout();
    let stored = of_histories(count);
    writeln!(out, "histories as they may be stored: {count}")?;
    stored.show(&mut out)?;
    let lived = of_lives(count);
    writeln!(out, "lives with whatever may happen in them: {count}")?;
    lived.show(&mut out)
}

#[derive(Default)]
struct Figures {
    requests: usize,
    valid: usize,
    orders_lost: usize,
    /// The histories that broke another rule, with that rule.
    broken: usize,
    breaks: Vec<String>,
    largest: usize,
}

impl Figures {
    fn show(&self, out: &mut impl Write) -> std::io::Result<()> {
        let Figures {
            requests,
            valid,
            orders_lost,
            broken,
            largest,
            ..
        } = self;
        writeln!(out, "  requests     {requests}")?;
        writeln!(out, "  valid        {valid}")?;
        writeln!(out, "  orders lost  {orders_lost}")?;
        writeln!(out, "  rules broken {broken}")?;
        if *largest > 0 {
            writeln!(out, "  largest history, bytes of text {largest}")?;
        }
        for broken in self.breaks.iter().take(MAX_SHOWN) {
            writeln!(out, "  broken: {broken}")?;
        }
        Ok(())
    }

    fn break_rule(&mut self, why: String) {
        self.broken += 1;
        self.breaks.push(why);
    }
}

/// A generator that gives the same histories in every run.
fn runner() -> TestRunner {
    TestRunner::new(Config {
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(1),
        ..Config::default()
    })
}

fn of_histories(count: usize) -> Figures {
    let mut runner = runner();
    let mut figures = Figures::default();
    for _ in 0..count {
        let tree = zoea_scenes::history::histories().new_tree(&mut runner);
        let history = tree.expect("histories can always be made").current();
        let asked = history.asked();
        figures.requests += 1;
        let rows = asked.recorded.rows.iter();
        let bytes = rows.map(|row| row.text().len()).sum();
        figures.largest = figures.largest.max(bytes);
        match zoea_scenes::request_rules::is_taken_by_strict_providers(&asked.composed.messages) {
            Ok(()) => figures.valid += 1,
            Err(why) => figures.break_rule(why),
        }
        if zoea_scenes::request_rules::owner_is_there(&asked).is_err() {
            figures.orders_lost += 1;
        }
        if let Err(why) = zoea_scenes::request_rules::judge(&history, &asked) {
            figures.break_rule(why);
        }
    }
    figures
}

fn of_lives(count: usize) -> Figures {
    let mut runner = runner();
    let mut figures = Figures::default();
    for number in 0..count {
        let tree = zoea_scenes::life::moves().new_tree(&mut runner);
        let mut tree = tree.expect("moves can always be made");
        let budget = [8192, 64 << 10][number % 2];
        match zoea_scenes::life::World::run(&tree.current(), budget) {
            Ok(world) => {
                figures.requests += world.requests;
                figures.valid += world.requests;
                figures.orders_lost += world.orders_lost;
            }
            Err(why) => {
                figures.orders_lost += usize::from(why.contains("lost"));
                let (moves, after) = smallest(&mut tree, budget, &why);
                figures.break_rule(format!("life {number}: {why}\n  {moves:?}\n  {after}"));
            }
        }
    }
    figures
}

/// The smallest sequence of moves that still breaks a rule with these first words, and that rule.
fn smallest(
    tree: &mut impl ValueTree<Value = Vec<zoea_scenes::life::Move>>,
    budget: usize,
    why: &str,
) -> (Vec<zoea_scenes::life::Move>, String) {
    let kind = |why: &str| why.split_whitespace().take(2).collect::<String>();
    let mut found = (tree.current(), why.to_string());
    let mut is_broken = true;
    while if is_broken {
        tree.simplify()
    } else {
        tree.complicate()
    } {
        let moves = tree.current();
        let outcome = zoea_scenes::life::World::run(&moves, budget).err();
        is_broken = outcome.as_deref().is_some_and(|now| kind(now) == kind(why));
        if let Some(now) = outcome.filter(|_| is_broken) {
            found = (moves, now);
        }
    }
    found
}
