//! The arguments of one call, put together from the pieces in which servers send them.
//!
//! Most servers send each piece once, in order. Some send all that there is so far with each piece,
//! some the whole again at the end, some everything twice. What came is first read as the interface
//! says. Only where that is no JSON object, the other readings count, and only if they agree.

use serde_json::Value;
use serde_json::value::RawValue;

use actors::domain::bounds;
use zoea_http::raw_json::is_object;

use crate::bounded_text::BoundedText;

/// How often each piece may have come in a row.
const MOST_REPEATS: usize = 3;

/// The bytes that all arguments of an answer may still take, in each of the two forms.
#[derive(Debug)]
pub(super) struct ArgumentsRoom {
    joined: usize,
    newest: usize,
}

impl Default for ArgumentsRoom {
    fn default() -> ArgumentsRoom {
        ArgumentsRoom {
            joined: bounds::MAX_ARGUMENTS_BYTES,
            newest: bounds::MAX_ARGUMENTS_BYTES,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct ReceivedArguments {
    joined: BoundedText,
    ends: Vec<usize>,
    /// The same, but that a piece that begins with all that was there replaces it.
    newest: BoundedText,
}

impl ReceivedArguments {
    pub(super) fn add(&mut self, piece: &str, room: &mut ArgumentsRoom) {
        if piece.is_empty() {
            return;
        }
        room.joined += self.joined.text.len();
        self.joined.add_all_or_none(piece, room.joined);
        room.joined -= self.joined.text.len();
        match self.joined.left_out {
            0 => self.ends.push(self.joined.text.len()),
            _ => self.ends.clear(),
        }
        room.newest += self.newest.text.len();
        if self.newest.left_out == 0 && piece.starts_with(&self.newest.text) {
            self.newest.text.clear();
        }
        self.newest.add_all_or_none(piece, room.newest);
        room.newest -= self.newest.text.len();
    }

    /// Whether these are complete arguments, to which nothing can be added.
    pub(super) fn are_complete(&self) -> bool {
        is_object(&self.newest.text)
    }

    /// Whether these complete arguments cannot be meant by further ones. Empty ones stand for those that are
    /// not there yet.
    pub(super) fn are_others_than(&self, arguments: &str) -> bool {
        let are = |known: &str| are_equal(&self.newest.text, known);
        !are("{}") && !are(arguments)
    }

    pub(super) fn are(&self, arguments: &str) -> bool {
        self.read().is_ok_and(|read| are_equal(&read, arguments))
    }

    /// The arguments.
    ///
    /// # Errors
    /// They are too long. This many bytes came.
    pub(super) fn read(&self) -> Result<String, usize> {
        let pieces = self.pieces();
        let all = meant_by(&pieces).or_else(|| {
            // The whole may follow whatever came before.
            let (whole, before) = pieces.split_last()?;
            meant_by(before).filter(|read| are_equal(read, whole))
        });
        let all = all.or_else(|| encoded_twice(&self.joined.text));
        match (all, self.joined.left_out, self.newest.left_out) {
            (Some(read), ..) => Ok(read),
            // It is not known what is meant, which the model learns.
            (None, 0, _) => Ok(self.joined.text.clone()),
            (None, _, 0) => Ok(self.newest.text.clone()),
            (None, _, bytes) => Err(bytes),
        }
    }

    /// The pieces as they came; none if there were too many.
    fn pieces(&self) -> Vec<&str> {
        let begins = [0].into_iter().chain(self.ends.iter().copied());
        let pieces = begins.zip(&self.ends);
        pieces
            .map(|(begin, end)| &self.joined.text[begin..*end])
            .collect()
    }
}

/// The object in a text that is JSON within JSON: some servers write out what is a text already.
fn encoded_twice(text: &str) -> Option<String> {
    let inner = serde_json::from_str::<String>(text).ok()?;
    is_object(&inner).then_some(inner)
}

/// The object that these pieces mean; `None` if they mean none or may mean several.
fn meant_by(pieces: &[&str]) -> Option<String> {
    // What comes in pieces of which each came twice may look like an object by chance.
    let repeats = (2..=MOST_REPEATS).find_map(|count| without_repeats(pieces, count));
    let joined = pieces.concat();
    if let Some(read) = repeats.or(Some(joined.clone()).filter(|joined| is_object(joined))) {
        return Some(read);
    }
    let without_first = match pieces {
        [first, second, ..] if first == second => Some(pieces[1..].concat()),
        _ => None,
    };
    let readings = [
        repeated_value(&joined),
        without_first,
        Some(cumulative(pieces)),
    ];
    let readings = readings.into_iter().flatten();
    let mut readings = readings.filter(|reading| is_object(reading));
    let first = readings.next()?;
    readings
        .all(|other| are_equal(&first, &other))
        .then_some(first)
}

/// What is left where a piece that begins with all that was there replaces it.
fn cumulative(pieces: &[&str]) -> String {
    let mut read = String::new();
    for piece in pieces {
        if piece.starts_with(&read) {
            read.clear();
        }
        read += piece;
    }
    read
}

/// The object in pieces without their repeats, if there are several and each came so often in a row.
fn without_repeats(pieces: &[&str], count: usize) -> Option<String> {
    let groups = pieces.chunks_exact(count);
    let is_repeated = |group: &[&str]| group.iter().all(|piece| *piece == group[0]);
    let are_all = groups.remainder().is_empty() && groups.clone().all(is_repeated);
    let read: String = groups.map(|group| group[0]).collect();
    (are_all && pieces.len() > count && is_object(&read)).then_some(read)
}

/// The one object of which a text consists several times. An empty one that comes first stands for
/// those that are not there yet.
fn repeated_value(text: &str) -> Option<String> {
    let values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let values: Result<Vec<&RawValue>, _> = values.collect();
    let values: Vec<&str> = values.ok()?.into_iter().map(RawValue::get).collect();
    let first_full = values.iter().position(|value| !are_equal(value, "{}"));
    let (first, others) = values[first_full.unwrap_or(0)..].split_first()?;
    let are_all = others.iter().all(|other| are_equal(first, other));
    are_all.then(|| (*first).to_string())
}

/// Whether two texts are the same arguments. None are an empty object. Of longer ones than are kept no
/// values are built: those are the same letter for letter only.
pub(crate) fn are_equal(one: &str, other: &str) -> bool {
    let is_short = |text: &str| text.len() <= bounds::MAX_ARGUMENTS_BYTES;
    let value = |text: &str| match text.trim() {
        "" => Ok(Value::Object(serde_json::Map::new())),
        text => serde_json::from_str::<Value>(text),
    };
    one == other
        || (is_short(one)
            && is_short(other)
            && matches!((value(one), value(other)), (Ok(one), Ok(other)) if one == other))
}
