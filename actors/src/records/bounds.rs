//! Bounds: which numbers from outside are believed, and how much of the data from outside is kept.
//!
//! All of these bounds are here. A number beyond its bound is replaced by an estimate and never
//! used as it is. Sums saturate at a bound of their own, far below the maximum of any column and
//! type that holds them.

use std::sync::Arc;
use std::time::Duration;

use super::model::TokenUsage;

/// The tokens that a server may add to a prompt itself: a template, its own system prompt, tools
/// written as text. A token of our text has at least one byte.
pub const MAX_ADDED_PROMPT_TOKENS: u64 = 64 << 10;
/// The tokens of an answer that are paid and not shown. No model thinks for more than twice the
/// longest answer of any model (128 Ki).
pub const MAX_HIDDEN_ANSWER_TOKENS: u64 = 256 << 10;
/// The most tokens of one model call, in or out, that a stored or imported row may report.
pub const MAX_CALL_TOKENS: u64 = 100_000_000;
/// The highest cost of one model call in millionths of a US dollar: a hundred thousand dollars.
pub const MAX_CALL_COST_MICROS: u64 = 100_000_000_000;
/// The highest price of a million tokens in US dollars: more than a hundred times the highest real
/// one.
pub const MAX_PRICE: f64 = 100_000.0;
/// The highest cost of a token in millionths of a US dollar, as in [`MAX_PRICE`].
const MAX_TOKEN_MICROS: u64 = 100_000;
/// The highest sum of tokens, calls or costs. Two of these fit into any column.
pub const MAX_SUM: u64 = 1_000_000_000_000_000;

/// The most calls of one answer that are made. Models are told to call several tools at once, and
/// some never stop.
pub const MAX_CALLS: usize = 64;
/// The most bytes of an answer that is not streamed, and of what is kept of a streamed one. The
/// longest answer of any model is a twentieth of it.
pub const MAX_ANSWER_BYTES: usize = 8 << 20;
/// The most bytes of a streamed answer on the wire. Each token takes some hundred bytes.
pub const MAX_STREAM_BYTES: u64 = 256 << 20;
/// The most bytes of a refusal that are read. Its message is at the beginning.
pub const MAX_REFUSAL_BYTES: usize = 64 << 10;
/// The most bytes of one text that are stored: of an answer's text, of its reasoning, and of a
/// tool's result. A row is copied several times on its way to the disk, and a search holds a
/// hundred rows.
pub const MAX_TEXT_BYTES: usize = 256 << 10;
/// The most bytes of such a text that are taken before its secrets are found. A secret that crosses
/// the end of the stored part must be removed completely.
pub const MAX_TAKEN_BYTES: usize = MAX_TEXT_BYTES + (64 << 10);
/// The most bytes of all arguments of an answer. They are parsed to values, which take many times
/// the memory.
pub const MAX_ARGUMENTS_BYTES: usize = 128 << 10;
/// The most bytes of a JSON text that is parsed to values. The smallest value takes eighty times
/// the memory of its text.
pub const MAX_TREE_BYTES: usize = 256 << 10;
/// The most bytes of a call's id. Routers pack signatures of thoughts into ids.
pub const MAX_ID_BYTES: usize = 8 << 10;
/// The most bytes of what a provider wants back with one message.
pub const MAX_ECHO_BYTES: usize = 64 << 10;
/// The most bytes of reasoning in a request. That of the newest messages is sent.
pub const MAX_REASONING_SENT: usize = 64 << 10;
/// The most bytes of a tool's name or a model's name.
pub const MAX_NAME_BYTES: usize = 512;

/// The longest pause that a server can demand by its headers.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(15 * 60);
/// The longest time for which a provider is believed to serve no requests: a quota of a day. It is
/// tried again then, and at once if the operator wants it.
pub const MAX_STATED_WAIT: Duration = Duration::from_secs(86_400);

/// The highest row number and turn number that is imported: one for every millisecond of thirty
/// years.
pub const MAX_PLACE: i64 = 1_000_000_000_000;

/// The assumed bytes of a token if the server's figures are not believed.
const BYTES_PER_TOKEN: u64 = 3;

pub fn estimated_tokens(bytes: u64) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

