//! Texts that a model's server refuses, and that are held back from requests (decision 341).
//!
//! A text is held back for one provider and model, because a request with it was refused and the same
//! without it was served. Its row stays; in requests a fixed sentence stands in its place. So it is with
//! the form of requests: tools, sizes, and calls as such.

mod lessons;
mod naming;
mod orders;
#[cfg(test)]
pub(crate) mod test_texts;
mod trials;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use strum::{EnumCount, IntoStaticStr, VariantArray};

use super::game::digest_of_look;
use super::ids::{Moment, MysisId, Seq, Timestamp};
use super::message::own_words;
use super::model::ChatMessage;
use zoea_text::clean::printable_text;

pub use naming::UndeliveredOrder;
pub use orders::is_order;
pub use trials::{SharedTrial, TrialBook, TrialClaim};

use naming::text_hash;
use trials::SUSPECTED_TIME;

pub const HELD_SENTENCE: &str =
    "[held back by the runtime: the model's server refused every request with this text]";

/// As many bytes of a text say which one it is.
const KEY_BYTES: usize = 4 << 10;
/// A text that was cut is the same as its whole if so many bytes are left of it. The shortest cut leaves 192, less
/// the letter that would be split.
pub(crate) const MIN_CUT_BYTES: usize = 192 - 3;
/// A text of so many bytes is the same also where it stands within another one. Shorter ones are too common.
const MIN_QUOTED_BYTES: usize = 12;
/// The most texts that are held back. Of more, the oldest are tried again.
pub const MAX_HELD: usize = 256;
/// The most letters that an operator is shown of a text.
const MAX_SHOWN: usize = 120;
/// For so long a change outlasts what is read from the store, which may not hold it yet.
const SETTLING_TIME: Duration = Duration::from_secs(10);
const DOUBT_INTERVAL_MS: u64 = 86_400_000;
/// When a text is doubted first that may be held back by chance.
const FIRST_DOUBT_MS: u64 = 60_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum HeldKind {
    Text,
    /// The definition of a tool. The text is its name.
    Tool,
    /// What exceeds a size. The text is the most bytes of a request's messages.
    Size,
    /// Calls in messages: they and their results are sent as words. The text is empty.
    Calls,
}

crate::read_by_word!(pub HeldKind);

impl HeldKind {
    /// The word for it in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldText {
    pub kind: HeldKind,
    pub provider: Arc<str>,
    pub model: Arc<str>,
    pub text: Arc<str>,
    pub mysis: MysisId,
    pub seq: Seq,
    /// Whether it is held back in this conversation only, since others were left out together with it.
    pub is_local: bool,
    pub said: Arc<str>,
    pub proof: Arc<str>,
    pub at: Timestamp,
    /// When it was last tried again.
    pub doubted_at: Timestamp,
}

impl HeldText {
    /// The beginning of a text, which says which one it is.
    pub fn key(text: &str) -> Arc<str> {
        text[..text.floor_char_boundary(KEY_BYTES)].into()
    }

    /// Whether this is the text, or the beginning of it. An order is the same only if
    /// [`HeldText::is_order`] says so.
    pub fn is(&self, text: &str) -> bool {
        let text = &text[..text.floor_char_boundary(KEY_BYTES)];
        let own = &*self.text;
        let shorter = text.len().min(own.len());
        own == text
            || (shorter >= MIN_CUT_BYTES && (own.starts_with(text) || text.starts_with(own)))
    }

    /// The same for the operator who forgets it: the next request that would hold it holds it, and it is
    /// held back as before if that is refused.
    pub fn forgotten(&self) -> HeldText {
        HeldText {
            doubted_at: Timestamp(0),
            ..self.clone()
        }
    }

    /// Whether the operator forgot it, and it was not tried since.
    pub fn is_forgotten(&self) -> bool {
        self.doubted_at == Timestamp(0)
    }

    pub fn is_from(&self, whom: &Recipient) -> bool {
        (&self.provider, &self.model) == (&whom.provider, &whom.model)
            && (!self.is_local || self.mysis == whom.mysis)
    }

