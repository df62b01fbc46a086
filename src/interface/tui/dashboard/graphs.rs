//! The graphs: what the swarm, one Mysis or the marked ones had and did over time, from their samples.

pub(crate) mod marks;

mod value;
mod view;

pub use value::GraphedValue;

use std::time::Duration;

use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::samples::{Minute, SampleQuery, SampleSeries, SampleSteps};
use actors::domain::screen::{ReadId, StoreAnswer, StoreQuery};
use crossterm::event::{KeyCode, KeyEvent, MouseEvent};
use ratatui::layout::Rect;
use strum::VariantArray;

use super::facts::Facts;
use super::input_event::{key, letter};
use super::keys::{Binding, KeyTable, bind};
use super::layout::ScreenLayout;
use super::targets::Targets;
use super::toolkit::polled::Polled;
use super::toolkit::view::{Opening, Pointed, Pressed, View, ViewContext, ViewSpec};
use crate::painter::Painter;
use value::StepTime;

/// The most graphs side by side.
pub const MAX_GRAPHS: usize = 9;
/// How often open graphs are read again.
const REFRESH: Duration = Duration::from_secs(30);
/// The least length of the axis of time, in minutes.
const MIN_AXIS_MINUTES: f64 = 10.0;

pub const SPEC: ViewSpec = ViewSpec {
    opening: Some(
        bind(
            "graphs",
            &[letter('g')],
            Opening::View(|facts, targets| Box::new(GraphView::of_targets(facts, targets))),
            "graphs",
            "show tokens, costs and gains over time",
        )
        .without_game("show tokens, costs and calls over time"),
    ),
    keys: || KeyTable::of("The graphs", GRAPH_KEYS),
    moves: false,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphAction {
    Next,
    Previous,
    Longer,
    Shorter,
    Scope,
    Back,
}

#[rustfmt::skip]
pub const GRAPH_KEYS: &[Binding<GraphAction>] = &[
    bind("graph_back", &[key(KeyCode::Esc), letter('q'), letter('g')], GraphAction::Back, "back", "back to the previous view"),
    bind("graph_next", &[key(KeyCode::Right), letter('l'), key(KeyCode::Tab)], GraphAction::Next, "next value", "show the next value"),
    bind("graph_previous", &[key(KeyCode::Left), letter('h')], GraphAction::Previous, "", "show the previous value"),
    bind("graph_longer", &[key(KeyCode::Down), letter('j'), letter('-')], GraphAction::Longer, "longer", "show a longer time"),
    bind("graph_shorter", &[key(KeyCode::Up), letter('k'), letter('+')], GraphAction::Shorter, "shorter", "show a shorter time"),
    bind("graph_scope", &[letter(' ')], GraphAction::Scope, "swarm or each", "show the swarm, or each of the marked Myses"),
];

#[derive(Clone, Debug)]
pub struct GraphView {
    pub value: GraphedValue,
    pub span: GraphSpan,
    pub scope: GraphScope,
    samples: Polled<GraphedSamples>,
    /// The steps that were asked for last, and the minute up to which.
    asked: Option<(SampleSteps, Minute)>,
}

#[derive(Clone, Debug)]
struct GraphedSamples {
    series: Vec<SampleSeries>,
    steps: SampleSteps,
    upto: Minute,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GraphScope {
    Swarm,
    Each(Vec<MysisId>),
}

/// The shortest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, VariantArray)]
pub enum GraphSpan {
    #[default]
    Hour,
    Day,
    Week,
    Month,
}

impl GraphSpan {
    /// Its length in words, and in minutes.
    #[must_use]
    pub fn length(self) -> (&'static str, i64) {
        match self {
            GraphSpan::Hour => ("1 h", 60),
            GraphSpan::Day => ("24 h", 24 * 60),
            GraphSpan::Week => ("7 d", 7 * 24 * 60),
            GraphSpan::Month => ("30 d", 30 * 24 * 60),
        }
    }

    /// A longer or shorter one, if there is one.
    #[must_use]
    pub fn step(self, longer: bool) -> GraphSpan {
        let place = self as usize;
        let place = if longer {
            place + 1
        } else {
            place.saturating_sub(1)
        };
        Self::VARIANTS.get(place).copied().unwrap_or(self)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Whose it is; `None` for the sum.
    pub mysis: Option<MysisId>,
    /// Minutes since 1970 and values.
    pub points: Vec<(f64, f64)>,
}

impl GraphView {
    /// Graphs of the Mysis in focus, of the marked ones, else of the swarm.
    fn of_targets(facts: &Facts, targets: &Targets) -> GraphView {
        let scope = match targets.are_chosen {
            true => GraphScope::Each(targets.in_hand.clone()),
            false => GraphScope::Swarm,
        };
        let value = match (facts.roster.may_tell_facts(), facts.number_name()) {
            (_, Some(_)) => GraphedValue::Number,
            (true, None) => GraphedValue::Earned,
            // Nothing tells of money.
            (false, None) => GraphedValue::Tokens,
        };
        GraphView::new(scope, value)
    }

    /// Graphs of these Myses, or of the swarm, that nothing is known of yet.
    pub fn new(scope: GraphScope, value: GraphedValue) -> GraphView {
        GraphView {
            value,
            span: GraphSpan::default(),
            scope,
            samples: Polled::default(),
            asked: None,
        }
    }

    pub fn change_span(&mut self, span: GraphSpan) {
        if span != self.span {
            self.span = span;
            self.samples.invalidate();
        }
    }

    /// Shows the next or the previous value, without those of which these tools tell nothing.
    fn step_value(&mut self, forward: bool, facts: &Facts) {
        let is_untold = |value: GraphedValue| {
            let is_number = value == GraphedValue::Number;
            (is_number && facts.number_name().is_none())
                || (value.is_of_money() && !facts.roster.may_tell_facts())
        };
        self.value = self.value.step(forward);
        while is_untold(self.value) {
            self.value = self.value.step(forward);
        }
    }

    /// The read of what is shown. `all` are the Myses of the swarm.
    pub fn query(&mut self, all: impl Iterator<Item = MysisId>, now: Timestamp) -> SampleQuery {
        let (myses, is_sum): (Vec<MysisId>, bool) = match &self.scope {
            GraphScope::Swarm => (all.collect(), true),
            GraphScope::Each(myses) => (myses.iter().copied().take(MAX_GRAPHS).collect(), false),
        };
        let upto = Minute::of(now);
        let from = Minute(upto.0.saturating_sub(self.span.length().1)).start_time();
        let series = if is_sum { 1 } else { myses.len() };
        let steps = SampleSteps::automatic((from, now), series);
        self.asked = Some((steps, upto));
        SampleQuery {
            myses,
            deleted: Vec::new(),
            is_sum,
            steps,
        }
    }

    /// Takes what was read, unless something else is shown now.
    pub fn take_samples(&mut self, id: ReadId, read: Result<StoreAnswer, String>) {
        let asked = self.asked;
        self.samples.take(id, read, |answer| {
            let (steps, upto) = asked?;
            Some(GraphedSamples {
                series: answer.try_as_samples()?,
                steps,
                upto,
            })
        });
    }

    /// The first and the last minute of the axis: from the first of these points to the minute that was asked for, at
    /// least so many minutes that an axis can be drawn.
    pub fn bounds(&self, curves: &[Curve]) -> Option<(f64, f64)> {
        let last = self.samples.value()?.upto.0 as f64;
        let first = known_since(curves, last);
        Some((first.min(last - MIN_AXIS_MINUTES), last))
    }

    /// The curves of the shown value. `myses` is the number of Myses in the swarm.
    pub fn curves(&self, myses: usize) -> Vec<Curve> {
        self.curves_of(self.value, myses)
    }

    fn curves_of(&self, shown: GraphedValue, myses: usize) -> Vec<Curve> {
        let Some(samples) = self.samples.value() else {
            return Vec::new();
        };
        let GraphedSamples {
            series,
            steps,
            upto,
        } = &**samples;
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
                    let value = shown.of(sample, step, counted(series))?;
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

impl View for GraphView {
    fn spec(&self) -> &'static ViewSpec {
        &SPEC
    }

    fn press(&mut self, context: &mut ViewContext<'_>, press: KeyEvent) -> Pressed {
        let Some(action) = context.facts.keymap.find(GRAPH_KEYS, press) else {
            return Pressed::Passes;
        };
        match action {
            GraphAction::Back => return Pressed::Closes,
            GraphAction::Next => self.step_value(true, context.facts),
            GraphAction::Previous => self.step_value(false, context.facts),
            GraphAction::Longer => self.change_span(self.span.step(true)),
            GraphAction::Shorter => self.change_span(self.span.step(false)),
            GraphAction::Scope => {
                self.scope = match &self.scope {
                    GraphScope::Swarm => GraphScope::Each(context.targets.in_hand.clone()),
                    GraphScope::Each(_) => GraphScope::Swarm,
                };
                self.samples.invalidate();
            }
        }
        Pressed::Stays
    }

    fn paint(&self, facts: &Facts, layout: &ScreenLayout, painter: &mut Painter<'_>) {
        view::paint(facts, self, layout, painter);
    }

    fn poll(&mut self, context: &mut ViewContext<'_>, _: Rect) {
        if self.samples.is_due(context.facts.moment, REFRESH) {
            let query = self.query(
                context.facts.roster.members().keys().copied(),
                context.facts.now,
            );
            let id = context.outbox.read(StoreQuery::Samples(query));
            self.samples.ask(id, context.facts.moment);
        }
    }

    fn awaits(&self, id: ReadId) -> bool {
        self.samples.awaits(id)
    }

    fn take(&mut self, _: &mut ViewContext<'_>, id: ReadId, read: Result<StoreAnswer, String>) {
        self.take_samples(id, read);
    }

    fn forget_reads(&mut self) {
        self.samples.forget_read();
    }

    /// The wheel would change the time, which is read anew.
    fn point(&mut self, _: MouseEvent, _: Rect) -> Pointed {
        Pointed::Used
    }
}

/// The minute of the first point of these curves; `last` if they have none.
fn known_since(curves: &[Curve], last: f64) -> f64 {
    let points = curves.iter().flat_map(|curve| curve.points.first());
    points.map(|(minute, _)| *minute).fold(last, f64::min)
}

/// The least round number that is not below a value.
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
    use actors::domain::ids::Moment;
    use actors::domain::samples::{Flow, GameFacts, Sample};

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
        view.samples.invalidate();
        let query = view.query([MysisId(1)].into_iter(), Minute(upto).start_time());
        assert!(query.is_sum);
        view.samples.ask(ReadId(9), Moment(0));
        let mysis = None;
        let series = vec![SampleSeries { mysis, samples }];
        view.take_samples(ReadId(9), Ok(StoreAnswer::Samples(series)));
    }

    #[test]
    fn the_axis_begins_with_what_is_known_and_ends_with_the_minute_of_the_question() {
        let mut view = GraphView::new(GraphScope::Swarm, GraphedValue::Earned);
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
        // The first minute that is over is shown.
        assert_eq!(view.curves(1)[0].points, [(999.0, 420.0)]);
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
    fn an_axis_ends_at_a_round_number() {
        let rounded = [0.0, 0.03, 1.0, 17.0, 430.0, 5_001.0].map(round_ceiling);
        assert_eq!(rounded, [1.0, 0.03, 1.0, 20.0, 500.0, 6_000.0]);
    }

    #[test]
    fn values_and_spans_are_walked_through() {
        let all = GraphedValue::VARIANTS;
        let last = all[all.len() - 1];
        assert_eq!(last.step(true), all[0]);
        assert_eq!(all[0].step(false), last);
        assert_eq!(GraphSpan::Hour.step(false), GraphSpan::Hour);
        assert_eq!(GraphSpan::Month.step(true), GraphSpan::Month);
    }
}
