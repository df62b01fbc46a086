//! Restoring: continues from stored samples, and counts the rows that came after them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::game::GameReading;
use crate::ids::{CallKey, Seq, Timestamp};
use crate::message::{CallRecord, CallStatus, Row};

use super::super::wallet::Wallet;
use super::super::{GameFacts, PackedHour};
use super::levels::LevelResults;
use super::{SampleRecorder, is_about_game, standing_of};

/// The call that a row's result answers, and how it ended, if that tells of a game. `calls` are those without a result so far.
fn ended_call<'a>(
    calls: &mut BTreeMap<CallKey, &'a CallRecord>,
    row: &'a Row,
) -> Option<(&'a CallRecord, CallStatus)> {
    calls.extend(row.keyed_calls());
    let (key, _, meta) = row.result()?;
    let call = calls.remove(&key)?;
    is_about_game(meta).then_some((call, meta.status))
}

fn reading_of(row: &Row) -> GameReading<'_> {
    let game = row.result().map(|(_, _, meta)| meta.game);
    GameReading::of(game.unwrap_or_default(), row.text())
}

impl SampleRecorder {
    /// Takes the stored hours. The one that was written last goes on if it is not over.
    pub(super) fn continue_from(&mut self, hours: &[PackedHour]) {
        let figures = Arc::make_mut(&mut self.figures);
        for (place, hour) in hours.iter().enumerate().rev() {
            self.upto = self.upto.max(Seq(hour.upto));
            let Ok(samples) = hour.samples() else {
                continue;
            };
            for sample in &samples {
                if let Some(earned) = sample.flow.earned {
                    figures.trend.add(sample.minute, earned);
                }
            }
            let Some((last, over)) = samples.split_last() else {
                continue;
            };
            figures.facts.clone_from(&last.facts);
            self.wallet = Wallet::with(last.facts.credits);
            if place == 0 {
                over.iter().for_each(|sample| self.hour.push(sample));
                (self.minute, self.flow) = (last.minute, last.flow);
            }
        }
    }

    /// Counts the stored rows after the newest counted one. Without any sample only what they tell
    /// of the game is taken, because older rows are missing.
    pub(super) fn count_again(&mut self, rows: &[Arc<Row>], is_first: bool) {
        // An imported conversation may lack rows that its samples count.
        let last = rows.last().map_or(Seq(0), |row| row.seq);
        if self.upto > last {
            (self.upto, self.saved_at) = (last, None);
        }
        let counted_upto = self.upto;
        let counted = rows.partition_point(|row| row.seq <= counted_upto);
        let (counted, rest) = rows.split_at(counted);
        let mut calls: BTreeMap<CallKey, &CallRecord> = BTreeMap::new();
        let mut results = LevelResults::default();
        for row in counted {
            if let Some((call, status)) = ended_call(&mut calls, row) {
                let reading = reading_of(row);
                self.recall_transfer((call, &reading), status, row.at);
                results.note(call, status, reading);
            }
        }
        self.recall_levels(&results);
        for row in rest {
            let ended = ended_call(&mut calls, row);
            if !is_first {
                self.go_to(row.at);
                // The cost is in the books already.
                let reading = reading_of(row);
                self.count_row(row, ended.map(|(call, _)| (call, &reading)));
                continue;
            }
            self.upto = row.seq;
            if let Some((call, status)) = ended {
                let reading = reading_of(row);
                self.take_result((call, &reading), status, row.at);
            }
        }
    }

    /// Finds out whether the stored levels are those that counted results told last, and learns the sizes of goods
    /// again.
    fn recall_levels(&mut self, results: &LevelResults<'_>) {
        let facts = &mut Arc::make_mut(&mut self.figures).facts;
        // Without a look among the results nothing tells.
        let mut facts_now = GameFacts {
            is_fuel_old: facts.fuel.now.is_some(),
            is_cargo_old: facts.cargo.now.is_some(),
            ..facts.clone()
        };
        for (call, status, reading) in results.all() {
            let command = call.command();
            let standing = match *status == CallStatus::Done {
                true => standing_of(call, &command, reading),
                false => reading.game().unread(&command, call.read_only),
            };
            facts_now.take(standing, &mut self.sizes);
        }
        facts.is_fuel_old = facts_now.is_fuel_old || facts_now.fuel != facts.fuel;
        facts.is_cargo_old = facts_now.is_cargo_old || facts_now.cargo != facts.cargo;
    }

    /// Recalls from a counted result whether the next balance may differ by credits that were moved.
    fn recall_transfer(
        &mut self,
        (call, reading): (&CallRecord, &GameReading<'_>),
        status: CallStatus,
        at: Timestamp,
    ) {
        let command = call.command();
        let transfer = reading
            .game()
            .transfer(&command, &call.name, &call.arguments);
        // Most results are not read again: only a transfer makes the wallet unclear, and a balance is
        // of use only then.
        if transfer.is_none() && !self.wallet.is_unclear() {
            return;
        }
        if status == CallStatus::Done {
            let standing = standing_of(call, &command, reading);
            self.wallet.recall(&standing, transfer, at);
        } else if status == CallStatus::Unknown
            && let Some(transfer) = transfer
        {
            self.wallet.blur(transfer, at);
        }
    }
}
