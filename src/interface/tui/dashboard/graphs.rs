//! The graphs: what the swarm, one Mysis or the marked ones had and did over time, from their samples.

pub mod keys;
pub(crate) mod view;

mod actions;

use std::sync::Arc;

use actors::domain::ids::{Moment, MysisId, Timestamp};
use actors::domain::samples::{Minute, Sample, SampleQuery, SampleSeries, SampleSteps};
use actors::domain::screen::ReadId;
use strum::{EnumCount, VariantArray};

/// The most graphs side by side.
pub const MAX_GRAPHS: usize = 9;
/// How often open graphs are read again, in milliseconds.
const REFRESH_MS: u64 = 30_000;
/// The least length of the axis of time, in minutes.
const MIN_AXIS_MINUTES: f64 = 10.0;
/// The minutes of an hour, for rates.
const HOUR_MINUTES: f64 = 60.0;

/// The open graphs.
#[derive(Clone, Debug)]
pub struct GraphView {
    /// The value that is shown.
    pub value: GraphedValue,
    /// The time that is shown.
    pub span: GraphSpan,
    /// Whose values.
    pub scope: GraphScope,
    series: Result<Arc<Vec<SampleSeries>>, Arc<str>>,
    /// The steps of what was read, and the minute up to which it was asked for.
    asked: Option<(SampleSteps, Minute)>,
    /// The read that is under way, of these steps. There is one at a time.
    awaited: Option<AwaitedRead>,
    /// Whether something else is shown now than what was read, or is being read.
    is_outdated: bool,
    asked_at: Option<Moment>,
}

/// A read that is under way.
#[derive(Clone, Copy, Debug)]
struct AwaitedRead {
    id: ReadId,
    steps: SampleSteps,
    /// The minute up to which it was asked for.
    upto: Minute,
}

/// Whose values are shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphScope {
    /// The sum of all.
    Swarm,
    /// One graph for each of these.
    Each(Vec<MysisId>),
}

/// What a graph shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumCount, VariantArray)]
pub enum GraphedValue {
    /// Credits in the wallet.
    Credits,
    /// Credits earned in an hour.
    #[default]
    Earned,
    /// Tokens in an hour.
    Tokens,
    /// US dollars in an hour.
    Dollars,
    /// Tool calls in an hour.
    Calls,
    /// Failed calls in an hour.
    Failures,
    /// The share of the time in which it waits.
    Waiting,
}

impl GraphedValue {
    /// All, in the order of the keys.
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all");

    /// What the screen calls it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            GraphedValue::Credits => "credits",
            GraphedValue::Earned => "credits earned an hour",
            GraphedValue::Tokens => "tokens an hour",
            GraphedValue::Dollars => "dollars an hour",
            GraphedValue::Calls => "tool calls an hour",
            GraphedValue::Failures => "failures an hour",
            GraphedValue::Waiting => "percent of the time waiting",
        }
    }

    /// The next or the previous one, in a circle.
    #[must_use]
    pub fn step(self, forth: bool) -> GraphedValue {
        let all = Self::ALL;
        let place = all.iter().position(|value| *value == self).unwrap_or(0);
        let by = if forth { 1 } else { all.len() - 1 };
        all[(place + by) % all.len()]
    }

    /// The value of a sample in whose step so many minutes are over; `None` where the game told nothing. The shares of
    /// several Myses count each of them.
    fn of(self, sample: &Sample, step: StepTime, myses: usize) -> Option<f64> {
        let flow = &sample.flow;
        if self == GraphedValue::Credits {
            return sample.facts.credits.map(|credits| credits as f64);
        }
        // A sum of a few minutes is no rate of a longer step.
        let minutes = step.minutes_of_rate()? as f64;
        let hourly = |sum: f64| sum * HOUR_MINUTES / minutes;
        match self {
            GraphedValue::Credits => None,
            GraphedValue::Earned => {
                // Who has credits and made no deal earned nothing.
                let known = sample.facts.credits.map(|_| 0);
                flow.earned.or(known).map(|earned| hourly(earned as f64))
            }
            GraphedValue::Tokens => {
                Some(hourly(flow.tokens_in.saturating_add(flow.tokens_out) as f64))
            }
            GraphedValue::Dollars => Some(hourly(flow.cost_micros as f64 / 1e6)),
            GraphedValue::Calls => Some(hourly(flow.tool_calls as f64)),
            GraphedValue::Failures => Some(hourly(flow.failures as f64)),
            GraphedValue::Waiting => {
                let all = minutes * 60_000.0 * myses.max(1) as f64;
                Some(flow.waited_ms as f64 * 100.0 / all)
            }
        }
    }
}

