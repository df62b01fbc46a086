//! Orders to several Myses: what came of the order for each. A refusal by one does not keep the others
//! from getting it, and the command fails at the end.

use actors::domain::order::OrderRefusal;
use zoea_contract::{MysisStatusJson, OrderAnswerJson, OrderOutcome, OrderOutcomeJson, to_value};

use crate::interface::cli::out;
use crate::interface::cli::selection::{ChosenMyses, MysisSelector, ShownOutcomes, list_myses};
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;
use crate::interface::control::client::ControlError;

pub(super) struct OrderWords<'a> {
    /// What is printed before the name of a Mysis that has it, as `stopped`.
    pub(super) done: &'a str,
    /// What is printed behind it.
    pub(super) after: &'a str,
    /// What a dry run prints before the name of a Mysis, as `would be stopped`.
    pub(super) would_be: String,
}

impl<'a> OrderWords<'a> {
    pub(super) fn participle(done: &'a str) -> OrderWords<'a> {
        OrderWords {
            done,
            after: "",
            would_be: format!("would be {done}"),
        }
    }
}

pub(super) async fn call_for_each(
    client: &SwarmClient,
    which: &MysisSelector,
    call: impl Fn(String) -> ControlCall,
    done: &str,
) -> anyhow::Result<()> {
    let chosen = which.which.resolve(client).await?;
    let words = OrderWords::participle(done);
    order_each(client, &chosen, call, &words, which.shown).await
}

/// Calls a tool for each Mysis, and prints what came of it. Where the program is gone, the others are not
/// tried.
pub(super) async fn order_each(
    client: &SwarmClient,
    chosen: &ChosenMyses,
    call: impl Fn(String) -> ControlCall,
    words: &OrderWords<'_>,
    shown: ShownOutcomes,
) -> anyhow::Result<()> {
    if chosen.names.is_empty() {
        out::note("no Mysis matches, so nothing was done");
    }
    let known = match shown.dry_run && chosen.are_named {
        true => Some(list_myses(client, None).await?),
        false => None,
    };
    let mut outcomes = Vec::new();
    let mut last_refusal = None;
    let mut refused = 0;
    let mut gone = None;
    for name in &chosen.names {
        let mut outcome = OrderOutcomeJson::new(name);
        let refusal = if shown.dry_run {
            select(&mut outcome, known.as_deref())
        } else if let Some(why) = &gone {
            outcome.fail(OrderOutcome::Refused, format!("not tried: {why}"));
            refused += 1;
            None
        } else {
            let asked = client.ask(call(name.clone())).await;
            take_answer(&mut outcome, asked, chosen.are_named)
        };
        if let Some(refusal) = refusal {
            gone = outcome.why.clone().filter(|_| is_out_of_reach(&refusal));
            last_refusal = Some(refusal);
            refused += 1;
        }
        // The only one is told as the error.
        let is_listed = outcome.why.is_none() || chosen.names.len() > 1 || last_refusal.is_none();
        if !shown.json && is_listed {
            out::line(&line_of(&outcome, words))?;
        }
        outcomes.push(outcome);
    }
    if shown.json {
        out::json(&to_value(&outcomes))?;
    }
    match (last_refusal, outcomes.len()) {
        (None, _) => Ok(()),
        (Some(refusal), 1) => Err(refusal),
        (Some(_), all) => {
            let did = if shown.dry_run { "would" } else { "did" };
            anyhow::bail!("{refused} of {all} Myses {did} not get the order")
        }
    }
}

/// Selects a Mysis in a dry run. Returns the refusal, if it is not among those that are known.
fn select(
    outcome: &mut OrderOutcomeJson,
    known: Option<&[MysisStatusJson<'_>]>,
) -> Option<anyhow::Error> {
    outcome.outcome = OrderOutcome::Selected;
    let names = known?.iter().map(|mysis| &*mysis.name);
    if names.clone().any(|known| known == outcome.name) {
        return None;
    }
    let why = OrderRefusal::unknown_mysis(&outcome.name, names).to_string();
    outcome.fail(OrderOutcome::Refused, why.clone());
    Some(anyhow::Error::msg(why))
}

/// Takes the answer to an order over. Returns the refusal, if it is one. What is already as it shall be is one
/// only where it was named: a selection asks for a final state.
fn take_answer(
    outcome: &mut OrderOutcomeJson,
    asked: anyhow::Result<OrderAnswerJson>,
    is_named: bool,
) -> Option<anyhow::Error> {
    let refusal = match asked {
        Ok(answer) => {
            outcome.take(answer);
            return None;
        }
        Err(refusal) => refusal,
    };
    let why = format!("{refusal:#}");
    if !is_named && known_words(&why).is_some() {
        outcome.fail(OrderOutcome::Unchanged, why);
        return None;
    }
    // The Mysis may have stored it before it died over it.
    let is_unknown = is_out_of_reach(&refusal) || why == OrderRefusal::Interrupted.to_string();
    let word = match is_unknown {
        true => OrderOutcome::Unknown,
        false => OrderOutcome::Refused,
    };
    outcome.fail(word, why);
    Some(refusal)
}

/// Whether no further order reaches the program.
fn is_out_of_reach(refusal: &anyhow::Error) -> bool {
    match refusal.downcast_ref::<ControlError>() {
        Some(ControlError::Refused(_)) | None => false,
        Some(
            ControlError::Unreachable(_)
            | ControlError::Waiting(_)
            | ControlError::Stopped(_)
            | ControlError::Unstored(_),
        ) => true,
    }
}

fn line_of(outcome: &OrderOutcomeJson, words: &OrderWords<'_>) -> String {
    let name = &outcome.name;
    let (done, after) = (words.done, words.after);
    let why = outcome.why.as_deref().unwrap_or_default();
    match outcome.outcome {
        OrderOutcome::Done => match outcome.seq {
            Some(seq) => format!("{done} {name} as {seq}{after}"),
            None => format!("{done} {name}{after}"),
        },
        OrderOutcome::Passed => {
            let process = outcome.process.as_deref().unwrap_or_default();
            format!("{}: {name}", passed_note(process))
        }
        OrderOutcome::Unchanged => match known_words(why) {
            Some(words) => format!("{words} {name}"),
            None => format!("unchanged: {name}: {why}"),
        },
        OrderOutcome::Refused => format!("refused: {name}: {why}"),
        OrderOutcome::Unknown => format!("no answer: {name}: {why}"),
        OrderOutcome::Selected => format!("{}: {name}", words.would_be),
    }
}

/// Gives an order for one Mysis, and prints that it is done, or which process carries it out.
pub(super) async fn order_one(
    client: &SwarmClient,
    name: &str,
    call: ControlCall,
    done: impl FnOnce(&OrderAnswerJson) -> String,
) -> anyhow::Result<()> {
    let answer: OrderAnswerJson = client.ask(call).await?;
    let line = match &answer.passed {
        Some(process) => format!("{}: {name}", passed_note(process)),
        None => done(&answer),
    };
    Ok(out::line(&line)?)
}

/// What is said of an order that waits for the process that runs its Mysis.
pub(super) fn passed_note(process: &str) -> String {
    let process = out::clean(process);
    format!("stored; {process} carries it out as soon as it can")
}

/// The words for an order that was refused because the Mysis already is in the wanted state.
fn known_words(refusal: &str) -> Option<&'static str> {
    let known = [
        (OrderRefusal::AlreadyStopped, "already stopped"),
        (OrderRefusal::AlreadyRunning, "already running"),
        (OrderRefusal::NothingToRetry, "nothing to retry for"),
        (OrderRefusal::NoLoop, "no paying loop of"),
    ];
    let known = known
        .into_iter()
        .find(|(known, _)| known.to_string() == refusal);
    known.map(|(_, words)| words)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn word_of(refusal: impl Into<anyhow::Error>) -> OrderOutcome {
        let mut outcome = OrderOutcomeJson::new("alpha");
        let refusal = take_answer(&mut outcome, Err(refusal.into()), true);
        assert!(refusal.is_some() && outcome.why.is_some());
        outcome.outcome
    }

    #[test]
    fn an_order_of_which_nobody_knows_what_came_is_not_called_refused() {
        let said = |refusal: OrderRefusal| ControlError::Refused(refusal.to_string());
        for unknown in [
            said(OrderRefusal::Interrupted),
            ControlError::Unreachable("it closed".to_string()),
            ControlError::Waiting(Duration::from_secs(30)),
            ControlError::Stopped(7),
            ControlError::Unstored("it is read-only".to_string()),
        ] {
            let text = unknown.to_string();
            assert_eq!(word_of(unknown), OrderOutcome::Unknown, "{text}");
        }
        let direct = anyhow::anyhow!(OrderRefusal::Interrupted.to_string());
        assert_eq!(word_of(direct), OrderOutcome::Unknown);
        for refused in [
            OrderRefusal::Closing,
            OrderRefusal::Stopped,
            OrderRefusal::AlreadyStopped,
            OrderRefusal::Store("it is full".to_string()),
        ] {
            let text = refused.to_string();
            assert_eq!(word_of(said(refused)), OrderOutcome::Refused, "{text}");
        }
    }
}