/// The usage of a call, limited to what is possible for a request and an answer of these sizes, and
/// whether it was possible. An impossible figure is replaced by an estimate from the bytes.
#[must_use]
pub fn plausible_usage(
    reported: TokenUsage,
    sent_bytes: u64,
    received_bytes: u64,
) -> (TokenUsage, bool) {
    let most_in = sent_bytes.saturating_add(MAX_ADDED_PROMPT_TOKENS);
    let most_out = received_bytes.saturating_add(MAX_HIDDEN_ANSWER_TOKENS);
    let count = |reported: u64, most: u64, bytes: u64| match reported > most {
        true => estimated_tokens(bytes).min(most),
        false => reported,
    };
    let input = count(reported.input, most_in.min(MAX_CALL_TOKENS), sent_bytes);
    let output = count(
        reported.output,
        most_out.min(MAX_CALL_TOKENS),
        received_bytes,
    );
    let usage = TokenUsage {
        input,
        output,
        // Cached tokens are a part of the input.
        cached: reported.cached.min(input),
    };
    (usage, (input, output) == (reported.input, reported.output))
}

/// The tokens of a stored or imported call. A figure that no call can have used becomes zero.
pub fn of_a_call(tokens: u64) -> u64 {
    if tokens > MAX_CALL_TOKENS { 0 } else { tokens }
}

/// The cost of a stored or imported call. A figure that no call can have cost becomes zero.
pub fn cost_of_a_call(micros: u64) -> u64 {
    if micros > MAX_CALL_COST_MICROS {
        0
    } else {
        micros
    }
}

/// The cost that a server states for a call with this usage; `None` if it is none, or more than so many
/// tokens can cost. A stated 0 is none, since servers write it where they do not know the price.
pub fn stated_cost(micros: u64, usage: TokenUsage) -> Option<u64> {
    let tokens = usage.input.saturating_add(usage.output);
    let most = tokens.saturating_mul(MAX_TOKEN_MICROS);
    (1..=most.min(MAX_CALL_COST_MICROS))
        .contains(&micros)
        .then_some(micros)
}

/// The usage of a stored or imported call.
pub fn usage_of_a_call(usage: TokenUsage) -> TokenUsage {
    TokenUsage {
        input: of_a_call(usage.input),
        output: of_a_call(usage.output),
        cached: of_a_call(usage.cached).min(of_a_call(usage.input)),
    }
}

/// A sum that is limited to its bound.
pub fn bounded_sum(one: u64, other: u64) -> u64 {
    one.saturating_add(other).min(MAX_SUM)
}

/// The beginning of a text that is too long, with a note on how much was cut; `None` if it is not
/// too long. The cut is between two characters. A text that was cut before keeps its original
/// length in the note.
pub fn cut_text(text: &str, most: usize) -> Option<String> {
    if text.len() <= most {
        return None;
    }
    let room = most.saturating_sub(CUT_NOTE_BYTES);
    let kept = &text[..text.floor_char_boundary(room)];
    Some(format!(
        "{kept}{}",
        cut_note(kept.len(), original_size(text))
    ))
}

/// The text, cut if it is too long.
pub fn bounded_text(text: String, most: usize) -> String {
    cut_text(&text, most).unwrap_or(text)
}

/// The shared text, cut if it is too long.
pub fn shared_within(text: Arc<str>, most: usize) -> Arc<str> {
    cut_text(&text, most).map_or(text, Into::into)
}

pub fn cut_note(kept: usize, size: usize) -> String {
    let left_out = size.saturating_sub(kept);
    format!("{CUT_NOTE_START}{left_out} of {size} bytes{CUT_NOTE_END}")
}

const CUT_NOTE_START: &str = "\n[cut: ";
const CUT_NOTE_END: &str = " are not kept]";
/// The space that is reserved for the note.
const CUT_NOTE_BYTES: usize = 80;

/// The original length of a text that was cut; its own length otherwise.
fn original_size(text: &str) -> usize {
    let reported = || {
        let tail = &text[text.floor_char_boundary(text.len().saturating_sub(CUT_NOTE_BYTES))..];
        let (_, reported) = tail
            .strip_suffix(CUT_NOTE_END)?
            .rsplit_once(CUT_NOTE_START)?;
        reported
            .strip_suffix(" bytes")?
            .rsplit(' ')
            .next()?
            .parse()
            .ok()
    };
    reported()
        .filter(|size| *size >= text.len())
        .unwrap_or(text.len())
}

/// A name within its bound. A longer one becomes empty, because a secret in a part of it could not
/// be recognised.
pub fn bounded_name(text: String) -> String {
    if text.len() > MAX_NAME_BYTES {
        return format!("[no name: {} bytes]", text.len());
    }
    text
}

/// An id within its bound. A longer one is no id.
pub fn bounded_id(text: String) -> String {
    if text.len() > MAX_ID_BYTES {
        return format!("[no id: {} bytes]", text.len());
    }
    text
}

