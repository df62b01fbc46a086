//! The checkpoint as it is stored. It is written with each result of a step, so its forms borrow what they tell.
//!
//! What is only shown or learnt again has its default where it is not understood. A run, its doubts, its end and its
//! money are refused as a whole, because with a part of them a call would be made twice.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use zoea_game::reading::Goods;

use crate::ids::{CallKey, Seq};

use super::super::Routine;
use super::super::arguments::EachOne;
use super::super::circle::{CircleWatch, WatchForm};
use super::super::gain::Gain;
use super::super::hold_look::HoldLook;
use super::super::likeness::Likeness;
use super::super::lost_call::{LostCall, LostCallForm};
use super::super::prices::{PriceForm, SeenPrices};
use super::super::reading::read_routine;
use super::super::run::{RoundStart, RoutineEnd, RoutineRun, RunSource};
use super::RoutineMemo;

#[derive(Deserialize, Serialize)]
struct MemoForm<'a> {
    #[serde(borrow, default, deserialize_with = "shown")]
    circles: WatchForm<'a>,
    #[serde(borrow, default, deserialize_with = "shown")]
    known: Vec<&'a RawValue>,
    #[serde(borrow)]
    paused: Option<RunForm<'a>>,
    #[serde(default, deserialize_with = "shown")]
    prices: Vec<PriceForm<'a>>,
    #[serde(default, deserialize_with = "shown")]
    report: Option<Cow<'a, str>>,
    #[serde(borrow)]
    run: Option<RunForm<'a>>,
    #[serde(default = "no_calls")]
    spared: Option<u64>,
    #[serde(default)]
    unsettled: bool,
}

#[derive(Deserialize, Serialize)]
struct RunForm<'a> {
    at: (u32, usize, u32, u32, u32),
    call: SourceForm,
    calls: u32,
    cargo: Option<u32>,
    credits: Option<i64>,
    doubt: Option<LostCallForm<'a>>,
    #[serde(default)]
    due: Vec<EachForm<'a>>,
    earned: (i64, i64),
    #[serde(borrow)]
    edited: Option<&'a RawValue>,
    end: Option<(Cow<'a, str>, Cow<'a, str>)>,
    exact: Option<Vec<GoodsForm<'a>>>,
    gain: (i64, u32, u32, Cow<'a, [i64]>),
    #[serde(default)]
    hold: Vec<GoodsForm<'a>>,
    #[serde(default)]
    likeness: Vec<(u32, Cow<'a, BTreeSet<String>>)>,
    #[serde(default)]
    looked: (Option<u64>, u32),
    #[serde(default)]
    missions: Cow<'a, [String]>,
    ms: u64,
    #[serde(borrow)]
    routine: &'a RawValue,
    tick: Option<i64>,
}

type GoodsForm<'a> = (Cow<'a, str>, i64);

#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum EachForm<'a> {
    Goods(GoodsForm<'a>),
    Mission(Cow<'a, str>),
}

#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum SourceForm {
    Call(i64, u16),
    Operator(()),
    Runtime(Cow<'static, str>),
}

fn no_calls() -> Option<u64> {
    Some(0)
}

/// A part that is only shown, or learnt again.
fn shown<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    let text = <&'de RawValue>::deserialize(from)?.get();
    Ok(serde_json::from_str(text).unwrap_or_default())
}

impl RoutineMemo {
    #[must_use]
    pub fn to_text(&self) -> String {
        let form = MemoForm {
            circles: self.circles.form(),
            known: self.known.iter().map(|known| known.stored_form()).collect(),
            paused: self.paused.as_deref().map(RunForm::of),
            prices: self.prices.form(),
            report: self.report.as_deref().map(Cow::from),
            run: self.run.as_deref().map(RunForm::of),
            spared: self.spared,
            unsettled: self.is_unsettled,
        };
        let text = serde_json::to_string(&form);
        debug_assert!(text.is_ok(), "every member has a form in JSON");
        text.unwrap_or_default()
    }

    /// Restores it.
    ///
    /// # Errors
    /// Why it is not understood.
    pub fn restore(text: &str) -> Result<RoutineMemo, String> {
        let form: MemoForm = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let known = form.known.into_iter();
        Ok(RoutineMemo {
            run: form.run.map(RunForm::into_run).transpose()?.map(Box::new),
            paused: form
                .paused
                .map(RunForm::into_run)
                .transpose()?
                .map(Box::new),
            known: known.filter_map(|text| routine_of(text).ok()).collect(),
            report: form.report.map(Arc::from),
            circles: CircleWatch::restore(form.circles),
            prices: Arc::new(SeenPrices::restore(form.prices)),
            spared: form.spared,
            is_unsettled: form.unsettled,
        })
    }
}

