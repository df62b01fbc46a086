//! Poison: texts that the simulated model's server refuses, whatever else stands in a request. An order
//! brings one, or a result of the game, or the words of another player, which several Myses hear.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use actors::domain::ids::MysisId;
use actors::domain::model::{ChatMessage, ModelFault, ModelRequest, RefusalHint, TokenUsage};
use strum::{EnumCount, VariantArray};

/// What stands in each such text. The number of the shape follows, and the number of the text.
const MARK: &str = "POISON-";
/// So much is shown of what stands before a mark.
const SHOWN_BYTES: usize = 120;
/// The wait that a server states with a refusal that will pass, it says.
const STATED_WAIT: Duration = Duration::from_secs(2);
/// So many Myses hear the words of another player.
const LISTENERS: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumCount, VariantArray)]
pub enum PoisonShape {
    /// 400.
    Risk,
    /// 403.
    Flagged,
    /// 200, and the answer ends at once for a reason that is no usual one.
    Filtered,
    /// 500.
    ServerError,
    /// 429.
    Limited,
    LimitedWithWait,
    Cut,
    /// An answer without a choice.
    Empty,
}

impl PoisonShape {
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all");

    pub fn fault(self) -> ModelFault {
        let refused = |text: &str, usage| ModelFault::Refused {
            text: text.to_string(),
            usage,
            hint: RefusalHint::default(),
        };
        let transient = |text: &str, retry_after| ModelFault::Transient {
            text: text.to_string(),
            retry_after,
        };
        let spent = Some(TokenUsage {
            input: 1000,
            output: 0,
            cached: 0,
        });
        match self {
            PoisonShape::Risk => refused("HTTP 400: Content Exists Risk", None),
            PoisonShape::Flagged => refused("HTTP 403: Input was flagged", None),
            PoisonShape::Filtered => refused("the answer was ended: content_filter", spent),
            PoisonShape::ServerError => transient("HTTP 500: sensitive words detected", None),
            PoisonShape::Limited => transient("HTTP 429: request refused", None),
            PoisonShape::LimitedWithWait => {
                transient("HTTP 429: request refused", Some(STATED_WAIT))
            }
            PoisonShape::Cut => transient("connection closed before message completed", None),
            PoisonShape::Empty => ModelFault::Empty {
                text: "an answer without a choice".to_string(),
                usage: spent,
            },
        }
    }
}

/// A mistake about such texts, so that a test sees the verdict find it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoisonMistake {
    /// No refusal is judged by a trial.
    NoTrials,
    /// The text is said to be held back, and stays in the requests.
    HoldsNothingBack,
    /// Others wait while one is refused.
    OthersWait,
}

/// Whether a reason is that the server refused such a text.
pub fn is_refusal(why: &str) -> bool {
    let mut shapes = PoisonShape::ALL.into_iter();
    shapes.any(|shape| why.contains(shape.fault().text()))
}

/// The mark of a text that is refused in this way. No two are equal.
pub fn mark(shape: PoisonShape, number: u64) -> String {
    let place = PoisonShape::ALL.iter().position(|one| *one == shape);
    format!("{MARK}{}-{number}", place.unwrap_or_default())
}

pub struct FoundMark {
    pub shape: PoisonShape,
    pub mark: String,
    /// What stands before it.
    pub place: String,
}

pub fn mark_in(request: &ModelRequest) -> Option<FoundMark> {
    request.messages.iter().find_map(|message| match message {
        ChatMessage::System(text) => mark_in_text("system", text),
        ChatMessage::User(text) => mark_in_text("user", text),
        ChatMessage::Tool { text, .. } => mark_in_text("tool", text),
        ChatMessage::Assistant { text, .. } => mark_in_text("assistant", text),
    })
}

fn mark_in_text(role: &str, text: &str) -> Option<FoundMark> {
    let (before, after) = text.split_once(MARK)?;
    let is_of_mark = |letter: char| letter.is_ascii_digit() || letter == '-';
    let end = after.find(|letter| !is_of_mark(letter));
    let numbers = &after[..end.unwrap_or(after.len())];
    let (place, _) = numbers.split_once('-')?;
    let shape = PoisonShape::ALL.get(place.parse::<usize>().ok()?)?;
    let begin = before.ceil_char_boundary(before.len().saturating_sub(SHOWN_BYTES));
    Some(FoundMark {
        shape: *shape,
        mark: format!("{MARK}{numbers}"),
        place: format!("{role}: …{}", &before[begin..]),
    })
}

#[derive(Debug, Default)]
pub struct PlantedTexts {
    words: String,
    receivers: BTreeSet<MysisId>,
    in_results: BTreeMap<MysisId, String>,
}

impl PlantedTexts {
    pub fn say(&mut self, mark: &str) {
        self.words = format!("{{\"messages\":[{{\"from\":\"Rex\",\"text\":\"Hail! {mark}\"}}]}}");
        self.receivers.clear();
    }

    /// What a Mysis hears, once.
    pub fn words_for(&mut self, mysis: MysisId) -> Option<String> {
        let is_over = self.words.is_empty() || self.receivers.len() >= LISTENERS;
        (!is_over && self.receivers.insert(mysis)).then(|| self.words.clone())
    }

    pub fn put_into_result(&mut self, mysis: MysisId, mark: String) {
        self.in_results.insert(mysis, mark);
    }

    pub fn take_for_result(&mut self, mysis: MysisId) -> Option<String> {
        self.in_results.remove(&mysis)
    }
}
