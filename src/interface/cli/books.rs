//! `zoea books`: tokens and cost, by day, Mysis and provider.

use std::collections::BTreeMap;

use clap::Args;
use serde::Deserialize;
use zoea_contract::{CostEntryJson, MysisStatusJson};
use zoea_text::figures::group_digits;
use zoea_text::names::plural;

use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::out::{self, Column, Table};
use crate::interface::cli::selection::list_myses;
use crate::interface::cli::shown;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;
use crate::interface::control::parameters::GetBooks;

/// The tokens and the cost.
#[derive(Debug, Args)]
pub struct BooksArgs {
    #[command(flatten)]
    asked: GetBooks,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
}

pub(super) async fn run(args: &BooksArgs, global: &GlobalArgs) -> anyhow::Result<()> {
    let call = ControlCall::GetBooks(args.asked.clone());
    let (books, myses) = SwarmClient::with(global, async |client| {
        let books = client.call(call).await?;
        let myses = match args.json {
            true => Vec::new(),
            false => list_myses(client, None).await?,
        };
        Ok((books, myses))
    })
    .await?;
    if args.json {
        return Ok(out::json(&books)?);
    }
    let books: Vec<CostEntryJson<'_>> = Vec::deserialize(books)?;
    books_table(&books).print()?;
    let saved = [calls_saved_line(&myses), saved_line(&books)];
    for line in cached_line(&books).iter().chain(saved.iter().flatten()) {
        out::line(line)?;
    }
    Ok(())
}