impl<'a> RunForm<'a> {
    fn of(run: &'a RoutineRun) -> RunForm<'a> {
        let (round, step, made) = (run.round, run.step, run.made);
        let gain = &run.gain;
        let likeness = run.likeness.iter();
        RunForm {
            at: (round, step, made, run.made_in_round, run.not_executed),
            call: match run.source {
                RunSource::Model(call) => SourceForm::Call(call.seq.0, call.position),
                RunSource::Operator => SourceForm::Operator(()),
                RunSource::Runtime => SourceForm::Runtime(RunSource::Runtime.as_str().into()),
            },
            calls: run.calls,
            cargo: run.at_round.cargo,
            credits: run.credits_at_start,
            doubt: run.lost_call.as_ref().map(LostCall::form),
            due: run.due.iter().map(each_form).collect(),
            earned: (run.earned, run.earned_in_round),
            edited: run.edited.as_ref().map(|edited| edited.stored_form()),
            end: run.end.as_ref().map(end_form),
            exact: run.exact_hold.as_deref().map(goods_forms),
            gain: (gain.good.0, gain.good.1, gain.poor, (&*gain.newest).into()),
            hold: goods_forms(&run.hold),
            likeness: likeness
                .map(|one| (one.results, Cow::Borrowed(&one.members)))
                .collect(),
            looked: (run.hold_look.at, run.hold_look.failures),
            missions: (&*run.missions).into(),
            ms: run.elapsed_ms,
            routine: run.routine.stored_form(),
            tick: run.tick_at_start,
        }
    }

    fn into_run(self) -> Result<RoutineRun, String> {
        let routine = routine_of(self.routine)?;
        let (round, step, made, made_in_round, not_executed) = self.at;
        let (at, failures) = self.looked;
        let (earned, earned_in_round) = self.earned;
        let likeness = self
            .likeness
            .into_iter()
            .map(|(results, members)| Likeness {
                results,
                members: members.into_owned(),
            });
        let mut likeness: Vec<Likeness> = likeness.collect();
        likeness.resize(routine.steps.len(), Likeness::default());
        Ok(RoutineRun {
            edited: self.edited.map(routine_of).transpose()?,
            source: self.call.into_source()?,
            round,
            step,
            made,
            made_in_round,
            not_executed,
            due: self.due.into_iter().map(each_of).collect(),
            hold: self.hold.into_iter().map(goods_of).collect(),
            missions: self.missions.into_owned(),
            exact_hold: self
                .exact
                .map(|goods| goods.into_iter().map(goods_of).collect()),
            hold_look: HoldLook { at, failures },
            lost_call: self.doubt.map(LostCall::restore),
            confirmed: None,
            calls: self.calls,
            earned,
            earned_in_round,
            at_round: RoundStart { cargo: self.cargo },
            credits_at_start: self.credits,
            gain: Gain {
                good: (self.gain.0, self.gain.1),
                poor: self.gain.2,
                newest: self.gain.3.into_owned(),
            },
            likeness,
            tick_at_start: self.tick,
            elapsed_ms: self.ms,
            end: self.end.map(end_of).transpose()?,
            routine,
        })
    }
}

impl SourceForm {
    fn into_source(self) -> Result<RunSource, String> {
        Ok(match self {
            SourceForm::Call(seq, position) => RunSource::Model(CallKey {
                seq: Seq(seq),
                position,
            }),
            SourceForm::Operator(()) => RunSource::Operator,
            SourceForm::Runtime(word) if word == RunSource::Runtime.as_str() => RunSource::Runtime,
            SourceForm::Runtime(word) => return Err(format!("`{word}` started it")),
        })
    }
}

fn routine_of(text: &RawValue) -> Result<Arc<Routine>, String> {
    let read = serde_json::from_str(text.get()).map_err(|error| error.to_string())?;
    let routine = read_routine(&read).map_err(|mistakes| mistakes.join("; "))?;
    Ok(Arc::new(routine))
}

fn goods_form(goods: &Goods) -> GoodsForm<'_> {
    ((&*goods.item).into(), goods.quantity)
}

fn goods_forms(goods: &[Goods]) -> Vec<GoodsForm<'_>> {
    goods.iter().map(goods_form).collect()
}

fn goods_of((item, quantity): GoodsForm<'_>) -> Goods {
    Goods {
        item: item.into_owned(),
        quantity,
    }
}

fn each_form(one: &EachOne) -> EachForm<'_> {
    match one {
        EachOne::Goods(goods) => EachForm::Goods(goods_form(goods)),
        EachOne::Mission(id) => EachForm::Mission(id.into()),
    }
}

fn each_of(form: EachForm<'_>) -> EachOne {
    match form {
        EachForm::Goods(goods) => EachOne::Goods(goods_of(goods)),
        EachForm::Mission(id) => EachOne::Mission(id.into_owned()),
    }
}

fn end_form(end: &RoutineEnd) -> (Cow<'_, str>, Cow<'_, str>) {
    let (word, reason) = match end {
        RoutineEnd::RoundsOver => ("rounds", ""),
        RoutineEnd::Reached(reason) => ("reached", &**reason),
        RoutineEnd::Guard(reason) => ("guard", &**reason),
        RoutineEnd::Failed(reason) => ("failed", &**reason),
        RoutineEnd::ResultMismatch(reason) => ("unlike", &**reason),
        RoutineEnd::Lost(reason) => ("lost", &**reason),
        RoutineEnd::GainFell(reason) => ("poor", &**reason),
        RoutineEnd::NoProgress => ("no_progress", ""),
        RoutineEnd::Order => ("order", ""),
        RoutineEnd::Stopped => ("stopped", ""),
        RoutineEnd::Interrupted(reason) => ("interrupted", &**reason),
    };
    (word.into(), reason.into())
}

fn end_of((word, reason): (Cow<'_, str>, Cow<'_, str>)) -> Result<RoutineEnd, String> {
    let reason = reason.into_owned();
    Ok(match &*word {
        "rounds" => RoutineEnd::RoundsOver,
        "reached" => RoutineEnd::Reached(reason),
        "guard" => RoutineEnd::Guard(reason),
        "failed" => RoutineEnd::Failed(reason),
        "unlike" => RoutineEnd::ResultMismatch(reason),
        "lost" => RoutineEnd::Lost(reason),
        "poor" => RoutineEnd::GainFell(reason),
        "no_progress" => RoutineEnd::NoProgress,
        "order" => RoutineEnd::Order,
        "stopped" => RoutineEnd::Stopped,
        "interrupted" => RoutineEnd::Interrupted(reason),
        other => return Err(format!("it ended by `{other}`")),
    })
}
