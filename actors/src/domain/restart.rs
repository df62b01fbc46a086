//! Relaunches: whether an errored Mysis is relaunched, and when (`[supervision]`).

use std::collections::VecDeque;
use std::time::Duration;

use super::backoff::Backoff;
use super::fault::MysisFaultKind;
use super::ids::Moment;
use super::rules::{RelaunchPolicy, SupervisionRules};

#[derive(Clone, Debug, Default)]
pub struct Relaunches(VecDeque<Moment>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelaunchVerdict {
    /// It is relaunched after this wait, to which jitter is added.
    After(Duration),
    /// It stays errored until the operator relaunches it, because the policy says so.
    Stay,
    /// It stays errored, because it was relaunched too often within the window.
    GiveUp,
}

impl Relaunches {
    /// Decides, and counts the relaunch if there is one.
    pub fn decide(
        &mut self,
        rules: &SupervisionRules,
        kind: MysisFaultKind,
        now: Moment,
    ) -> RelaunchVerdict {
        if !is_covered(rules.relaunch, kind) {
            return RelaunchVerdict::Stay;
        }
        self.0.retain(|at| now.since(*at) < rules.within);
        let count = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        if count >= rules.max_relaunches {
            return RelaunchVerdict::GiveUp;
        }
        self.0.push_back(now);
        let waits = Backoff::new(rules.first_wait, rules.longest_wait);
        RelaunchVerdict::After(waits.nth_wait(count))
    }

    /// How long the next actor of a Mysis that died at rest waits before it reads its history. After a
    /// healthy stretch it does not wait.
    pub fn rest_wait(&mut self, rules: &SupervisionRules, now: Moment) -> Duration {
        self.0.retain(|at| now.since(*at) < rules.within);
        let earlier = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.push_back(now);
        let waits = Backoff::new(rules.first_wait, rules.longest_wait);
        earlier
            .checked_sub(1)
            .map_or(Duration::ZERO, |again| waits.nth_wait(again))
    }

    /// Forgets earlier relaunches, because the operator relaunched it.
    pub fn forget(&mut self) {
        self.0.clear();
    }
}

fn is_covered(policy: RelaunchPolicy, kind: MysisFaultKind) -> bool {
    match policy {
        RelaunchPolicy::Manual => false,
        RelaunchPolicy::Always => true,
        RelaunchPolicy::Transient => match kind {
            MysisFaultKind::Transient | MysisFaultKind::Crash | MysisFaultKind::Store => true,
            MysisFaultKind::Permanent => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(relaunch: RelaunchPolicy) -> SupervisionRules {
        SupervisionRules {
            relaunch,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(5),
            max_relaunches: 4,
            within: Duration::from_secs(600),
        }
    }

    #[test]
    fn each_policy_covers_its_faults() {
        use MysisFaultKind::{Crash, Permanent, Store, Transient};
        for (policy, covered) in [
            (RelaunchPolicy::Manual, vec![]),
            (RelaunchPolicy::Transient, vec![Transient, Crash, Store]),
            (
                RelaunchPolicy::Always,
                vec![Transient, Permanent, Crash, Store],
            ),
        ] {
            for kind in [Transient, Permanent, Crash, Store] {
                let verdict = Relaunches::default().decide(&rules(policy), kind, Moment(0));
                assert_eq!(
                    verdict != RelaunchVerdict::Stay,
                    covered.contains(&kind),
                    "{policy:?} {kind:?}"
                );
            }
        }
    }

    #[test]
    fn waits_double_up_to_the_longest_and_too_many_end_it() {
        let mut relaunches = Relaunches::default();
        let waits: Vec<RelaunchVerdict> = (0..5)
            .map(|n| {
                relaunches.decide(
                    &rules(RelaunchPolicy::Always),
                    MysisFaultKind::Crash,
                    Moment(n),
                )
            })
            .collect();
        let after = |seconds| RelaunchVerdict::After(Duration::from_secs(seconds));
        assert_eq!(
            waits,
            [
                after(1),
                after(2),
                after(4),
                after(5),
                RelaunchVerdict::GiveUp
            ]
        );
    }

    #[test]
    fn who_dies_at_rest_comes_back_at_once_and_then_ever_later() {
        let mut deaths = Relaunches::default();
        let manual = rules(RelaunchPolicy::Manual);
        let waits = (0..6).map(|n| deaths.rest_wait(&manual, Moment(n)).as_secs());
        assert_eq!(waits.collect::<Vec<_>>(), [0, 1, 2, 4, 5, 5]);
        let later = deaths.rest_wait(&manual, Moment(700_000));
        assert_eq!(later, Duration::ZERO);
    }

    #[test]
    fn a_healthy_stretch_forgets_what_was() {
        let mut relaunches = Relaunches::default();
        let always = rules(RelaunchPolicy::Always);
        for n in 0..4 {
            relaunches.decide(&always, MysisFaultKind::Crash, Moment(n));
        }
        let later = Moment(700_000);
        assert_eq!(
            relaunches.decide(&always, MysisFaultKind::Crash, later),
            RelaunchVerdict::After(Duration::from_secs(1))
        );
    }
}