/// Arguments that fit, or the replacement for longer ones.
pub fn bounded_arguments(text: String, room: usize) -> String {
    if text.len() > room {
        return no_arguments(text.len());
    }
    text
}

/// The replacement for arguments of this many bytes.
pub fn no_arguments(bytes: usize) -> String {
    format!(
        "[no arguments: {bytes} bytes, where all calls of one answer may have {MAX_ARGUMENTS_BYTES}]"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stated_cost_is_believed_as_far_as_tokens_can_cost_so_much() {
        let used = usage(100, 10, 0);
        assert_eq!(stated_cost(1230, used), Some(1230));
        assert_eq!(stated_cost(11_000_000, used), Some(11_000_000));
        for micros in [0, 11_000_001, u64::MAX] {
            assert_eq!(stated_cost(micros, used), None, "{micros}");
        }
        assert_eq!(stated_cost(u64::MAX, usage(u64::MAX, 1, 0)), None);
    }

    fn usage(input: u64, output: u64, cached: u64) -> TokenUsage {
        TokenUsage {
            input,
            output,
            cached,
        }
    }

    #[test]
    fn what_can_be_true_is_believed_and_the_rest_is_estimated() {
        let reported = usage(9000, 400, 8000);
        assert_eq!(plausible_usage(reported, 30_000, 900), (reported, true));
        // A template and reasoning that is not shown.
        let reported = usage(30_000 + (64 << 10), 900 + (256 << 10), 0);
        assert_eq!(plausible_usage(reported, 30_000, 900), (reported, true));
        for absurd in [u64::MAX, 1 << 63, (1 << 63) - 1, 30_001 + (64 << 10)] {
            let reported = usage(absurd, 400, absurd);
            let expected = (usage(10_000, 400, 10_000), false);
            assert_eq!(plausible_usage(reported, 30_000, 900), expected);
        }
        let reported = usage(5, u64::MAX, 9);
        assert_eq!(
            plausible_usage(reported, 30_000, 900),
            (usage(5, 300, 5), false)
        );
        // No request is large enough to make everything plausible.
        let (all, is_believed) = plausible_usage(usage(u64::MAX, u64::MAX, 0), u64::MAX, u64::MAX);
        assert_eq!(
            (all, is_believed),
            (usage(MAX_CALL_TOKENS, MAX_CALL_TOKENS, 0), false)
        );
    }

    #[test]
    fn what_is_stored_counts_within_bounds_and_sums_come_to_an_end() {
        assert_eq!(
            usage_of_a_call(usage(u64::MAX, MAX_CALL_TOKENS, 7)),
            usage(0, MAX_CALL_TOKENS, 0)
        );
        assert_eq!(cost_of_a_call(u64::MAX), 0);
        assert_eq!(
            (
                bounded_sum(1, 2),
                bounded_sum(MAX_SUM, 5),
                bounded_sum(u64::MAX, 1)
            ),
            (3, MAX_SUM, MAX_SUM)
        );
        assert!(i64::try_from(MAX_SUM * 2).is_ok());
    }

    #[test]
    fn a_long_text_is_cut_between_letters_and_says_so() {
        assert_eq!(cut_text("short", 5), None);
        let text = "ä".repeat(500);
        let cut = cut_text(&text, 200).expect("it is too long");
        assert!(cut.len() <= 200, "{}", cut.len());
        assert!(
            cut.starts_with("ää") && cut.ends_with("[cut: 880 of 1000 bytes are not kept]"),
            "{cut}"
        );
        // A text that was cut before names its original length.
        let again = super::cut_text(&cut, 120).expect("it is too long");
        assert!(
            again.ends_with("[cut: 960 of 1000 bytes are not kept]"),
            "{again}"
        );
        assert_eq!(bounded_name("x".repeat(600)), "[no name: 600 bytes]");
        let (long, fits) = ("y".repeat(201), "y".repeat(200));
        assert_eq!(
            Some(bounded_text(long.clone(), 200)),
            super::cut_text(&long, 200)
        );
        assert_eq!(
            shared_within(long.as_str().into(), 200).as_ref(),
            bounded_text(long, 200)
        );
        assert_eq!(bounded_text(fits.clone(), 200), fits);
        assert_eq!(shared_within(fits.as_str().into(), 200).as_ref(), fits);
        assert_eq!(bounded_name("x".repeat(512)).len(), 512);
        assert!(bounded_arguments("x".repeat(9), 8).starts_with("[no arguments: 9 bytes"));
        assert_eq!(bounded_arguments("x".repeat(8), 8), "xxxxxxxx");
    }
}
