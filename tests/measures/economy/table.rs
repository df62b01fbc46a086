//! The tables of a measurement, as text.

use std::fmt::Write;

use actors::domain::model::TokenUsage;

use super::{EconomyReport, ModelUse, RoleReport};

/// The headings of the columns that follow the name.
const HEADINGS: [&str; 11] = [
    "calls/h",
    "fresh/h",
    "cached/h",
    "out/h",
    "tok/call",
    "tok/cr",
    "search %",
    "credits/h",
    "$/1,000 cr",
    "$ cached",
    "running",
];

/// A table with a line for each measurement of the whole swarm.
pub fn table(rows: &[(String, EconomyReport)]) -> String {
    let mut text = heading("lever", "req/mut");
    for (name, report) in rows {
        let running = report.roles.iter().map(|role| role.running).sum();
        let line = Line {
            name,
            hours: report.hours,
            used: report.used(),
            gained: report.gained(),
            running,
        };
        line.write(&mut text);
        let per_mutation = report.requests as f64 / report.mutations.max(1) as f64;
        let _ = writeln!(text, " {per_mutation:>8.2}");
    }
    text
}

/// A table with a line for each role of one measurement.
pub fn role_table(report: &EconomyReport) -> String {
    let mut text = heading("role", "");
    for role in &report.roles {
        role_line(report.hours, role).write(&mut text);
        text.push('\n');
    }
    text
}

fn role_line(hours: f64, role: &RoleReport) -> Line<'_> {
    Line {
        name: role.name,
        hours,
        used: role.used,
        gained: role.gained(),
        running: role.running,
    }
}

fn heading(first: &str, last: &str) -> String {
    let mut text = format!("{first:<18}");
    for name in HEADINGS {
        let _ = write!(text, " {name:>10}");
    }
    if !last.is_empty() {
        let _ = write!(text, " {last:>8}");
    }
    text.push('\n');
    text
}

/// The figures of one line.
struct Line<'a> {
    name: &'a str,
    hours: f64,
    used: ModelUse,
    gained: i64,
    running: usize,
}

impl Line<'_> {
    fn write(&self, text: &mut String) {
        let TokenUsage {
            input,
            output,
            cached,
        } = self.used.tokens;
        let (calls, gained) = (self.used.calls as f64, self.gained as f64);
        let hourly = |number: f64| short(number / self.hours);
        let per_credit = |number: f64| (self.gained > 0).then(|| number / gained);
        let dollars = |dollars: f64| {
            per_credit(dollars * 1000.0).map_or("-".to_string(), |dollars| format!("{dollars:.3}"))
        };
        let cells = [
            hourly(calls),
            hourly((input - cached) as f64),
            hourly(cached as f64),
            hourly(output as f64),
            short((input + output) as f64 / calls.max(1.0)),
            per_credit((input + output) as f64).map_or("-".to_string(), short),
            format!("{:.1}", 100.0 * self.used.searches as f64 / calls.max(1.0)),
            hourly(gained),
            dollars(self.used.dollars),
            dollars(self.used.discounted),
            self.running.to_string(),
        ];
        let _ = write!(text, "{:<18}", self.name);
        for cell in cells {
            let _ = write!(text, " {cell:>10}");
        }
    }
}

/// A number with three or four digits: `847`, `12.3k`, `4.56M`.
fn short(number: f64) -> String {
    let (scaled, unit) = match number.abs() {
        0.0..1e4 => return format!("{number:.0}"),
        1e4..1e6 => (number / 1e3, "k"),
        _ => (number / 1e6, "M"),
    };
    let digits = match scaled.abs() {
        0.0..10.0 => 2,
        10.0..100.0 => 1,
        _ => 0,
    };
    format!("{scaled:.digits$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn role(gained: (u64, u64)) -> RoleReport {
        RoleReport {
            name: "miner",
            players: 12,
            running: 11,
            used: ModelUse {
                calls: 1000,
                searches: 15,
                tokens: TokenUsage {
                    input: 17_000_000,
                    cached: 15_000_000,
                    output: 50_000,
                },
                dollars: 5.0,
                discounted: 1.5,
            },
            earned: gained.0,
            spent: gained.1,
        }
    }

    #[test]
    fn a_table_tells_hours_credits_and_dollars() {
        let report = EconomyReport {
            hours: 2.0,
            roles: vec![role((12_500, 2_500))],
            requests: 143,
            mutations: 100,
        };
        let rows = vec![("today".to_string(), report)];
        let cells = |text: &str| -> Vec<String> {
            let line = text.lines().nth(1).expect("a line");
            line.split_whitespace().map(str::to_owned).collect()
        };
        let expected = [
            "500", "1.00M", "7.50M", "25.0k", "17.1k", "1705", "1.5", "5000", "0.500", "0.150",
            "11",
        ];
        let whole = cells(&table(&rows));
        assert_eq!(whole[0], "today");
        assert_eq!(whole[1..12], expected);
        assert_eq!(whole[12..], ["1.43"]);
        assert_eq!(cells(&role_table(&rows[0].1))[1..], expected);
    }

    #[test]
    fn without_a_gain_nothing_is_divided_by_it() {
        let report = EconomyReport {
            hours: 1.0,
            roles: vec![role((5, 10))],
            requests: 0,
            mutations: 0,
        };
        let text = role_table(&report);
        let cells: Vec<&str> = text
            .lines()
            .nth(1)
            .expect("a line")
            .split_whitespace()
            .collect();
        assert_eq!(cells[6..11], ["-", "1.5", "-5", "-", "-"], "{text}");
    }
}