    pub fn is_within(&self, text: &str) -> bool {
        let quoted = own_words_of(&self.text);
        self.is(text) || (quoted.len() >= MIN_QUOTED_BYTES && text.contains(quoted))
    }

    /// Whether messages to a model show it, whole or cut.
    pub fn is_shown_in(&self, messages: &[&ChatMessage]) -> bool {
        let beginning = &self.text[..self.text.floor_char_boundary(MIN_CUT_BYTES)];
        let beginning = printable_text(beginning.into());
        messages.iter().any(|message| match message {
            ChatMessage::System(text)
            | ChatMessage::User(text)
            | ChatMessage::Tool { text, .. } => text.contains(&*beginning),
            ChatMessage::Assistant { text, calls, .. } => {
                let arguments = calls.iter().map(|call| &*call.arguments);
                own_words(text, arguments).contains(&*beginning)
            }
        })
    }

    pub fn shown(&self) -> String {
        match self.kind {
            HeldKind::Text => {}
            HeldKind::Tool => return format!("the tool {}", self.text),
            HeldKind::Size => return format!("messages of more than {} bytes", self.text),
            HeldKind::Calls => return "calls in messages, which are sent as words".to_string(),
        }
        let words: Vec<&str> = self.text.split_whitespace().collect();
        words.join(" ").chars().take(MAX_SHOWN).collect()
    }

    /// The time to store for a text that is to be doubted within the next minute.
    pub fn soon_doubted(now: Timestamp) -> Timestamp {
        let back = i64::try_from(DOUBT_INTERVAL_MS - FIRST_DOUBT_MS).unwrap_or_default();
        Timestamp(now.0.saturating_sub(back))
    }
}

