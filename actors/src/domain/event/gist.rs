//! The gist of a result: one line of it, which is made when somebody looks at it. Most are never shown.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize, Serializer};

use crate::game::{GameReading, GameRef};
use crate::message::CallStatus;
use crate::result_words::{reading_in_words, unread};

/// Larger results are not read. They come often and are rarely looked at.
const MAX_READ_BYTES: usize = 64 << 10;

/// A result on one line, for display only.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "Arc<str>")]
pub struct Gist {
    line: OnceLock<Box<str>>,
    /// What the line is made of; `None` if it came as it is.
    result: Option<ShownResult>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ShownResult {
    game: GameRef,
    command: Arc<str>,
    status: CallStatus,
    text: Arc<str>,
}

impl Gist {
    /// The gist of a result with this text. What was read already is put into words now, and its text is not kept.
    pub fn of_result(
        command: Arc<str>,
        status: CallStatus,
        text: &Arc<str>,
        reading: &GameReading<'_>,
    ) -> Gist {
        if text.len() > MAX_READ_BYTES {
            return unread(text.len()).as_str().into();
        }
        if reading.is_read() {
            return reading_in_words(&command, status, reading).as_str().into();
        }
        let game = reading.game();
        Gist {
            line: OnceLock::new(),
            result: Some(ShownResult {
                game,
                command,
                status,
                text: text.clone(),
            }),
        }
    }
}

impl Default for Gist {
    fn default() -> Gist {
        "".into()
    }
}

impl From<Arc<str>> for Gist {
    fn from(line: Arc<str>) -> Gist {
        (&*line).into()
    }
}

impl Serialize for Gist {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self)
    }
}

impl From<&str> for Gist {
    fn from(line: &str) -> Gist {
        Gist {
            line: OnceLock::from(Box::from(line)),
            result: None,
        }
    }
}

impl Deref for Gist {
    type Target = str;

    fn deref(&self) -> &str {
        self.line.get_or_init(|| {
            let words = self.result.as_ref().map(|result| {
                let ShownResult {
                    game,
                    command,
                    status,
                    text,
                } = result;
                reading_in_words(command, *status, &GameReading::of(*game, text))
            });
            words.unwrap_or_default().into()
        })
    }
}

/// What is made of results is compared by them, since their lines need not be known yet.
impl PartialEq for Gist {
    fn eq(&self, other: &Gist) -> bool {
        match (&self.result, &other.result) {
            (Some(one), Some(other)) => one == other,
            (_, None) | (None, _) => **self == **other,
        }
    }
}

impl Eq for Gist {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_made_when_it_is_looked_at_and_not_to_be_compared() {
        let mined = Arc::from(r#"{"resource_id":"iron_ore","quantity":3}"#);
        let of_result = |status, text: &Arc<str>| {
            let reading = GameReading::of(GameRef::SpaceMolt, text);
            Gist::of_result("mine".into(), status, text, &reading)
        };
        let gist = of_result(CallStatus::Done, &mined);
        assert!(gist.line.get().is_none(), "nobody has looked at it");
        assert_eq!(gist, gist.clone());
        assert!(gist.line.get().is_none());
        assert_eq!(gist, Gist::from("mined 3 iron ore"));
        assert_ne!(gist, Gist::from("mined 4 iron ore"));
        let refused = of_result(CallStatus::Failed, &mined);
        assert_ne!(gist, refused);
        let long = Arc::from("x".repeat(MAX_READ_BYTES + 1));
        let long = of_result(CallStatus::Done, &long);
        assert_eq!(&*long, "65,537 bytes");
        assert!(long.result.is_none(), "it is not kept");
        let reading = GameReading::of(GameRef::SpaceMolt, &mined);
        assert!(reading.facts().is_some());
        let read = Gist::of_result("mine".into(), CallStatus::Done, &mined, &reading);
        assert!(
            read.result.is_none(),
            "a result that was read keeps no text"
        );
        assert_eq!(&*read, "mined 3 iron ore");
    }
}