/// The minutes of a step, and how many of them are over.
#[derive(Clone, Copy, Debug)]
struct StepTime {
    all: i64,
    over: i64,
}

impl StepTime {
    /// The minutes by which a rate is made; `None` while less than half of the step is over.
    fn minutes_of_rate(self) -> Option<i64> {
        let is_known = self.over > 0 && self.over.saturating_mul(2) >= self.all;
        is_known.then_some(self.over)
    }
}

/// The time that graphs show, up to now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, EnumCount, VariantArray)]
pub enum GraphSpan {
    #[default]
    Hour,
    Day,
    Week,
    Month,
}

impl GraphSpan {
    /// All, the shortest first.
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all");

    /// What the screen calls it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            GraphSpan::Hour => "1 h",
            GraphSpan::Day => "24 h",
            GraphSpan::Week => "7 d",
            GraphSpan::Month => "30 d",
        }
    }

    /// A longer or shorter one, if there is one.
    #[must_use]
    pub fn step(self, longer: bool) -> GraphSpan {
        let place = Self::ALL.iter().position(|span| *span == self).unwrap_or(0);
        let place = if longer {
            place + 1
        } else {
            place.saturating_sub(1)
        };
        Self::ALL.get(place).copied().unwrap_or(self)
    }

    fn minutes(self) -> i64 {
        match self {
            GraphSpan::Hour => 60,
            GraphSpan::Day => 24 * 60,
            GraphSpan::Week => 7 * 24 * 60,
            GraphSpan::Month => 30 * 24 * 60,
        }
    }
}

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Whose it is; `None` for the sum.
    pub mysis: Option<MysisId>,
    /// Minutes since 1970 and values.
    pub points: Vec<(f64, f64)>,
}

impl GraphView {
    /// Graphs of these Myses, or of the swarm, that nothing is known of yet.
    #[must_use]
    pub fn new(scope: GraphScope) -> GraphView {
        GraphView {
            value: GraphedValue::default(),
            span: GraphSpan::default(),
            scope,
            series: Ok(Arc::default()),
            asked: None,
            awaited: None,
            is_outdated: true,
            asked_at: None,
        }
    }

    /// Forgets what was read, because something else is shown now. A read that is under way is waited for, so that
    /// impatient keys do not ask for more and more.
    pub fn invalidate(&mut self) {
        self.series = Ok(Arc::default());
        self.asked = None;
        self.is_outdated = true;
    }

    /// Waits no longer for a read whose answer may be lost.
    pub fn forget_read(&mut self) {
        self.awaited = None;
        self.is_outdated = true;
    }

    /// Whether it is time to read.
    #[must_use]
    pub fn is_due(&self, now: Moment) -> bool {
        let is_old = |at: Moment| now.since(at).as_millis() >= u128::from(REFRESH_MS);
        self.awaited.is_none() && (self.is_outdated || self.asked_at.is_none_or(is_old))
    }

    /// The read of what is shown. `all` are the Myses of the swarm.
    pub fn ask(
        &mut self,
        id: ReadId,
        all: impl Iterator<Item = MysisId>,
        (now, moment): (Timestamp, Moment),
    ) -> SampleQuery {
        self.asked_at = Some(moment);
        let (myses, is_sum): (Vec<MysisId>, bool) = match &self.scope {
            GraphScope::Swarm => (all.collect(), true),
            GraphScope::Each(myses) => (myses.iter().copied().take(MAX_GRAPHS).collect(), false),
        };
        let upto = Minute::of(now);
        let from = Minute(upto.0.saturating_sub(self.span.minutes())).start_time();
        let series = if is_sum { 1 } else { myses.len() };
        let steps = SampleSteps::automatic((from, now), series);
        self.awaited = Some(AwaitedRead { id, steps, upto });
        self.is_outdated = false;
        SampleQuery {
            myses,
            deleted: Vec::new(),
            is_sum,
            steps,
        }
    }

