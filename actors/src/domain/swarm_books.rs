//! The books of the swarm as a screen shows them: what was spent by day, Mysis and provider, and what was earned
//! meanwhile.

use super::books::{CostEntry, Day, SavedCalls};
use super::ids::MysisId;
use super::samples::{SampleQuery, SampleSeries, SampleSteps};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BooksQuery {
    pub first: Day,
    /// The last day of which earnings are read.
    pub last: Day,
    pub myses: Vec<MysisId>,
}

impl BooksQuery {
    /// The samples that tell what was earned by day: of the Myses of the swarm, and of those that only the books still
    /// know.
    pub fn samples(&self, costs: &[CostEntry]) -> SampleQuery {
        let mut deleted: Vec<MysisId> = costs.iter().map(|entry| entry.mysis).collect();
        deleted.sort_unstable();
        deleted.dedup();
        deleted.retain(|mysis| !self.myses.contains(mysis));
        SampleQuery {
            myses: self.myses.clone(),
            deleted,
            is_sum: false,
            steps: SampleSteps::of_days(self.first, self.last),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EarnedEntry {
    pub day: Day,
    /// The Mysis. It may be deleted by now.
    pub mysis: MysisId,
    /// The credits; negative if more was paid than earned.
    pub credits: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwarmBooks {
    pub costs: Vec<CostEntry>,
    /// What was earned. A Mysis of which no result told any credits has no entry.
    pub earned: Vec<EarnedEntry>,
    pub saved: Vec<SavedCalls>,
}

impl SwarmBooks {
    /// The books from the costs, from what routines spared, and from the samples of [`BooksQuery::samples`].
    pub fn new(
        costs: Vec<CostEntry>,
        saved: Vec<SavedCalls>,
        series: &[SampleSeries],
    ) -> SwarmBooks {
        let days = series.iter().flat_map(|series| {
            let samples = series.samples.iter();
            samples.filter_map(|sample| {
                // Who has credits and made no deal earned nothing.
                let known = sample.facts.credits.map(|_| 0);
                Some(EarnedEntry {
                    day: Day::of(sample.minute.start_time()),
                    mysis: series.mysis?,
                    credits: sample.flow.earned.or(known)?,
                })
            })
        });
        SwarmBooks {
            earned: days.collect(),
            costs,
            saved,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::books::BudgetUse;
    use crate::samples::{Flow, GameFacts, Minute, Sample};

    fn cost(mysis: i64, day: i64) -> CostEntry {
        CostEntry {
            day: Day(day),
            mysis: MysisId(mysis),
            provider: "p".into(),
            spent: BudgetUse::default(),
        }
    }

    #[test]
    fn earnings_are_asked_for_by_day_also_of_deleted_ones() {
        let query = BooksQuery {
            first: Day(20_000),
            last: Day(20_002),
            myses: vec![MysisId(1), MysisId(2)],
        };
        let asked = query.samples(&[cost(9, 20_000), cost(1, 20_001), cost(9, 20_001)]);
        assert_eq!(asked.deleted, [MysisId(9)]);
        assert_eq!((asked.steps.minutes, asked.steps.count), (1440, 3));
        assert_eq!(Day::of(asked.steps.first.start_time()), Day(20_000));
        assert_eq!(Day::of(asked.steps.last().start_time()), Day(20_002));
        assert!(!asked.is_sum);
    }

    #[test]
    fn nothing_known_is_no_entry_and_no_deal_is_nothing_earned() {
        let sample = |day: i64, credits, earned| Sample {
            minute: Minute::of(Day(day).start_time()),
            facts: GameFacts {
                credits,
                ..GameFacts::default()
            },
            flow: Flow {
                earned,
                ..Flow::default()
            },
        };
        let series = SampleSeries {
            mysis: Some(MysisId(3)),
            samples: vec![
                sample(1, None, None),
                sample(2, Some(70), None),
                sample(3, Some(50), Some(-20)),
            ],
        };
        let entry = |day: i64, credits| EarnedEntry {
            day: Day(day),
            mysis: MysisId(3),
            credits,
        };
        let books = SwarmBooks::new(Vec::new(), Vec::new(), &[series]);
        assert_eq!(books.earned, [entry(2, 0), entry(3, -20)]);
    }
}