/// The part of a key that is the text's own. The key of a long order goes on with other words, and a letter of
/// four bytes may stand at the place where they begin.
fn own_words_of(key: &str) -> &str {
    &key[..key.floor_char_boundary(KEY_BYTES - 3)]
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeldChange {
    Hold(Arc<HeldText>),
    /// A text is held back no longer.
    Release(Arc<HeldText>),
    /// A conversation finds out about texts by a trial of this provider.
    Suspect {
        provider: Arc<str>,
        texts: Vec<Arc<str>>,
        /// Tells its trials apart.
        number: i64,
    },
    /// A conversation finds out about the form of requests to a provider and model. Others wait for that.
    Judging {
        provider: Arc<str>,
        model: Arc<str>,
    },
    Judged,
}

#[derive(Clone, Debug)]
pub struct Recipient {
    pub provider: Arc<str>,
    pub model: Arc<str>,
    pub mysis: MysisId,
}

/// The texts that are held back, those that are tried just now, and the trials of the last hour.
#[derive(Clone, Debug, Default)]
pub struct HeldTexts {
    texts: Vec<Arc<HeldText>>,
    /// What a summary of the game says of each text.
    digests: BTreeMap<Arc<str>, String>,
    lessons: Vec<Arc<HeldText>>,
    suspected: BTreeMap<Arc<str>, (MysisId, Moment)>,
    pub trials: TrialBook,
    /// The latest changes of this process.
    settling: VecDeque<(Moment, HeldChange)>,
}

impl HeldTexts {
    pub fn all(&self) -> &[Arc<HeldText>] {
        &self.texts
    }

    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    pub fn apply(&mut self, change: HeldChange, by: MysisId, now: Moment) {
        match change {
            HeldChange::Suspect {
                provider,
                texts,
                number,
            } => self.trials.add(
                TrialClaim {
                    provider,
                    by,
                    number,
                    texts: texts.iter().map(|text| text_hash(text)).collect(),
                },
                now,
            ),
            HeldChange::Judging { provider, model } => {
                self.begin_judging((&provider, &model), by, now);
            }
            HeldChange::Judged => self.suspected.retain(|_, (who, _)| *who != by),
            HeldChange::Hold(_) | HeldChange::Release(_) => {
                self.forget_settled(now);
                self.settling.push_back((now, change.clone()));
                self.take(change);
            }
        }
    }

    fn take(&mut self, change: HeldChange) {
        match change {
            HeldChange::Hold(held) => self.hold(held),
            HeldChange::Release(held) => self.release(&held),
            HeldChange::Suspect { .. } | HeldChange::Judging { .. } | HeldChange::Judged => {}
        }
    }

    fn forget_settled(&mut self, now: Moment) {
        self.settling
            .retain(|(at, _)| now.since(*at) < SETTLING_TIME);
    }

    /// Takes over what is stored by all processes, with what this one changed a moment ago.
    pub fn take_stored(&mut self, stored: Vec<HeldText>, now: Moment) {
        self.replace(stored);
        self.forget_settled(now);
        for (_, change) in self.settling.clone() {
            self.take(change);
        }
    }

    pub fn hold(&mut self, held: Arc<HeldText>) {
        if held.kind != HeldKind::Text {
            return self.learn(held);
        }
        self.trials.forget_text(text_hash(&held.text));
        // What one conversation alone is refused with says nothing of what another one is.
        let is_new = |known: &Arc<HeldText>| !held.replaces(known);
        self.texts.retain(is_new);
        self.texts.push(held);
        let surplus = self.texts.len().saturating_sub(MAX_HELD);
        self.texts.drain(..surplus);
        self.digest_texts();
    }

    fn digest_texts(&mut self) {
        let mut known = std::mem::take(&mut self.digests);
        let texts = self.texts.iter().map(|held| held.text.clone());
        let digests = texts.map(|text| {
            let digest = known.remove(&text);
            let digest = digest.unwrap_or_else(|| digest_of_look(&text));
            (text, digest)
        });
        self.digests = digests.collect();
    }

    pub fn release(&mut self, held: &HeldText) {
        if held.kind != HeldKind::Text {
            return self.forget(held);
        }
        self.trials.forget_text(text_hash(&held.text));
        self.texts.retain(|one| {
            (&one.provider, &one.model, &one.text) != (&held.provider, &held.model, &held.text)
        });
    }

    pub fn replace(&mut self, stored: Vec<HeldText>) {
        let stored = stored.into_iter().map(Arc::new);
        (self.texts, self.lessons) = stored.partition(|held| held.kind == HeldKind::Text);
        self.digest_texts();
    }

    fn texts_from(&self, whom: &Recipient) -> impl Iterator<Item = &Arc<HeldText>> {
        self.texts.iter().filter(move |held| held.is_from(whom))
    }

    /// The text that is held back from this recipient; `None` if this one is not.
    pub fn find(&self, whom: &Recipient, text: &str) -> Option<&Arc<HeldText>> {
        self.texts_from(whom).find(|held| held.is(text))
    }

    /// Whether a text that the runtime wrote says what is held back from this recipient.
    pub fn is_quoted(&self, whom: &Recipient, text: &str) -> bool {
        self.texts_from(whom).any(|held| held.is_within(text))
    }

    /// Whether this is what a summary of the game says of a text that is held back from this recipient.
    pub fn is_digest(&self, whom: &Recipient, digest: &str) -> bool {
        let mut texts = self.texts_from(whom);
        texts.any(|held| self.digests.get(&held.text).is_some_and(|it| it == digest))
    }

    /// Whether a text of this Mysis' history is held back from another one or itself, whatever provider
    /// they ask. Tools do not show it.
    pub fn hides(&self, (reader, owner): (MysisId, MysisId), text: &str) -> bool {
        let mut texts = self.texts.iter();
        texts.any(|held| {
            (!held.is_local || [reader, owner].contains(&held.mysis)) && held.is_within(text)
        })
    }

    /// Whether it is time to try a text again.
    pub fn is_doubted(held: &HeldText, now: Timestamp) -> bool {
        held.is_forgotten() || now.since(held.doubted_at) >= DOUBT_INTERVAL_MS
    }

    pub fn is_tried_by_another(&self, mysis: MysisId, text: &str, now: Moment) -> bool {
        self.trials.is_tried_by_another(mysis, text_hash(text), now)
    }
}

#[cfg(test)]
mod tests {
    use super::test_texts::held_text;
    use super::*;

    fn held(text: &str, is_local: bool) -> HeldText {
        HeldText {
            is_local,
            ..held_text(HeldText::key(text))
        }
    }

    #[test]
    fn a_text_is_held_back_from_its_provider_and_model_whole_or_cut_and_no_other_one_is() {
        let mut texts = HeldTexts::default();
        let long = "x".repeat(100_000) + "POISON";
        for text in ["POISON", &long] {
            texts.hold(Arc::new(held(text, false)));
        }
        texts.hold(Arc::new(held("mine alone", true)));
        let whom = |provider: &str, mysis| Recipient {
            provider: provider.into(),
            model: "m".into(),
            mysis: MysisId(mysis),
        };
        let holds = |whom, text: &str| texts.find(&whom, text).is_some();
        assert!(holds(whom("p", 2), "POISON") && holds(whom("p", 2), &long[..500]));
        assert!(
            !holds(whom("q", 2), "POISON"),
            "another provider may take it"
        );
        assert!(!holds(whom("p", 2), "POISON."), "another text");
        assert!(!holds(whom("p", 2), "xxx"), "too short to be the same");
        assert!(holds(whom("p", 1), "mine alone") && !holds(whom("p", 2), "mine alone"));
        let hides =
            |reader, owner, text: &str| texts.hides((MysisId(reader), MysisId(owner)), text);
        assert!(hides(3, 3, "POISON") && !hides(3, 3, "mine alone"));
        assert!(hides(3, 1, "mine alone"), "it stands in the history of 1");
        assert!(!hides(3, 3, "one POISON two"), "too short to be a quote");
        assert!(hides(3, 3, &format!("they say {}", &long)));
    }

    #[test]
    fn trials_and_texts_have_bounds_and_one_finds_out_for_all() {
        let mut texts = HeldTexts::default();
        for number in 0..1000 {
            texts.hold(Arc::new(held(&format!("text {number}"), false)));
        }
        assert_eq!(texts.all().len(), MAX_HELD);
        for number in 0..12 {
            assert!(texts.trials.may_try("p", Moment(0)));
            let change = HeldChange::Suspect {
                provider: "p".into(),
                texts: vec!["bad".into()],
                number,
            };
            texts.apply(change, MysisId(1), Moment(0));
        }
        assert!(
            !texts.trials.may_try("p", Moment(0)) && texts.trials.may_try("p", Moment(3_600_000))
        );
        assert!(texts.is_tried_by_another(MysisId(2), "bad", Moment(1)));
        assert!(!texts.is_tried_by_another(MysisId(1), "bad", Moment(1)));
        assert!(!texts.is_tried_by_another(MysisId(2), "bad", Moment(60_000)));
    }

    #[test]
    fn what_is_stored_takes_the_place_of_what_was_known_but_for_the_latest_changes() {
        let mut texts = HeldTexts::default();
        let [old, new] = ["old", "new"].map(|text| Arc::new(held(text, false)));
        texts.apply(HeldChange::Hold(new.clone()), MysisId(1), Moment(0));
        // The store does not hold it yet, and holds another one.
        texts.take_stored(vec![HeldText::clone(&old)], Moment(9_000));
        assert_eq!(texts.all(), [old.clone(), new.clone()]);
        texts.apply(HeldChange::Release(old.clone()), MysisId(1), Moment(9_000));
        texts.take_stored(vec![HeldText::clone(&old)], Moment(11_000));
        assert!(
            texts.is_empty(),
            "the new one was released by another process"
        );
        texts.take_stored(vec![HeldText::clone(&old)], Moment(20_000));
        assert_eq!(texts.all(), [old], "another process holds it back");
    }
}
