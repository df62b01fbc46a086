//! Writing: the checkpoint as it is stored. It is written with each result of a step, so its forms borrow what they
//! tell, and no value is built in between.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value as Json;
use serde_json::value::RawValue;
use zoea_game::reading::Goods;

use super::super::arguments::EachOne;
use super::super::circle::WatchForm;
use super::super::lost_call::LostCall;
use super::super::prices::PriceForm;
use super::super::run::{RoutineEnd, RoutineRun, RunSource};
use super::RoutineMemo;

#[derive(Serialize)]
struct MemoForm<'a> {
    circles: WatchForm<'a>,
    known: Vec<&'a RawValue>,
    paused: Option<RunForm<'a>>,
    prices: Vec<PriceForm<'a>>,
    report: Option<&'a str>,
    run: Option<RunForm<'a>>,
    spared: u64,
    unsettled: bool,
}

#[derive(Serialize)]
struct RunForm<'a> {
    at: (u32, usize, u32, u32, u32),
    call: SourceForm,
    calls: u32,
    cargo: Option<u32>,
    credits: Option<i64>,
    doubt: Option<Json>,
    due: Vec<EachForm<'a>>,
    earned: (i64, i64),
    edited: Option<&'a RawValue>,
    end: Option<(&'static str, &'a str)>,
    exact: Option<Vec<GoodsForm<'a>>>,
    gain: (i64, u32, u32, &'a [i64]),
    hold: Vec<GoodsForm<'a>>,
    likeness: Vec<(u32, &'a BTreeSet<String>)>,
    looked: (Option<u64>, u32),
    missions: &'a [String],
    ms: u64,
    routine: &'a RawValue,
    tick: Option<i64>,
}

/// An item and its quantity.
type GoodsForm<'a> = (&'a str, i64);

#[derive(Serialize)]
#[serde(untagged)]
enum EachForm<'a> {
    Goods(GoodsForm<'a>),
    Mission(&'a str),
}

#[derive(Serialize)]
#[serde(untagged)]
enum SourceForm {
    Call(i64, u16),
    Operator(()),
    Runtime(&'static str),
}

impl RoutineMemo {
    /// The checkpoint as it is stored.
    #[must_use]
    pub fn to_text(&self) -> String {
        let form = MemoForm {
            circles: self.circles.form(),
            known: self.known.iter().map(|known| known.stored_form()).collect(),
            paused: self.paused.as_ref().map(RunForm::of),
            prices: self.prices.form(),
            report: self.report.as_deref(),
            run: self.run.as_ref().map(RunForm::of),
            spared: self.spared,
            unsettled: self.is_unsettled,
        };
        let text = serde_json::to_string(&form);
        debug_assert!(text.is_ok(), "every member has a form in JSON");
        text.unwrap_or_default()
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
                RunSource::Runtime => SourceForm::Runtime(RunSource::Runtime.as_str()),
            },
            calls: run.calls,
            cargo: run.at_round.cargo,
            credits: run.credits_at_start,
            doubt: run.lost_call.as_ref().map(LostCall::to_json),
            due: run.due.iter().map(each_form).collect(),
            earned: (run.earned, run.earned_in_round),
            edited: run.edited.as_ref().map(|edited| edited.stored_form()),
            end: run.end.as_ref().map(end_form),
            exact: run.exact_hold.as_deref().map(goods_forms),
            gain: (gain.good.0, gain.good.1, gain.poor, &gain.newest),
            hold: goods_forms(&run.hold),
            likeness: likeness.map(|one| (one.results, &one.members)).collect(),
            looked: (run.hold_look.at, run.hold_look.failures),
            missions: &run.missions,
            ms: run.elapsed_ms,
            routine: run.routine.stored_form(),
            tick: run.tick_at_start,
        }
    }
}

fn goods_form(goods: &Goods) -> GoodsForm<'_> {
    (&goods.item, goods.quantity)
}

fn goods_forms(goods: &[Goods]) -> Vec<GoodsForm<'_>> {
    goods.iter().map(goods_form).collect()
}

fn each_form(one: &EachOne) -> EachForm<'_> {
    match one {
        EachOne::Goods(goods) => EachForm::Goods(goods_form(goods)),
        EachOne::Mission(id) => EachForm::Mission(id),
    }
}

fn end_form(end: &RoutineEnd) -> (&'static str, &str) {
    match end {
        RoutineEnd::RoundsOver => ("rounds", ""),
        RoutineEnd::Reached(told) => ("reached", told),
        RoutineEnd::Guard(told) => ("guard", told),
        RoutineEnd::Failed(told) => ("failed", told),
        RoutineEnd::ResultMismatch(told) => ("unlike", told),
        RoutineEnd::Lost(told) => ("lost", told),
        RoutineEnd::GainFell(told) => ("poor", told),
        RoutineEnd::NoProgress => ("no_progress", ""),
        RoutineEnd::Order => ("order", ""),
        RoutineEnd::Stopped => ("stopped", ""),
        RoutineEnd::Interrupted(told) => ("interrupted", told),
    }
}