/// How many calls the routines of each Mysis made in its model's place, since it was created.
fn calls_saved_line(myses: &[MysisStatusJson<'_>]) -> Option<String> {
    let saved = myses
        .iter()
        .filter_map(|mysis| Some((&*mysis.name, mysis.spared_calls?)));
    let saved: Vec<(&str, u64)> = saved.filter(|(_, calls)| *calls > 0).collect();
    let all: u64 = saved.iter().map(|(_, calls)| calls).sum();
    let each: Vec<String> = saved
        .iter()
        .map(|(name, calls)| format!("{name} {}", group_digits(*calls)))
        .collect();
    let each = each.join(", ");
    let all = format!("{} {}", group_digits(all), plural(all, "call"));
    (!each.is_empty()).then(|| format!("routines made {all} without the model so far: {each}"))
}

/// What the calls come to that routines made in the models' place: each as a call of its Mysis cost in these days, in
/// dollars where a price is known, else in tokens.
fn saved_line(books: &[CostEntryJson<'_>]) -> Option<String> {
    #[derive(Default)]
    struct Own {
        saved: u64,
        calls: u64,
        tokens: u64,
        cost: f64,
    }
    let mut all: BTreeMap<&str, Own> = BTreeMap::new();
    for entry in books {
        let own = all.entry(&entry.mysis_id).or_default();
        own.saved += entry.spared_calls;
        own.calls += entry.spent.calls;
        own.tokens += entry.spent.tokens_in + entry.spent.tokens_out;
        own.cost += entry.spent.cost.unwrap_or(0.0);
    }
    let (mut dollars, mut tokens) = (0.0, 0.0);
    for own in all.values().filter(|own| own.calls > 0) {
        let part = own.saved as f64 / own.calls as f64;
        match own.cost > 0.0 {
            true => dollars += own.cost * part,
            false => tokens += own.tokens as f64 * part,
        }
    }
    let dollars = (dollars > 0.0).then(|| shown::dollars(Some(dollars)));
    let tokens = (tokens >= 1.0).then(|| format!("{} tokens", group_digits(tokens as u64)));
    let saved: Vec<String> = dollars.into_iter().chain(tokens).collect();
    (!saved.is_empty())
        .then(|| format!("routines saved about {} in these days", saved.join(" and ")))
}

/// The share of the tokens of requests that each provider read from its cache.
fn cached_line(books: &[CostEntryJson<'_>]) -> Option<String> {
    let mut shares: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for entry in books {
        if let Some(provider) = entry.provider.as_deref() {
            let (read, cached) = shares.entry(provider).or_default();
            *read += entry.spent.tokens_in;
            *cached += entry.spent.tokens_cached;
        }
    }
    let shares = shares.into_iter().filter(|(_, (read, _))| *read > 0);
    let shares: Vec<String> = shares
        .map(|(provider, (read, cached))| {
            let percent = u128::from(cached.min(read)) * 100 / u128::from(read);
            format!("{provider} {percent} %")
        })
        .collect();
    let shares = shares.join(", ");
    (!shares.is_empty()).then(|| format!("tokens in that came from the provider's cache: {shares}"))
}

/// The members of an entry that are summed up, in the order of the columns.
fn counted(entry: &CostEntryJson<'_>) -> [u64; 4] {
    let spent = &entry.spent;
    let (calls, cached) = (spent.calls, spent.tokens_cached);
    [calls, spent.tokens_in, cached, spent.tokens_out]
}

/// A line for each day, Mysis and provider, and what they come to.
fn books_table(entries: &[CostEntryJson<'_>]) -> Table {
    let mut table = Table::new(&[
        Column::text("DAY"),
        Column::text("MYSIS"),
        Column::text("PROVIDER"),
        Column::figure("CALLS"),
        Column::figure("TOKENS IN"),
        Column::figure("CACHED"),
        Column::figure("OUT"),
        Column::figure("COST"),
        Column::figure("CALLS SAVED"),
    ]);
    let (mut sums, mut saved) = ([0_u64; 4], 0_u64);
    for entry in entries {
        // Routines ask no provider.
        let provider = entry.provider.as_deref().unwrap_or("(routines)");
        let whose = shown::owner(entry.mysis.as_deref(), Some(&entry.mysis_id));
        let mut cells = vec![entry.day.clone(), whose, provider.to_string()];
        let figures = counted(entry);
        cells.extend(figures.map(group_digits));
        cells.push(shown::dollars(entry.spent.cost));
        cells.push(saved_figure(entry.spared_calls));
        table.add(cells);
        for (sum, figure) in sums.iter_mut().zip(figures) {
            *sum = sum.saturating_add(figure);
        }
        saved = saved.saturating_add(entry.spared_calls);
    }
    if entries.len() > 1 {
        let mut cells = vec!["all".to_string(), String::new(), String::new()];
        cells.extend(sums.map(group_digits));
        cells.push(total_cost(entries));
        cells.push(saved_figure(saved));
        table.set_totals(cells);
    }
    table
}

fn saved_figure(calls: u64) -> String {
    match calls {
        0 => String::new(),
        calls => group_digits(calls),
    }
}

/// What all entries cost, and how many have no price.
fn total_cost(entries: &[CostEntryJson<'_>]) -> String {
    let costs: Vec<f64> = entries.iter().filter_map(|it| it.spent.cost).collect();
    match (costs.len(), entries.len() - costs.len()) {
        (0, _) => shown::dollars(None),
        (_, 0) => shown::dollars(Some(costs.iter().sum())),
        (_, _) => format!("{} and unknown", shown::dollars(Some(costs.iter().sum()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mysis(name: &'static str, spared_calls: u64) -> MysisStatusJson<'static> {
        MysisStatusJson {
            name: name.into(),
            spared_calls: Some(spared_calls),
            ..MysisStatusJson::default()
        }
    }

    fn entry(
        provider: Option<&'static str>,
        (tokens_in, tokens_cached): (u64, u64),
        cost: Option<f64>,
    ) -> CostEntryJson<'static> {
        let mut entry = CostEntryJson {
            provider: provider.map(Into::into),
            ..CostEntryJson::default()
        };
        entry.spent.tokens_in = tokens_in;
        entry.spent.tokens_cached = tokens_cached;
        entry.spent.cost = cost;
        entry
    }

    #[test]
    fn what_routines_spared_is_told_where_there_is_something() {
        let myses = [mysis("alpha", 1200), mysis("bravo", 0), mysis("delta", 7)];
        assert_eq!(
            calls_saved_line(&myses).as_deref(),
            Some("routines made 1,207 calls without the model so far: alpha 1,200, delta 7")
        );
        assert_eq!(calls_saved_line(&[]), None);
    }

    #[test]
    fn what_was_saved_is_told_in_dollars_where_a_price_is_known_and_else_in_tokens() {
        let of = |mysis_id: &str, calls, cost, spared_calls| {
            let mut entry = entry(Some("mini"), (1000 * calls, 0), cost);
            entry.mysis_id = mysis_id.to_string();
            entry.spent.calls = calls;
            entry.spared_calls = spared_calls;
            entry
        };
        let books = [
            of("1", 10, Some(0.5), 0),
            of("1", 0, None, 30),
            of("2", 4, None, 12),
            // Its calls were all spared, so what one costs is not known.
            of("3", 0, None, 9),
        ];
        let line = saved_line(&books);
        let right = "routines saved about $1.50 and 12,000 tokens in these days";
        assert_eq!(line.as_deref(), Some(right));
        assert_eq!(saved_line(&books[3..]), None);
    }

    #[test]
    fn the_share_of_the_cache_is_told_for_each_provider_that_read_something() {
        let books = [
            entry(Some("mini"), (600, 500), None),
            entry(Some("mini"), (400, 390), None),
            entry(Some("local"), (10, 0), None),
            entry(Some("idle"), (0, 0), None),
            entry(None, (0, 0), None),
        ];
        assert_eq!(
            cached_line(&books).as_deref(),
            Some("tokens in that came from the provider's cache: local 0 %, mini 89 %")
        );
        assert_eq!(cached_line(&[]), None);
    }

    #[test]
    fn a_total_with_an_unknown_part_says_so() {
        let entries = [entry(None, (0, 0), Some(1.5)), entry(None, (0, 0), None)];
        assert_eq!(total_cost(&entries), "$1.50 and unknown");
        assert_eq!(total_cost(&entries[..1]), "$1.50");
        assert_eq!(total_cost(&entries[1..]), "unknown");
    }
}
