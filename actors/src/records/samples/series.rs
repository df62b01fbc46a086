//! Series: samples in steps of equal length, for one Mysis or for several together.

use crate::books::Day;
use crate::ids::{MysisId, Timestamp};

use super::{Flow, GameFacts, HOUR_MINUTES, Hour, Minute, Sample};

pub const MAX_SERIES_POINTS: i64 = 10_000;
/// The most points of one series that a step is chosen for.
const MAX_CHOSEN_POINTS: i64 = 120;
const DAY_MINUTES: i64 = 24 * HOUR_MINUTES;
/// The steps that are chosen from, in minutes.
const STEPS: [i64; 11] = [1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1440];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleStep {
    Minute,
    Hour,
    /// As many minutes as make a hundred points or so.
    Automatic,
}

impl SampleStep {
    /// Parses the word of CONTRACT.md; `None` if it is unknown.
    pub fn parse(word: &str) -> Option<SampleStep> {
        match word {
            "minute" => Some(SampleStep::Minute),
            "hour" => Some(SampleStep::Hour),
            "automatic" => Some(SampleStep::Automatic),
            _ => None,
        }
    }
}

/// The steps of a series: their number, their length, where the first one begins, and the time of
/// which samples are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleSteps {
    pub first: Minute,
    pub minutes: i64,
    pub count: usize,
    /// The first and the last minute that are counted.
    counted: (Minute, Minute),
}

impl SampleSteps {
    /// The steps from one time to another, both included, for so many series. What happened before
    /// and after that time is not counted, although the first and the last step may reach beyond it.
    /// Steps of an hour and longer count whole hours, because an old hour is stored as one sample.
    ///
    /// # Errors
    /// There are too many points. The text says what helps.
    pub fn new(
        step: SampleStep,
        (from, to): (Timestamp, Timestamp),
        series: usize,
    ) -> Result<SampleSteps, String> {
        let (first, last) = (Minute::of(from), Minute::of(to.max(from)));
        let mut steps = match step {
            SampleStep::Minute => SampleSteps::aligned(1, first, last),
            SampleStep::Hour => SampleSteps::aligned(HOUR_MINUTES, first, last),
            SampleStep::Automatic => SampleSteps::automatic((from, to), series),
        };
        let points = series.saturating_mul(steps.count);
        if i64::try_from(points).is_ok_and(|points| points > MAX_SERIES_POINTS) {
            return Err(format!(
                "that is {points} samples, and an answer holds {MAX_SERIES_POINTS}: ask for fewer \
                 myses, for their sum, for a shorter time or for longer steps"
            ));
        }
        steps.counted = match steps.minutes < HOUR_MINUTES {
            true => (first, last),
            false => (first.hour().first_minute(), last.hour().last_minute()),
        };
        Ok(steps)
    }

    /// A hundred steps or so from one time to another, both included: as many as an answer holds for
    /// so many series, and one at least. They begin at full hours, or at full days if they are longer,
    /// and all of them are counted as a whole.
    pub fn automatic((from, to): (Timestamp, Timestamp), series: usize) -> SampleSteps {
        let (from, to) = (Minute::of(from), Minute::of(to.max(from)));
        let series = i64::try_from(series).unwrap_or(i64::MAX);
        let most = (MAX_SERIES_POINTS / series.max(1)).clamp(1, MAX_CHOSEN_POINTS);
        let length = to.0.saturating_sub(from.0);
        // The first one begins up to a step earlier, which makes one more of them.
        let fits = |step: &i64| length.div_euclid(*step).saturating_add(2) <= most;
        if let Some(step) = STEPS.into_iter().find(fits) {
            return SampleSteps::aligned(step, from, to);
        }
        let longest = |from: Minute| to.0.saturating_sub(from.0).div_euclid(most) + 1;
        if longest(from) < HOUR_MINUTES {
            return SampleSteps::beginning_at(from, longest(from), to);
        }
        let from = from.hour().first_minute();
        let hours = longest(from).saturating_add(HOUR_MINUTES - 1) / HOUR_MINUTES;
        SampleSteps::beginning_at(from, hours.saturating_mul(HOUR_MINUTES), to)
    }

