//! Requests that are too long: how servers say so, and the numbers that they state, wherever these stand.

use actors::domain::model::ContextLimit;

use super::error_hints::holds;

/// Texts of servers whose model's context is exceeded.
const TOO_LONG_WORDS: [&str; 22] = [
    "context_length_exceeded",
    "context length exceeded",
    "maximum context length",
    "max context length",
    "maximum prompt length",
    "exceed_context_size_error",
    "available context size",
    "context size has been exceeded",
    "context length of only",
    "context length is only",
    "context window exceeds",
    "exceed context limit",
    "exceeds context limit",
    "model token limit",
    "max_prompt_tokens_exceeded",
    "string_above_max_length",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "reduce the length of the",
    "range of input length should be",
    "max_model_len",
];
/// What is too large, and the words for that.
const SUBJECT_WORDS: [&str; 7] = [
    "context",
    "prompt",
    "input",
    "token",
    "sequence",
    "content'",
    "conversation",
];
const EXCESS_WORDS: [&str; 15] = [
    "exceed",
    "too long",
    "too many tokens",
    "too large for",
    "longer than",
    "larger than the max",
    "greater than the max",
    "more than the max",
    "must be <=",
    "must be less than",
    "must have less than",
    "over the limit",
    "above the limit",
    "overflow",
    "out of range of the context",
];
/// Words of limits that no shorter request keeps, of times that ran out, and of other members that are
/// too long.
const OTHER_LIMIT_WORDS: [&str; 20] = [
    "deadline",
    "timed out",
    "timeout",
    "throttl",
    "please wait",
    "per minute",
    "per hour",
    "per day",
    "rate limit",
    "quota",
    "budget",
    "credit",
    "balance",
    "usage limit",
    "key limit",
    "tool_call",
    "tool call",
    "tool_use",
    ".name'",
    "'tools'",
];
/// Texts of servers without memory for a long request.
const MEMORY_WORDS: [&str; 4] = [
    "out of memory",
    "kv cache is full",
    "kv cache",
    "failed to find a memory slot",
];

/// Whether the request exceeded the model's context.
pub(super) fn is_too_long(text: &str) -> bool {
    let is_of_answer = holds(text, &["max_tokens", "max_completion_tokens"])
        && holds(text, &["completion tokens", "at most"])
        && !holds(text, &["context", "prompt", "input"]);
    holds(text, &TOO_LONG_WORDS)
        || (holds(text, &SUBJECT_WORDS)
            && holds(text, &EXCESS_WORDS)
            && !holds(text, &OTHER_LIMIT_WORDS)
            && !is_of_answer)
}

/// The same of a server that fails, which says of many causes that something was exceeded: its words leave
/// no other reading, or state the numbers.
pub(super) fn is_surely_too_long(text: &str) -> bool {
    holds(text, &TOO_LONG_WORDS) || (is_too_long(text) && stated_limit(text).is_some())
}

/// Whether the server has no memory for the request, which may be because of its length.
pub(super) fn lacks_memory(text: &str) -> bool {
    holds(text, &MEMORY_WORDS)
}

/// Numbers below this are no sizes of a context.
const MIN_TOKENS: u64 = 256;
/// What stands before the size of a context.
const LIMIT_PHRASES: [&str; 24] = [
    "maximum prompt length is",
    "maximum context length is",
    "maximum context length of",
    "maximum context length:",
    "maximum context length (",
    "context length is only",
    "context length of only",
    "context length (",
    "context length of",
    "context size (",
    "context window of",
    "context limit of",
    "token limit:",
    "token limit of",
    "limit of",
    "limit is",
    "must be <=",
    "cannot exceed",
    "exceeds the maximum length",
    "tokens allowed (",
    "maximum of",
    "at most",
    "less than",
    ">",
];

/// The tokens of the request and of the context, if a text states both.
pub(super) fn stated_limit(text: &str) -> Option<ContextLimit> {
    let text = text.to_lowercase();
    let numbers = numbers(&text);
    let after = |phrase: &&str| {
        let mut places = text.match_indices(*phrase);
        places.find_map(|(at, _)| {
            let at = at + phrase.len();
            let next = numbers.iter().find(|number| number.begins >= at)?;
            let between = text[at..next.begins].trim();
            (between.is_empty()).then_some(next.value)
        })
    };
    let context = LIMIT_PHRASES.iter().find_map(after);
    let values = || numbers.iter().map(|number| number.value);
    let largest = values().max()?;
    let context = match context {
        Some(context) => context,
        // What is too long has more than it may have.
        None if numbers.len() == 2 => values().min()?,
        None => return None,
    };
    let prompt = match largest > context {
        true => largest,
        // The prompt and the answer are told apart: `188240 + 21333 > 200000`.
        false => values()
            .filter(|value| *value != context)
            .fold(0, u64::saturating_add),
    };
    (context < prompt).then_some(ContextLimit { prompt, context })
}

