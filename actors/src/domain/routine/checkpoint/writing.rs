//! Writing: the checkpoint as it is stored, whose members stand in the order of their names.

use serde_json::{Result, to_writer};

use super::super::Routine;
use super::super::arguments::{EachOne, Goods};
use super::super::object_writer::{ObjectWriter, write_array, write_or_null};
use super::super::run::{RoutineEnd, RoutineRun, RunSource};
use super::RoutineMemo;

/// The size of a usual checkpoint.
const USUAL_BYTES: usize = 4 << 10;

impl RoutineMemo {
    /// The checkpoint as it is stored.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = Vec::with_capacity(USUAL_BYTES);
        let written = write_memo(self, &mut text);
        debug_assert!(written.is_ok(), "every member has a form in JSON");
        String::from_utf8(text).unwrap_or_default()
    }
}

fn write_memo(memo: &RoutineMemo, text: &mut Vec<u8>) -> Result<()> {
    let mut members = ObjectWriter::begin(text);
    members.member("circles", |text| memo.circles.write(text))?;
    members.member("known", |text| {
        write_array(text, &memo.known, |text, known| write_routine(text, known))
    })?;
    members.member("paused", |text| {
        write_or_null(text, memo.paused.as_ref(), write_run)
    })?;
    members.member("prices", |text| memo.prices.write(text))?;
    members.member("report", |text| to_writer(text, &memo.report.as_deref()))?;
    members.member("run", |text| {
        write_or_null(text, memo.run.as_ref(), write_run)
    })?;
    members.member("spared", |text| to_writer(text, &memo.spared))?;
    members.member("unsettled", |text| to_writer(text, &memo.is_unsettled))?;
    members.end();
    Ok(())
}

fn write_routine(text: &mut Vec<u8>, routine: &Routine) -> Result<()> {
    text.extend_from_slice(routine.stored_form().as_bytes());
    Ok(())
}

fn write_goods(text: &mut Vec<u8>, goods: &Goods) -> Result<()> {
    to_writer(text, &(&goods.item, goods.quantity))
}

fn write_each(text: &mut Vec<u8>, one: &EachOne) -> Result<()> {
    match one {
        EachOne::Goods(goods) => write_goods(text, goods),
        EachOne::Mission(id) => to_writer(text, id),
    }
}

fn write_run(text: &mut Vec<u8>, run: &RoutineRun) -> Result<()> {
    let mut members = ObjectWriter::begin(text);
    members.member("at", |text| {
        let (round, step, made) = (run.round, run.step, run.made);
        to_writer(
            text,
            &(round, step, made, run.made_in_round, run.not_executed),
        )
    })?;
    members.member("call", |text| match run.source {
        RunSource::Model(call) => to_writer(text, &(call.seq.0, call.position)),
        RunSource::Operator => to_writer(text, &()),
        RunSource::Runtime => to_writer(text, RunSource::Runtime.as_str()),
    })?;
    members.member("calls", |text| to_writer(text, &run.calls))?;
    members.member("cargo", |text| to_writer(text, &run.at_round.cargo))?;
    members.member("credits", |text| to_writer(text, &run.credits_at_start))?;
    members.member("doubt", |text| {
        let doubt = run.doubt.as_ref();
        to_writer(text, &doubt.map(|doubt| doubt.to_json()))
    })?;
    members.member("due", |text| write_array(text, &run.due, write_each))?;
    members.member("earned", |text| {
        to_writer(text, &(run.earned, run.earned_in_round))
    })?;
    members.member("edited", |text| {
        write_or_null(text, run.edited.as_deref(), write_routine)
    })?;
    members.member("end", |text| {
        write_or_null(text, run.end.as_ref(), write_end)
    })?;
    members.member("exact", |text| {
        write_or_null(text, run.exact_hold.as_ref(), |text, hold| {
            write_array(text, hold, write_goods)
        })
    })?;
    members.member("gain", |text| {
        let gain = &run.gain;
        to_writer(text, &(gain.good.0, gain.good.1, gain.poor, &gain.newest))
    })?;
    members.member("hold", |text| write_array(text, &run.hold, write_goods))?;
    members.member("likeness", |text| {
        write_array(text, &run.likeness, |text, likeness| {
            to_writer(text, &(likeness.results, &likeness.members))
        })
    })?;
    members.member("looked", |text| {
        to_writer(text, &(run.hold_look.at, run.hold_look.failures))
    })?;
    members.member("missions", |text| to_writer(text, &run.missions))?;
    members.member("ms", |text| to_writer(text, &run.elapsed_ms))?;
    members.member("routine", |text| write_routine(text, &run.routine))?;
    members.member("tick", |text| to_writer(text, &run.tick_at_start))?;
    members.end();
    Ok(())
}

fn write_end(text: &mut Vec<u8>, end: &RoutineEnd) -> Result<()> {
    let end: (&str, &str) = match end {
        RoutineEnd::RoundsOver => ("rounds", ""),
        RoutineEnd::Reached(told) => ("reached", told),
        RoutineEnd::Guard(told) => ("guard", told),
        RoutineEnd::Failed(told) => ("failed", told),
        RoutineEnd::Unlike(told) => ("unlike", told),
        RoutineEnd::Lost(told) => ("lost", told),
        RoutineEnd::Poor(told) => ("poor", told),
        RoutineEnd::NoProgress => ("no_progress", ""),
        RoutineEnd::Order => ("order", ""),
        RoutineEnd::Stopped => ("stopped", ""),
        RoutineEnd::Interrupted(told) => ("interrupted", told),
    };
    to_writer(text, &end)
}
