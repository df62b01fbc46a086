//! Reasoning: where servers and models put it, and the form in which it goes back to them.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::echo::EchoMembers;

/// The tags between which models write their reasoning into the content.
const TAGS: [(&str, &str); 5] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
];

/// The bytes of the longest tag.
pub(super) const LONGEST_TAG: usize = "</seed:think>".len();

/// The longest reasoning that is sent back, in bytes.
const MAX_REASONING_BYTES: usize = 32 << 10;

/// The models whose makers demand that what stands between tags stays in the history. Nobody
/// refuses a request without it, so this cannot be learnt.
const KEEPS_TAGS: &str = "minimax";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThoughtPlace {
    Member(&'static str),
    /// Among the parts of the content.
    Parts,
    Tags(&'static str, &'static str),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct SplitContent {
    pub(super) said: String,
    /// The reasoning and its place, if there is any.
    pub(super) thought: Option<(String, ThoughtPlace)>,
}

/// Whether a content that begins so is reasoning, or may become it.
pub(super) fn may_be_thought(opening: &str) -> bool {
    let may_be = |open: &str| opening.starts_with(open) || open.starts_with(opening);
    TAGS.iter().any(|(open, _)| may_be(open))
}

/// Whether reasoning ends in this part of a content.
pub(super) fn has_end_tag(text: &str) -> bool {
    TAGS.iter().any(|(_, close)| text.contains(close))
}

/// Takes the reasoning out of a content. Only tags of the kind that comes first count. Where the
/// server's template opens the reasoning itself, the content has the end tag alone.
pub(super) fn split_content(text: &str) -> SplitContent {
    let found = TAGS.iter().filter_map(|(open, close)| {
        let (begins, ends) = (text.find(open), text.find(close));
        Some((begins.into_iter().chain(ends).min()?, *open, *close))
    });
    let Some((at, open, close)) = found.min_by_key(|(at, ..)| *at) else {
        return SplitContent {
            said: text.to_string(),
            thought: None,
        };
    };
    let (mut said, mut thoughts, mut rest) = (Vec::new(), Vec::new(), text);
    if text[at..].starts_with(close) {
        thoughts.push(&text[..at]);
        rest = &text[at + close.len()..];
    }
    while let Some((before, inside)) = rest.split_once(open) {
        let (thought, after) = inside.split_once(close).unwrap_or((inside, ""));
        said.push(before);
        thoughts.push(thought);
        rest = after;
    }
    said.push(rest);
    SplitContent {
        said: join_trimmed(said),
        thought: Some((join_trimmed(thoughts), ThoughtPlace::Tags(open, close))),
    }
}

fn join_trimmed(texts: Vec<&str>) -> String {
    let texts = texts.into_iter().map(str::trim);
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    texts.join("\n")
}

/// Reasoning as the members of a message, in the place where it came, as the text of a JSON object;
/// empty if there is none or too much.
pub(super) fn reasoning_text(place: ThoughtPlace, reasoning: &str) -> Arc<str> {
    if reasoning.is_empty() || reasoning.len() > MAX_REASONING_BYTES {
        return "".into();
    }
    let members = match place {
        ThoughtPlace::Member(key) => json!({ key: reasoning }),
        ThoughtPlace::Parts => {
            let text = json!([{"type": "text", "text": reasoning}]);
            json!({"content": [{"type": "thinking", "thinking": text, "closed": true}]})
        }
        ThoughtPlace::Tags(open, close) => {
            json!({"content": format!("{open}\n{reasoning}\n{close}\n\n")})
        }
    };
    members.to_string().into()
}

pub(super) enum KeptReasoning {
    Members(EchoMembers),
    /// The parts before the others of the content.
    Parts(Vec<Box<RawValue>>),
    Beginning(String),
}

impl KeptReasoning {
    /// Reads what was kept; `None` if nothing was.
    pub(super) fn read(kept: &str) -> Option<KeptReasoning> {
        let mut members: EchoMembers = serde_json::from_str(kept).ok()?;
        let Some(content) = members.remove("content") else {
            return Some(KeptReasoning::Members(members));
        };
        match content.get().starts_with('[') {
            true => serde_json::from_str(content.get())
                .ok()
                .map(KeptReasoning::Parts),
            false => serde_json::from_str(content.get())
                .ok()
                .map(KeptReasoning::Beginning),
        }
    }

    /// Whether a model gets it back, if the configuration does not say so. A member is refused by
    /// many servers, and is sent where it is demanded. A server that sends parts takes them, and its
    /// makers want them back. Templates of other models remove what is between tags.
    pub(super) fn is_wanted(&self, is_demanded: bool, model: &str) -> bool {
        match self {
            KeptReasoning::Members(_) => is_demanded,
            KeptReasoning::Parts(_) => true,
            KeptReasoning::Beginning(_) => model.to_ascii_lowercase().contains(KEEPS_TAGS),
        }
    }
}

pub(super) fn text_part(text: &str) -> Option<Box<RawValue>> {
    let part: Value = json!({"type": "text", "text": text});
    serde_json::value::to_raw_value(&part).ok()
}

/// A text as a part of content up to which a request is worth caching.
pub(super) fn marked_part(text: &str) -> Option<Box<RawValue>> {
    let mark = json!({"type": "ephemeral"});
    let part = json!({"type": "text", "text": text, "cache_control": mark});
    serde_json::value::to_raw_value(&part).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_between_tags_is_found_wherever_it_stands() {
        let split = |text: &str| {
            let split = split_content(text);
            let thought = split.thought.map(|(thought, _)| thought);
            (split.said, thought.unwrap_or_default())
        };
        let both = |said: &str, thought: &str| (said.to_string(), thought.to_string());
        for text in [
            "<think>\nwhy\n</think>\n\nhi",
            "why</think>hi",
            "<thought>why</thought>hi",
            "[THINK]why[/THINK]hi",
            "<seed:think>why</seed:think>hi",
            "hi<thinking>why",
        ] {
            assert_eq!(split(text), both("hi", "why"), "{text}");
        }
        let several = "one</think>a<think>two</think>b<think>three";
        assert_eq!(split(several), both("a\nb", "one\ntwo\nthree"));
        let other = "<think>it says [THINK]</think>hi";
        assert_eq!(split(other), both("hi", "it says [THINK]"));
        assert_eq!(split(" no tags "), both(" no tags ", ""));
    }

    #[test]
    fn no_number_of_tags_takes_long() {
        let many = "<think>a</think>b".repeat(100_000);
        let split = split_content(&many);
        assert_eq!(split.said.len(), 2 * 100_000 - 1);
    }
}
