//! Since when the operator has not looked.

use actors::domain::ids::Timestamp;

/// After so long without a key the operator counts as having been away.
const PAUSE_MS: u64 = 10 * 60 * 1000;
/// How often it is kept that the operator is there.
const KEEP_EVERY_MS: u64 = 60 * 1000;

/// When the operator was there, and what came since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LookedAt {
    /// What is newer came while nobody looked: since the log was closed, or since the last pause began.
    rule: Option<Timestamp>,
    active: Option<Timestamp>,
    /// What the next run gets.
    kept: Option<Timestamp>,
}

impl LookedAt {
    pub fn since(kept: Option<Timestamp>) -> LookedAt {
        LookedAt {
            rule: kept,
            active: kept,
            kept,
        }
    }

    /// What is newer came while nobody looked; `None` if that is not known.
    pub fn rule(&self) -> Option<Timestamp> {
        self.rule
    }

    pub fn active(&self) -> Option<Timestamp> {
        self.active
    }

    pub fn kept(&self) -> Option<Timestamp> {
        self.kept
    }

    pub fn be_active(&mut self, now: Timestamp) {
        let is_pause = |active: &Timestamp| now.since(*active) >= PAUSE_MS;
        self.rule = self.active.filter(is_pause).or(self.rule);
        self.active = Some(now);
        let is_fresh = |kept: &Timestamp| now.since(*kept) < KEEP_EVERY_MS;
        self.kept = self.kept.filter(is_fresh).or(Some(now));
    }

    pub fn look(&mut self, now: Timestamp) {
        *self = LookedAt::since(Some(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000;

    #[test]
    fn what_comes_in_a_pause_is_new_and_what_comes_before_the_eyes_is_not() {
        let at = |minute: i64| Timestamp(minute * MINUTE);
        let mut looked = LookedAt::default();
        looked.be_active(at(1));
        assert_eq!((looked.rule(), looked.kept()), (None, Some(at(1))));
        looked.be_active(at(10));
        assert_eq!(looked.rule(), None);
        looked.be_active(at(25));
        assert_eq!((looked.rule(), looked.kept()), (Some(at(10)), Some(at(25))));
        looked.be_active(at(26));
        assert_eq!(looked.rule(), Some(at(10)), "it was not looked at yet");
        looked.look(at(27));
        assert_eq!(looked.rule(), Some(at(27)));
        let mut next = LookedAt::since(looked.kept());
        next.be_active(at(90));
        assert_eq!(next.rule(), Some(at(27)));
    }

    #[test]
    fn that_he_is_there_is_kept_once_a_minute() {
        let mut looked = LookedAt::default();
        let kept: Vec<_> = (0..120)
            .map(|second| {
                looked.be_active(Timestamp(second * 1000));
                looked.kept().map_or(-1, |kept| kept.0)
            })
            .collect();
        let mut distinct = kept.clone();
        distinct.dedup();
        assert_eq!(distinct, [0, 60_000]);
    }
}