    /// Takes what was read, unless something else is shown now.
    pub fn take(&mut self, id: ReadId, read: Result<Vec<SampleSeries>, String>) {
        let Some(awaited) = self.awaited.take_if(|awaited| awaited.id == id) else {
            return;
        };
        if self.is_outdated {
            return;
        }
        self.asked = Some((awaited.steps, awaited.upto));
        self.series = match read {
            Ok(series) => Ok(Arc::new(series)),
            Err(why) => Err(why.into()),
        };
    }

    /// Why the samples could not be read.
    #[must_use]
    pub fn complaint(&self) -> Option<&Arc<str>> {
        self.series.as_ref().err()
    }

    /// Whether the samples are being read for the first time.
    #[must_use]
    pub fn is_loading(&self) -> bool {
        let is_reading = self.is_outdated || self.awaited.is_some();
        is_reading && self.series.as_ref().is_ok_and(|series| series.is_empty())
    }

    /// The first and the last minute of the axis: from the first of these points to the minute that was asked for, at
    /// least so many minutes that an axis can be drawn.
    #[must_use]
    pub fn bounds(&self, curves: &[Curve]) -> Option<(f64, f64)> {
        let (_, upto) = self.asked?;
        let last = upto.0 as f64;
        let points = curves.iter().flat_map(|curve| curve.points.first());
        let first = points.map(|(minute, _)| *minute).fold(last, f64::min);
        Some((first.min(last - MIN_AXIS_MINUTES), last))
    }

    /// The curves of the shown value. `myses` is the number of Myses in the swarm.
    #[must_use]
    pub fn curves(&self, myses: usize) -> Vec<Curve> {
        let (Ok(series), Some((steps, upto))) = (&self.series, self.asked) else {
            return Vec::new();
        };
        let counted = |series: &SampleSeries| if series.mysis.is_none() { myses } else { 1 };
        series
            .iter()
            .map(|series| {
                let values = series.samples.iter().filter_map(|sample| {
                    let begun = upto.0.saturating_sub(sample.minute.0);
                    let step = StepTime {
                        all: steps.minutes,
                        over: begun.min(steps.minutes),
                    };
                    let value = self.value.of(sample, step, counted(series))?;
                    // Facts are those of the end of a step.
                    Some(((sample.minute.0 + step.over) as f64, value))
                });
                Curve {
                    mysis: series.mysis,
                    points: values.collect(),
                }
            })
            .collect()
    }
}