struct Number {
    begins: usize,
    value: u64,
}

/// The numbers of a text that can be tokens, also with separators of thousands. Numbers of characters
/// and what is missing are none.
fn numbers(text: &str) -> Vec<Number> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = text[at..].find(|sign: char| sign.is_ascii_digit()) {
        let begins = at + offset;
        let is_in = |sign: char| sign.is_ascii_digit() || sign == ',' || sign == '_';
        let digits = text[begins..].find(|sign| !is_in(sign));
        let end = digits.map_or(text.len(), |digits| begins + digits);
        at = end;
        let written = text[begins..end].trim_end_matches([',', '_']);
        let value = written.replace([',', '_'], "").parse().unwrap_or(0);
        let before = text[..begins].trim_end();
        let is_in_word = text[..begins]
            .ends_with(|sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '.'));
        let is_difference = before.ends_with(" by");
        let is_of_characters = text[end..].trim_start().starts_with("char");
        if value >= MIN_TOKENS && !is_in_word && !is_difference && !is_of_characters {
            found.push(Number { begins, value });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens of a request and of the context, as far as a server states them, and its words.
    const TOO_LONG: &str = r#"
537812 of 131072 | This model's maximum prompt length is 131072 but the request contains 537812 tokens.
269030 of 262144 | Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)
74655 of 32000 | You passed 74655 input characters and requested 0 output tokens. However, the model's context length is only 32000 tokens, resulting in a maximum input length of 32000 tokens (at most 64000 characters). Please reduce the length of the input prompt. (parameter=input_text, value=74655)
unknown | prompt too long; exceeded max context length by 540451 tokens (ref: 1)
209573 of 200000 | input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again
210000 of 200000 | prompt is too long: 210000 tokens > 200000 maximum
5000 of 4096 | Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 512 `max_new_tokens`
12000 of 4095 | Input validation error: `inputs` must have less than 4095 tokens. Given: 12000
9000 of 8192 | This model's maximum context length is 8192 tokens. However, you requested 9,000 tokens (8500 in the messages, 500 in the completion).
9512 of 8192 | This model's maximum context length is 8192 tokens. However, you requested 9512 tokens (8312 in the messages, 1200 in the completion). Please reduce the length of the messages or completion.
9000 of 8192 | The input (9000 tokens) is longer than the model's context length (8192 tokens).
1200000 of 1048576 | The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).
150000 of 128000 | prompt token count of 150000 exceeds the limit of 128000
5000 of 4081 | too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000
40000 of 32768 | Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length
131072 of 65536 | The prompt is too long: 131072, model maximum context length: 65536
unknown | Range of input length should be [1, 30720]
unknown | Prompt exceeds max length
unknown | Requested token count exceeds the model's maximum context length of 8192 tokens.
unknown | the input length exceeds the context length
3000 of 2048 | Input length 3000 exceeds the maximum length 2048
1100000 of 1048576 | Invalid 'messages[3].content': string too long. Expected a string with maximum length 1048576, but got a string with length 1100000 instead.
140000 of 131072 | This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (139000 of text input, 1000 of tool input).
unknown | Prompt has too many tokens
unknown | invalid params, context window exceeds limit (2013)
9000 of 4096 | Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens
unknown | Your input exceeds the context window of this model.
9412 of 8192 | request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it
"#;

    #[test]
    fn a_request_that_is_too_long_is_understood_and_its_numbers_are_read() {
        for line in TOO_LONG.trim().lines() {
            let (expected, text) = line.split_once(" | ").unwrap();
            assert!(is_too_long(text), "{text}");
            let limit = stated_limit(text).map_or("unknown".to_string(), |limit| {
                format!("{} of {}", limit.prompt, limit.context)
            });
            assert_eq!(limit, expected, "{text}");
        }
        for other in [
            "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
            "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 45 instead.",
            "Invalid 'tools': array too long. Expected an array with maximum length 128",
            "You exceeded your token quota for this month",
            "Key limit exceeded (daily limit)",
            "Rate limit reached: tokens per minute exceeded",
            "context deadline exceeded",
            "Too many tokens, please wait before trying again.",
            "Invalid token",
            "no such model",
        ] {
            assert!(!is_too_long(other), "{other}");
        }
    }

    #[test]
    fn a_server_that_fails_is_believed_only_where_nothing_else_can_be_meant() {
        for sure in [
            "the context size has been exceeded",
            "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            "input of 9000 tokens exceeds the limit of 8192",
        ] {
            assert!(is_surely_too_long(sure), "{sure}");
        }
        for other in [
            "the input queue exceeded its capacity",
            "conversation store: memory limit exceeded",
        ] {
            assert!(!is_surely_too_long(other), "{other}");
        }
    }
}
