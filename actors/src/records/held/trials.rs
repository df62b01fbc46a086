//! Trials of refusals: a text is tried by one conversation of all processes on the database, and a provider
//! gets twelve trials an hour (decision 341).

use std::sync::Arc;
use std::time::Duration;

use crate::ids::{Moment, MysisId};

/// The most trials of refusals in an hour, for one provider.
pub(super) const MAX_TRIALS: usize = 12;
const HOUR: Duration = Duration::from_secs(3600);
/// How long others wait for what a conversation finds out about a text.
pub(super) const SUSPECTED_TIME: Duration = Duration::from_secs(60);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrialClaim {
    pub provider: Arc<str>,
    pub by: MysisId,
    pub number: i64,
    /// The hashes of the texts that are left out of it.
    pub texts: Vec<i64>,
}

/// A trial of the last hour that all processes know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedTrial {
    pub claim: TrialClaim,
    pub age: Duration,
}

impl TrialClaim {
    fn is(&self, other: &TrialClaim) -> bool {
        (self.by, self.number) == (other.by, other.number)
    }

    /// Whether it may be made where these are known: no other conversation tries one of its texts, and
    /// its provider has trials left.
    pub fn is_admitted(&self, shared: &[SharedTrial]) -> bool {
        let is_tried = |trial: &SharedTrial| {
            trial.age < SUSPECTED_TIME && trial.claim.tries_for(self.by, &self.texts)
        };
        let of_provider = |trial: &&SharedTrial| trial.claim.provider == self.provider;
        !shared.iter().any(is_tried) && shared.iter().filter(of_provider).count() < MAX_TRIALS
    }

    /// Whether it finds out about one of these texts for another conversation.
    fn tries_for(&self, other: MysisId, texts: &[i64]) -> bool {
        self.by != other && self.texts.iter().any(|text| texts.contains(text))
    }
}

#[derive(Clone, Debug)]
struct Trial {
    claim: TrialClaim,
    at: Moment,
    is_admitted: bool,
}

/// The trials of the last hour.
#[derive(Clone, Debug, Default)]
pub struct TrialBook {
    trials: Vec<Trial>,
    /// Whether other processes are asked before a trial is made.
    pub is_shared: bool,
}

impl TrialBook {
    /// Notes a trial. Where other processes are asked, it waits for them.
    pub(super) fn add(&mut self, claim: TrialClaim, now: Moment) {
        self.trials.retain(|trial| now.since(trial.at) < HOUR);
        let is_admitted = !self.is_shared;
        self.trials.push(Trial {
            claim,
            at: now,
            is_admitted,
        });
    }

    /// Notes that it is known whether a text is refused.
    pub(super) fn forget_text(&mut self, text: i64) {
        for trial in &mut self.trials {
            trial.claim.texts.retain(|tried| *tried != text);
        }
    }

    /// Those that wait for other processes.
    pub fn claims(&self) -> Vec<TrialClaim> {
        let waiting = self.trials.iter().filter(|trial| !trial.is_admitted);
        waiting.map(|trial| trial.claim.clone()).collect()
    }

    /// Takes what all processes know after these claims were told.
    pub fn take_shared(&mut self, said: &[TrialClaim], shared: Vec<SharedTrial>, now: Moment) {
        let is_said = |trial: &Trial| said.iter().any(|claim| claim.is(&trial.claim));
        self.trials
            .retain(|trial| !trial.is_admitted && !is_said(trial));
        let shared = shared.into_iter().map(|trial| Trial {
            at: now.minus(trial.age),
            claim: trial.claim,
            is_admitted: true,
        });
        self.trials.extend(shared);
    }

    /// Whether a trial may be made: `None` where it waits for the other processes.
    pub fn is_admitted(&self, by: MysisId, number: i64) -> Option<bool> {
        let mut trials = self.trials.iter();
        let own = trials.find(|trial| (trial.claim.by, trial.claim.number) == (by, number));
        match own {
            Some(trial) if trial.is_admitted => Some(true),
            Some(_) => None,
            None => Some(false),
        }
    }

    pub(super) fn is_tried_by_another(&self, mysis: MysisId, text: i64, now: Moment) -> bool {
        let mut trials = self.trials.iter();
        trials.any(|trial| {
            trial.is_admitted
                && now.since(trial.at) < SUSPECTED_TIME
                && trial.claim.tries_for(mysis, &[text])
        })
    }

    pub fn may_try(&self, provider: &str, now: Moment) -> bool {
        let trials = self.trials.iter();
        let recent =
            trials.filter(|trial| *trial.claim.provider == *provider && now.since(trial.at) < HOUR);
        recent.count() < MAX_TRIALS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(by: i64, number: i64, texts: &[i64]) -> TrialClaim {
        TrialClaim {
            provider: "p".into(),
            by: MysisId(by),
            number,
            texts: texts.to_vec(),
        }
    }

    /// What a database does with the claims of one process after the other.
    fn share(shared: &mut Vec<SharedTrial>, book: &mut TrialBook) {
        let said = book.claims();
        for claim in &said {
            if claim.is_admitted(shared) {
                let (claim, age) = (claim.clone(), Duration::ZERO);
                shared.push(SharedTrial { claim, age });
            }
        }
        book.take_shared(&said, shared.clone(), Moment(0));
    }

    #[test]
    fn of_two_processes_one_tries_a_text_and_the_other_one_waits() {
        let (mut one, mut two) = (TrialBook::default(), TrialBook::default());
        (one.is_shared, two.is_shared) = (true, true);
        let mut shared = Vec::new();
        one.add(claim(1, 1, &[7]), Moment(0));
        two.add(claim(2, 1, &[7, 8]), Moment(0));
        assert_eq!(one.is_admitted(MysisId(1), 1), None, "it waits to be told");
        share(&mut shared, &mut one);
        share(&mut shared, &mut two);
        assert_eq!(one.is_admitted(MysisId(1), 1), Some(true));
        assert_eq!(two.is_admitted(MysisId(2), 1), Some(false));
        assert!(two.is_tried_by_another(MysisId(2), 7, Moment(59_999)));
        assert!(!two.is_tried_by_another(MysisId(2), 7, Moment(60_000)));
        assert!(
            !one.is_tried_by_another(MysisId(1), 7, Moment(0)),
            "it is its own"
        );
        // A claim that was made meanwhile stays, and this process tries the other text.
        let said = two.claims();
        two.add(claim(2, 2, &[9]), Moment(0));
        two.take_shared(&said, shared.clone(), Moment(0));
        assert_eq!(two.is_admitted(MysisId(2), 2), None);
        share(&mut shared, &mut two);
        assert_eq!(two.is_admitted(MysisId(2), 2), Some(true));
    }

    #[test]
    fn all_processes_together_make_twelve_trials_an_hour() {
        let (mut one, mut two) = (TrialBook::default(), TrialBook::default());
        (one.is_shared, two.is_shared) = (true, true);
        let mut shared = Vec::new();
        for number in 0..10 {
            let now = Moment(0);
            one.add(claim(1, number, &[number]), now);
            two.add(claim(2, number, &[100 + number]), now);
            share(&mut shared, &mut one);
            share(&mut shared, &mut two);
        }
        assert_eq!(shared.len(), MAX_TRIALS);
        assert!(!one.may_try("p", Moment(0)) && !two.may_try("p", Moment(0)));
        assert!(one.may_try("q", Moment(0)) && one.may_try("p", Moment(3_600_000)));
    }
}