/// The least round number that is not below a value.
#[must_use]
pub fn round_ceiling(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 1.0;
    }
    let power = 10_f64.powf(value.log10().floor());
    let rounds =
        [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0].map(|factor| factor * power);
    let fits = rounds.into_iter().find(|round| *round >= value);
    fits.unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use actors::domain::samples::{Flow, GameFacts};

    use super::*;

    fn sample(minute: i64, earned: Option<i64>, waited_ms: u64) -> Sample {
        Sample {
            minute: Minute(minute),
            facts: GameFacts::default(),
            flow: Flow {
                earned,
                waited_ms,
                cost_micros: 500_000,
                ..Flow::default()
            },
        }
    }

    fn whole(minutes: i64) -> StepTime {
        StepTime {
            all: minutes,
            over: minutes,
        }
    }

    #[test]
    fn values_are_those_of_an_hour_and_what_is_unknown_has_no_point() {
        let one = sample(0, Some(100), 60_000);
        assert_eq!(GraphedValue::Earned.of(&one, whole(2), 1), Some(3_000.0));
        assert_eq!(GraphedValue::Dollars.of(&one, whole(60), 1), Some(0.5));
        assert_eq!(GraphedValue::Waiting.of(&one, whole(2), 1), Some(50.0));
        assert_eq!(GraphedValue::Waiting.of(&one, whole(2), 5), Some(10.0));
        assert_eq!(GraphedValue::Credits.of(&one, whole(2), 1), None);
        let nothing = sample(0, None, 0);
        assert_eq!(GraphedValue::Earned.of(&nothing, whole(2), 1), None);
    }

    #[test]
    fn who_has_credits_and_makes_no_deal_earns_nothing() {
        let mut idle = sample(0, None, 0);
        idle.facts.credits = Some(700);
        assert_eq!(GraphedValue::Earned.of(&idle, whole(2), 1), Some(0.0));
    }

    #[test]
    fn a_step_that_has_just_begun_has_no_rate() {
        let one = sample(0, Some(100), 0);
        let after = |over| GraphedValue::Earned.of(&one, StepTime { all: 60, over }, 1);
        assert_eq!(after(0), None);
        assert_eq!(after(29), None);
        assert_eq!(after(30), Some(200.0));
        assert_eq!(after(60), Some(100.0));
        let minute = StepTime { all: 1, over: 0 };
        assert_eq!(GraphedValue::Calls.of(&one, minute, 1), None);
    }

    fn read(view: &mut GraphView, upto: i64, samples: Vec<Sample>) {
        let now = (Minute(upto).start_time(), Moment(0));
        view.invalidate();
        drop(view.ask(ReadId(9), [MysisId(1)].into_iter(), now));
        let mysis = None;
        view.take(ReadId(9), Ok(vec![SampleSeries { mysis, samples }]));
    }

    #[test]
    fn the_axis_begins_with_what_is_known_and_ends_with_the_minute_of_the_question() {
        let mut view = GraphView::new(GraphScope::Swarm);
        let bounds = |view: &GraphView| view.bounds(&view.curves(1));
        assert_eq!(bounds(&view), None);
        read(
            &mut view,
            1_000,
            vec![sample(970, Some(7), 0), sample(1_000, None, 0)],
        );
        assert_eq!(bounds(&view), Some((971.0, 1_000.0)));
        read(&mut view, 1_000, vec![sample(998, Some(7), 0)]);
        assert_eq!(bounds(&view), Some((990.0, 1_000.0)));
        // Of a day, a step has 15 minutes: the last one ends later than now.
        view.span = GraphSpan::Day;
        read(
            &mut view,
            1_441,
            vec![sample(0, Some(7), 0), sample(1_440, Some(7), 0)],
        );
        assert_eq!(bounds(&view), Some((15.0, 1_441.0)));
        assert_eq!(view.curves(1)[0].points.len(), 1);
    }

    #[test]
    fn one_read_is_under_way_and_what_it_brings_too_late_is_left_alone() {
        let mut view = GraphView::new(GraphScope::Swarm);
        let now = (Minute(120).start_time(), Moment(0));
        let all = || [MysisId(1)].into_iter();
        assert!(view.is_due(Moment(0)) && view.is_loading());
        assert!(view.ask(ReadId(1), all(), now).is_sum);
        view.invalidate();
        assert!(!view.is_due(Moment(90_000)), "one at a time");
        view.take(ReadId(1), Err("too late".into()));
        assert!(view.complaint().is_none());
        assert!(view.is_due(Moment(0)) && view.is_loading());
        drop(view.ask(ReadId(2), all(), now));
        let series = SampleSeries {
            mysis: None,
            samples: vec![sample(100, Some(7), 0), sample(101, None, 0)],
        };
        view.take(ReadId(1), Err("long ago".into()));
        view.take(ReadId(2), Ok(vec![series]));
        assert_eq!(view.curves(1)[0].points.len(), 1);
        assert!(!view.is_due(Moment(29_000)) && view.is_due(Moment(30_000)));
        drop(view.ask(ReadId(3), all(), now));
        view.forget_read();
        assert!(
            view.is_due(Moment(0)),
            "an answer that was lost is not waited for"
        );
    }

    #[test]
    fn an_axis_ends_at_a_round_number() {
        let rounded = [0.0, 0.03, 1.0, 17.0, 430.0, 5_001.0].map(round_ceiling);
        assert_eq!(rounded, [1.0, 0.03, 1.0, 20.0, 500.0, 6_000.0]);
    }

    #[test]
    fn values_and_spans_are_walked_through() {
        let all = GraphedValue::ALL;
        assert_eq!(all[6].step(true), all[0]);
        assert_eq!(all[0].step(false), all[6]);
        assert_eq!(GraphSpan::Hour.step(false), GraphSpan::Hour);
        assert_eq!(GraphSpan::Month.step(true), GraphSpan::Month);
    }
}