    /// A step for each day (UTC) from one to another, both included. All of them are counted as a whole.
    pub fn of_days(first: Day, last: Day) -> SampleSteps {
        let begin = |day: Day| Minute::of(day.start_time());
        SampleSteps::aligned(DAY_MINUTES, begin(first), begin(last.max(first)))
    }

    /// Steps that begin at multiples of their length.
    fn aligned(minutes: i64, from: Minute, to: Minute) -> SampleSteps {
        let first = Minute(from.0.div_euclid(minutes).saturating_mul(minutes));
        SampleSteps::beginning_at(first, minutes, to)
    }

    fn beginning_at(first: Minute, minutes: i64, to: Minute) -> SampleSteps {
        let count = to.0.saturating_sub(first.0).div_euclid(minutes) + 1;
        let mut steps = SampleSteps {
            first,
            minutes,
            count: usize::try_from(count).unwrap_or_default(),
            counted: (first, to),
        };
        steps.counted.1 = steps.last();
        steps
    }

    /// The hours of the counted samples, from the first to the last.
    #[must_use]
    pub fn hours(&self) -> (Hour, Hour) {
        let (first, last) = self.counted;
        (first.hour(), last.hour())
    }

    pub fn last(&self) -> Minute {
        let count = i64::try_from(self.count).unwrap_or(i64::MAX);
        Minute(
            self.first
                .0
                .saturating_add(count.saturating_mul(self.minutes))
                - 1,
        )
    }

    fn place(&self, minute: Minute) -> Option<usize> {
        let behind = minute.0.checked_sub(self.first.0)?;
        let place = usize::try_from(behind.div_euclid(self.minutes)).ok()?;
        (place < self.count).then_some(place)
    }

