//! What was learnt about the form of requests to a provider's model: tools that it refuses, how large a
//! request may be, and whether its messages hold calls.

use std::sync::Arc;

use crate::ids::{Moment, MysisId};

use super::{HeldKind, HeldText, HeldTexts, MAX_HELD, SUSPECTED_TIME};

impl HeldText {
    /// Whether the other one says something of the same, so that only one can hold.
    pub(super) fn replaces(&self, other: &HeldText) -> bool {
        let is_same = self.text == other.text || self.kind == HeldKind::Size;
        let is_for_it = !self.is_local || (other.is_local && self.mysis == other.mysis);
        let is_of_it = self.is_of((&other.provider, &other.model));
        self.kind == other.kind && is_same && is_for_it && is_of_it
    }

    fn is_of(&self, (provider, model): (&str, &str)) -> bool {
        (&*self.provider, &*self.model) == (provider, model)
    }
}

impl HeldTexts {
    /// What was learnt about the form of requests, oldest first.
    pub fn lessons(&self) -> &[Arc<HeldText>] {
        &self.lessons
    }

    /// What was learnt about the form of requests to this provider and model.
    pub fn lessons_of<'a>(
        &'a self,
        whom: (&'a str, &'a str),
    ) -> impl Iterator<Item = &'a Arc<HeldText>> {
        self.lessons.iter().filter(move |held| held.is_of(whom))
    }

    pub(super) fn learn(&mut self, held: Arc<HeldText>) {
        self.forget(&held);
        self.lessons.push(held);
        let surplus = self.lessons.len().saturating_sub(MAX_HELD);
        self.lessons.drain(..surplus);
    }

    pub(super) fn forget(&mut self, held: &HeldText) {
        self.lessons.retain(|known| !held.replaces(known));
    }

    /// Notes that a conversation finds out about the form of requests.
    pub fn begin_judging(&mut self, whom: (&str, &str), by: MysisId, now: Moment) {
        self.suspected
            .retain(|_, (_, since)| now.since(*since) < SUSPECTED_TIME);
        self.suspected.entry(form_of(whom)).or_insert((by, now));
    }

    /// Whether another conversation finds out about the form of requests just now.
    pub fn is_judged_by_another(&self, whom: (&str, &str), mysis: MysisId, now: Moment) -> bool {
        let judging = self.suspected.get(&form_of(whom));
        judging.is_some_and(|(by, since)| *by != mysis && now.since(*since) < SUSPECTED_TIME)
    }
}

/// What stands for the form of requests among what is found out. No text begins so.
fn form_of((provider, model): (&str, &str)) -> Arc<str> {
    format!("\0{provider}\0{model}").into()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::held::HeldChange;
    use crate::held::test_texts::held_text;

    use super::*;

    fn lesson(kind: HeldKind, text: &str) -> HeldText {
        HeldText {
            kind,
            ..held_text(text.into())
        }
    }

    #[test]
    fn lessons_are_no_texts_and_of_sizes_the_last_one_holds() {
        let mut held = HeldTexts::default();
        let all = [
            lesson(HeldKind::Tool, "mine"),
            lesson(HeldKind::Size, "9000"),
            lesson(HeldKind::Size, "5000"),
            lesson(HeldKind::Calls, ""),
        ];
        for lesson in all.clone() {
            held.hold(Arc::new(lesson));
        }
        assert!(held.all().is_empty());
        let words = |held: &HeldTexts| -> Vec<String> {
            let of_it = held.lessons_of(("p", "m"));
            of_it.map(|lesson| lesson.text.to_string()).collect()
        };
        assert_eq!(words(&held), ["mine", "5000", ""]);
        assert_eq!(held.lessons_of(("q", "m")).count(), 0);
        held.release(&lesson(HeldKind::Tool, "mine"));
        assert_eq!(words(&held), ["5000", ""]);
        held.replace(all.to_vec());
        assert_eq!(held.lessons().len(), 4);
    }

    #[test]
    fn one_finds_out_about_the_form_for_all_until_it_has() {
        let mut held = HeldTexts::default();
        let judging = HeldChange::Judging {
            provider: "p".into(),
            model: "m".into(),
        };
        held.apply(judging.clone(), MysisId(1), Moment(0));
        held.apply(judging, MysisId(2), Moment(0));
        let waits = |held: &HeldTexts, who, at| {
            held.is_judged_by_another(("p", "m"), MysisId(who), Moment(at))
        };
        assert!(waits(&held, 2, 1) && !waits(&held, 1, 1));
        let late = Duration::from_secs(60).as_millis() as i64;
        assert!(!waits(&held, 2, late), "not for ever");
        held.apply(HeldChange::Judged, MysisId(1), Moment(1));
        assert!(!waits(&held, 2, 1));
    }
}
