//! Calls that a model writes into its words, where its server does not read them.

/// What helps where calls are written as text.
pub const WRITTEN_CALLS_ADVICE: &str = "start its server so that it reads the model's calls \
     (llama.cpp: --jinja; vLLM: --enable-auto-tool-choice and the --tool-call-parser of the model; \
     others: a chat template with tools), or choose another model";
/// What helps where a model makes no calls.
pub const WORDS_ALONE_ADVICE: &str = "choose a model that is made to call tools";

/// Signs of a call that is written as text.
const CALL_SIGNS: [&str; 12] = [
    "<tool_call",
    "<|tool_call",
    "[TOOL_CALL",
    "<function",
    "<|python_tag|>",
    "<invoke",
    "<|channel|>",
    "```json",
    "```tool",
    "\"arguments\"",
    "\"parameters\"",
    "\"name\"",
];

/// Whether a text contains a call of one of these tools in any notation.
#[must_use]
pub fn reads_like_a_call<'a>(text: &str, tools: impl IntoIterator<Item = &'a str>) -> bool {
    let is_signed = CALL_SIGNS.iter().any(|sign| text.contains(sign));
    tools
        .into_iter()
        .any(|tool| text.contains(tool) && (is_signed || text.contains(&format!("{tool}("))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_one_of_a_known_tool() {
        for (text, expected) in [
            ("<tool_call>{\"name\": \"mine\"}</tool_call>", true),
            ("now mine(ore)", true),
            ("<tool_call>{\"name\": \"dance\"}</tool_call>", false),
            ("I mine now.", false),
        ] {
            assert_eq!(
                reads_like_a_call(text, ["mine", "sell"]),
                expected,
                "{text}"
            );
        }
    }
}