    fn minute(&self, place: usize) -> Minute {
        let place = i64::try_from(place).unwrap_or_default();
        Minute(
            self.first
                .0
                .saturating_add(place.saturating_mul(self.minutes)),
        )
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleQuery {
    pub myses: Vec<MysisId>,
    /// Deleted ones. Their accounts play on with others, so a sum has no credits of them.
    pub deleted: Vec<MysisId>,
    pub is_sum: bool,
    pub steps: SampleSteps,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleSeries {
    /// The Mysis; `None` for a sum.
    pub mysis: Option<MysisId>,
    /// The samples, oldest first, without a gap since the first. A sum has no facts but credits, those of
    /// the Myses whose credits are known, and likewise the number that the operator named.
    pub samples: Vec<Sample>,
}

#[derive(Clone, Debug)]
pub struct SeriesBuilder {
    steps: SampleSteps,
    points: Vec<Option<(GameFacts, Flow)>>,
    /// The facts of the newest sample before the counted ones.
    before: Option<GameFacts>,
}

impl SeriesBuilder {
    pub fn new(steps: SampleSteps) -> SeriesBuilder {
        SeriesBuilder {
            steps,
            points: vec![None; steps.count],
            before: None,
        }
    }

    /// Adds a sample. They come in the order of time. Of one before the counted time only the facts
    /// are taken, and a later one is left out.
    pub fn add(&mut self, sample: &Sample) {
        let (first, last) = self.steps.counted;
        if sample.minute < first {
            self.before = Some(sample.facts.clone());
            return;
        }
        let place = self.steps.place(sample.minute);
        let place = place.filter(|_| sample.minute <= last);
        if let Some(point) = place.and_then(|place| self.points.get_mut(place)) {
            let (facts, flow) = point.get_or_insert_default();
            facts.clone_from(&sample.facts);
            flow.add(&sample.flow);
        }
    }

    /// Adds a finished series with the same steps to a sum: its credits and the number that the operator named, of
    /// all facts. Such a series has no gap after its first point, so that a sum carries nothing over one.
    pub fn add_series(&mut self, samples: &[Sample]) {
        for sample in samples {
            let place = self.steps.place(sample.minute);
            if let Some(point) = place.and_then(|place| self.points.get_mut(place)) {
                let (facts, flow) = point.get_or_insert_default();
                let newer = &sample.facts;
                for (sum, more) in [
                    (&mut facts.credits, newer.credits),
                    (&mut facts.number, newer.number),
                ] {
                    if let Some(more) = more {
                        *sum = Some(sum.unwrap_or(0).saturating_add(more));
                    }
                }
                let name = newer.number_name.as_ref();
                facts.number_name = name.or(facts.number_name.as_ref()).cloned();
                flow.add(&sample.flow);
            }
        }
    }

    /// Whether nothing is known at the first step, so that the facts of an earlier hour are of use.
    pub fn wants_older_facts(&self) -> bool {
        self.before.is_none() && self.points.first().is_some_and(Option::is_none)
    }

    /// Forgets the facts of before: where nothing happened there are no samples.
    pub fn forget_older_facts(&mut self) {
        self.before = None;
    }

    /// The series. `older`: the facts of earlier hours.
    #[must_use]
    pub fn finish(self, older: Option<GameFacts>) -> Vec<Sample> {
        let mut known = self.before.or(older);
        let mut samples = Vec::with_capacity(self.points.len());
        for (place, point) in self.points.into_iter().enumerate() {
            let flow = point.map(|(facts, flow)| {
                known = Some(facts);
                flow
            });
            if let Some(facts) = &known {
                samples.push(Sample {
                    minute: self.steps.minute(place),
                    facts: facts.clone(),
                    flow: flow.unwrap_or_default(),
                });
            }
        }
        samples
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sample(minute: i64, credits: i64, earned: i64) -> Sample {
        Sample {
            minute: Minute(minute),
            facts: GameFacts {
                credits: Some(credits),
                ..GameFacts::default()
            },
            flow: Flow {
                earned: Some(earned),
                tool_calls: 1,
                ..Flow::default()
            },
        }
    }

    proptest! {
        /// Whatever the moment: there are as many points as an answer holds, each counted minute has
        /// its step, and nothing else is counted.
        #[test]
        fn chosen_steps_have_their_bounds_and_contain_the_time(
            from in 29_000_000..30_000_000_i64,
            length in prop_oneof![0..200_i64, 0..50_000_i64, 0..600_000_i64],
            series in prop_oneof![1..60_usize, 1..10_001_usize],
        ) {
            let to = from + length;
            let whole = SampleSteps::automatic(times(from, to), series);
            let steps = SampleSteps::new(SampleStep::Automatic, times(from, to), series).unwrap();
            prop_assert_eq!((steps.first, steps.minutes, steps.count), (whole.first, whole.minutes, whole.count));
            prop_assert!(steps.count * series <= 10_000, "{steps:?}");
            prop_assert!(steps.first.0 <= from && to <= steps.last().0, "{steps:?}");
            let mut builder = SeriesBuilder::new(steps);
            for minute in [from - 61, from - 1, from, to, to + 1, to + 61] {
                builder.add(&sample(minute, 0, 0));
            }
            let counted: u64 = builder.finish(None).iter().map(|sample| sample.flow.tool_calls).sum();
            if steps.minutes < 60 {
                prop_assert_eq!(counted, 2, "{:?}", steps);
            } else {
                // Whole hours.
                prop_assert!((2..=4).contains(&counted), "{} of {:?}", counted, steps);
            }
        }
    }

    #[test]
    fn steps_count_only_the_time_that_was_asked_for() {
        // 17 minutes past an hour, for 30 days of 400 Myses.
        let from = 29_000_017;
        let steps = SampleSteps::new(SampleStep::Automatic, times(from, from + 43_200), 400);
        let steps = steps.unwrap();
        assert_eq!((steps.minutes, steps.count), (1740, 25));
        assert_eq!(steps.first.hour(), Minute(from).hour());
        let day = SampleSteps::new(SampleStep::Automatic, times(from, from + 1440), 1).unwrap();
        assert_eq!((day.minutes, day.first.0 % 15), (15, 0));
        let mut series = SeriesBuilder::new(day);
        for minute in [from - 1, from, from + 1440, from + 1441] {
            series.add(&sample(minute, minute, 1));
        }
        let samples = series.finish(None);
        let earned = samples.iter().filter_map(|sample| sample.flow.earned);
        assert_eq!(earned.sum::<i64>(), 2);
        assert_eq!(samples.last().unwrap().facts.credits, Some(from + 1440));
    }

    fn times(from: i64, to: i64) -> (Timestamp, Timestamp) {
        (Minute(from).start_time(), Minute(to).start_time())
    }

    fn listed(samples: &[Sample]) -> Vec<(i64, Option<i64>, Option<i64>)> {
        let samples = samples.iter();
        samples
            .map(|sample| (sample.minute.0, sample.facts.credits, sample.flow.earned))
            .collect()
    }

    #[test]
    fn steps_are_chosen_so_that_an_answer_has_its_bounds() {
        let chosen = |minutes: i64, series: usize| {
            let steps = SampleSteps::new(SampleStep::Automatic, times(0, minutes), series);
            steps.map(|steps| (steps.minutes, steps.count))
        };
        assert_eq!(chosen(60, 1), Ok((1, 61)));
        assert_eq!(chosen(24 * 60, 1), Ok((15, 97)));
        assert_eq!(chosen(7 * 24 * 60, 1), Ok((120, 85)));
        assert_eq!(chosen(365 * 24 * 60, 1), Ok((4440, 119)));
        let too_many = SampleSteps::new(SampleStep::Minute, times(0, 1440), 30).unwrap_err();
        assert!(too_many.starts_with("that is 43230 samples"), "{too_many}");
        let hours = SampleSteps::new(SampleStep::Hour, times(119, 121), 1).unwrap();
        assert_eq!(
            (hours.first, hours.count, hours.last()),
            (Minute(60), 2, Minute(179))
        );
    }

    #[test]
    fn facts_are_carried_on_and_flows_are_not() {
        let steps = SampleSteps::new(SampleStep::Minute, times(10, 14), 1).unwrap();
        let mut series = SeriesBuilder::new(steps);
        for minute in [9, 11, 13, 15] {
            series.add(&sample(minute, minute * 100, 5));
        }
        assert!(!series.wants_older_facts());
        let (some, none) = (Some(5), None);
        let older = sample(-60, 50, 0).facts;
        assert_eq!(
            listed(&series.clone().finish(Some(older))),
            [
                (10, Some(900), none),
                (11, Some(1100), some),
                (12, Some(1100), none),
                (13, Some(1300), some),
                (14, Some(1300), none)
            ]
        );
        series.forget_older_facts();
        assert_eq!(listed(&series.clone().finish(None))[0].0, 11);
        let older = sample(-60, 50, 0).facts;
        assert_eq!(listed(&series.finish(Some(older)))[0], (10, Some(50), None));
    }

    #[test]
    fn a_sum_has_the_credits_of_all_whose_credits_are_known() {
        let steps = SampleSteps::new(SampleStep::Minute, times(10, 12), 2).unwrap();
        let mut sum = SeriesBuilder::new(steps);
        let mut unknown = sample(11, 0, 7);
        unknown.facts.credits = None;
        for samples in [
            vec![sample(10, 100, 1), sample(11, 110, 10)],
            vec![unknown, sample(12, 40, -2)],
        ] {
            let mut series = SeriesBuilder::new(steps);
            samples.iter().for_each(|sample| series.add(sample));
            sum.add_series(&series.finish(None));
        }
        assert_eq!(
            listed(&sum.finish(None)),
            [
                (10, Some(100), Some(1)),
                (11, Some(110), Some(17)),
                (12, Some(150), Some(-2))
            ]
        );
    }
}
