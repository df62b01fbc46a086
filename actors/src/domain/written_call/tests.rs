//! Tests of the notations, of schemas, and of what is no call.

use proptest::prelude::*;
use serde_json::{Map, json};

use super::*;
use crate::bounds::MAX_NAME_BYTES;
use crate::tool::ToolSpec;

fn tools() -> Toolset {
    let tool = |name: &str, schema: &str| ToolSpec {
        name: name.into(),
        description: "Does it.".into(),
        schema: schema.into(),
        read_only_hint: None,
    };
    Toolset::new([
        tool("mine", r#"{"type":"object","properties":{}}"#),
        tool(
            "travel",
            r#"{"type":"object","properties":{"destination":{"type":"string"}},"required":["destination"]}"#,
        ),
        tool(
            "buy",
            r#"{"type":"object","properties":{"item":{"type":"string"},"quantity":{"type":"integer"},"urgent":{"type":"boolean"},"side":{"enum":["ask","bid"]}},"required":["item","quantity"],"additionalProperties":false}"#,
        ),
    ])
}

fn read(text: &str) -> WrittenText {
    read_text(text, Some("stop"), &tools())
}

/// The calls of a text in one line; empty for words.
fn shown(text: &str) -> String {
    let (calls, mark) = match read(text) {
        WrittenText::Words => (Vec::new(), ""),
        WrittenText::Calls(calls) => (calls, ""),
        WrittenText::Unfit { calls, .. } => (calls, "unfit "),
    };
    let calls = calls
        .iter()
        .map(|call| format!("{}{}", call.name, call.arguments));
    format!("{mark}{}", calls.collect::<Vec<_>>().join(" "))
}

const TRAVEL: &str = r#"travel{"destination":"Sol"}"#;
const BUY: &str = r#"buy{"item":"ore","quantity":3}"#;

/// Each line of the table of notations in `docs/PROVIDERS.md`.
#[test]
fn calls_are_read_in_every_notation_in_which_models_leave_them() {
    let both = format!("{TRAVEL} mine{{}}");
    for (text, expected) in [
        // Hermes, Qwen 2.5 and 3; the closing tag may be missing, or alone after a thought.
        (
            "<tool_call>\n{\"name\": \"travel\", \"arguments\": {\"destination\": \"Sol\"}}\n</tool_call>",
            TRAVEL,
        ),
        (
            "<tool_call>{\"name\": \"travel\", \"arguments\": {\"destination\": \"Sol\"}}",
            TRAVEL,
        ),
        (
            "{\"name\": \"travel\", \"arguments\": {\"destination\": \"Sol\"}}\n</tool_call>",
            TRAVEL,
        ),
        // Qwen 2.5 Coder: bare objects, several of them, fences.
        (
            "{\"name\": \"travel\", \"arguments\": {\"destination\": \"Sol\"}},\n{\"name\": \"mine\", \"arguments\": {}}",
            &both,
        ),
        (
            "{\"name\": \"travel\", \"arguments\": {\"destination\": \"Sol\"}}\n{\"name\": \"mine\", \"arguments\": {}}",
            &both,
        ),
        (
            "[{\"name\": \"travel\", \"arguments\": {\"destination\": \"Sol\"}}, {\"name\": \"mine\", \"arguments\": {}}]",
            &both,
        ),
        (
            "```json\n{\"name\": \"travel\", \"arguments\": {\"destination\": \"Sol\"}}\n```",
            TRAVEL,
        ),
        (
            "<tools>{\"name\": \"travel\", \"arguments\": {\"destination\": \"Sol\"}}</tools>",
            TRAVEL,
        ),
        // Llama 3.
        (
            "<|python_tag|>{\"name\": \"travel\", \"parameters\": {\"destination\": \"Sol\"}}<|eom_id|>",
            TRAVEL,
        ),
        (
            "<function=travel>{\"destination\": \"Sol\"}</function>",
            TRAVEL,
        ),
        (
            "<function=travel={\"destination\": \"Sol\"}</function>",
            TRAVEL,
        ),
        // Qwen 3 Coder, with and without its wrapper. Values are texts.
        (
            "<tool_call>\n<function=buy>\n<parameter=item>\nore\n</parameter>\n<parameter=quantity>\n3\n</parameter>\n</function>\n</tool_call>",
            BUY,
        ),
        (
            "<function=buy><parameter=item>ore</parameter><parameter=quantity>3</parameter></function>",
            BUY,
        ),
        // Mistral, GPT-OSS, Llama 4 and Python.
        (
            "[TOOL_CALLS][{\"name\": \"travel\", \"arguments\": {\"destination\": \"Sol\"}}]",
            TRAVEL,
        ),
        ("[TOOL_CALLS]travel[ARGS]{\"destination\": \"Sol\"}", TRAVEL),
        ("[TOOL_CALLS]travel{\"destination\": \"Sol\"}", TRAVEL),
        ("travel[ARGS]{\"destination\": \"Sol\"}", TRAVEL),
        (
            "[TOOL_CALLS]travel[ARGS]{\"destination\": \"Sol\"}[TOOL_CALLS]mine[ARGS]{}",
            &both,
        ),
        (
            "commentary to=functions.travel json{\"destination\": \"Sol\"}",
            TRAVEL,
        ),
        ("[travel(destination=\"Sol\"), mine()]", &both),
        ("[buy(item='ore', quantity=3)]", BUY),
        // Other words for the same.
        (
            "{\"call\": \"travel\", \"arguments\": \"{\\\"destination\\\": \\\"Sol\\\"}\"}",
            TRAVEL,
        ),
        (
            "{\"type\": \"function\", \"function\": {\"name\": \"travel\", \"arguments\": {\"destination\": \"Sol\"}}}",
            TRAVEL,
        ),
        (
            "<function_calls><invoke name=\"buy\"><parameter name=\"item\">ore</parameter><parameter name=\"quantity\">3</parameter></invoke></function_calls>",
            BUY,
        ),
    ] {
        assert_eq!(shown(text), expected, "{text}");
    }
}

#[test]
fn a_text_that_is_not_all_calls_of_offered_tools_is_words() {
    for text in [
        "",
        "I travel to Sol.",
        "I would write {\"name\": \"mine\", \"arguments\": {}} now.",
        "{\"name\": \"mine\", \"arguments\": {}} That mines.",
        "He said:\n```json\n{\"name\": \"mine\", \"arguments\": {}}\n```",
        "{\"name\": \"dance\", \"arguments\": {}}",
        "{\"name\": \"mine\"}",
        "{\"name\": \"mine\", \"arguments\": {}, \"why\": \"ore\"}",
        "{\"name\": \"mine\", \"arguments\": [1]}",
        "{\"name\": \"Mine\", \"arguments\": {}}",
        // Cut in the middle, or not JSON: nothing is repaired.
        "<tool_call>{\"name\": \"mine\", \"arguments\": {",
        "{\"name\": \"mine\", \"arguments\": {},}",
        "<function=buy><parameter=item>ore",
        "commentary {\"destination\": \"Sol\"}",
        "mine()",
        // A result that is quoted: a tool's name, and what it brought.
        "mine {\"ore\":\"iron\",\"quantity\":5}",
        "mine\n{\"ore\":\"iron\"}",
        "mine{}",
        "```json\nmine {}\n```",
        "travel {\"destination\":\"Sol\"}",
        "{\"name\": \"mine\", \"arguments\": {}} travel {\"destination\":\"Sol\"}",
        "[TOOL_CALLS]",
        "[]",
        "[mine(",
    ] {
        assert_eq!(read(text), WrittenText::Words, "{text}");
    }
    let call = "{\"name\": \"mine\", \"arguments\": {}}";
    assert_eq!(
        read_text(call, Some("length"), &tools()),
        WrittenText::Words
    );
    assert_eq!(
        read_text(call, None, &Toolset::default()),
        WrittenText::Words
    );
}

#[test]
fn where_one_call_does_not_fit_none_is_taken_and_the_model_is_told_why() {
    for (call, expected) in [
        ("travel\", \"arguments\": {}", "`destination` is missing"),
        (
            "travel\", \"arguments\": {\"destination\": 7}",
            "`destination` must be \"string\"",
        ),
        (
            "buy\", \"arguments\": {\"item\": \"ore\", \"quantity\": 1.5}",
            "`quantity` must be \"integer\"",
        ),
        (
            "buy\", \"arguments\": {\"item\": \"ore\", \"quantity\": 1, \"side\": \"up\"}",
            "`side` must be one of",
        ),
        (
            "buy\", \"arguments\": {\"item\": \"ore\", \"quantity\": 1, \"price\": 2}",
            "there is no `price`",
        ),
        (
            "dance\", \"arguments\": {}",
            "there is no tool called dance",
        ),
        // A schema that says nothing of other members allows none.
        (
            "mine\", \"arguments\": {\"ore\": \"iron\", \"quantity\": 5}",
            "there is no `ore`",
        ),
    ] {
        let text = format!("{{\"name\": \"mine\", \"arguments\": {{}}}}\n{{\"name\": \"{call}}}");
        let WrittenText::Unfit { calls, why } = read(&text) else {
            panic!("{text}");
        };
        assert_eq!(calls.len(), 2);
        assert!(why.contains(expected), "{why}");
    }
}

#[test]
fn a_number_without_a_fraction_is_whole_however_it_is_written() {
    let schema = json!({"properties": {"n": {"type": "integer"}}});
    for (number, is_whole) in [
        ("3", true),
        ("-3", true),
        ("3.0", true),
        ("-3.0", true),
        ("18446744073709551615", true),
        ("1.5", false),
    ] {
        let arguments = serde_json::from_str(&format!(r#"{{"n":{number}}}"#)).expect("an object");
        let fits = schema::mismatch(&arguments, &schema).is_none();
        assert_eq!(fits, is_whole, "{number}");
    }
}

/// Other members are refused only where a schema lists all of them.
#[test]
fn a_schema_that_says_more_of_its_members_is_taken_at_its_word() {
    let fits = |schema: Value| {
        let arguments = json!({"ore": "iron"});
        schema::mismatch(arguments.as_object().unwrap(), &schema).is_none()
    };
    assert!(!fits(json!({"type": "object"})));
    assert!(!fits(json!({"properties": {"item": {}}})));
    assert!(fits(json!({"properties": {"ore": {}}})));
    assert!(fits(json!({"additionalProperties": true})));
    assert!(fits(json!({"additionalProperties": {"type": "string"}})));
    assert!(fits(json!({"anyOf": [{"properties": {"ore": {}}}]})));
    assert!(fits(json!({"$ref": "#/$defs/mining"})));
}

#[test]
fn what_is_long_in_a_call_is_bounded() {
    let long = "x".repeat(MAX_NAME_BYTES + 1);
    let text = format!(
        "{{\"name\": \"mine\", \"arguments\": {{}}}}\n{{\"name\": \"{long}\", \"arguments\": {{}}}}"
    );
    let WrittenText::Unfit { calls, .. } = read(&text) else {
        panic!("{text}");
    };
    assert_eq!(calls[1].name, "[no name: 513 bytes]");
    let key = "k".repeat(40_000);
    let text = format!("{{\"name\": \"mine\", \"arguments\": {{\"{key}\": 1}}}}");
    let WrittenText::Unfit { why, .. } = read(&text) else {
        panic!("{text}");
    };
    assert!(why.contains("there is no `kkk") && why.len() < 2000);
    // What is escaped in JSON is longer there than as it was written.
    let call = WrittenCall {
        name: "mine".to_string(),
        arguments: Map::from_iter([("k".to_string(), "\u{1}".repeat(60_000).into())]),
        are_texts: false,
    };
    let arguments = RequestedCall::from(call).arguments;
    assert!(arguments.starts_with("[no arguments: "), "{arguments}");
}

#[test]
fn a_text_becomes_what_the_schema_says_it_is() {
    let call = |urgent: &str, quantity: &str| {
        format!(
            "<function=buy><parameter=item>7</parameter><parameter=quantity>{quantity}</parameter>\
             <parameter=urgent>{urgent}</parameter></function>"
        )
    };
    let expected = r#"buy{"item":"7","quantity":12,"urgent":true}"#;
    assert_eq!(shown(&call("True", "12")), expected);
    assert_eq!(shown(&call("true", " 12 ")), expected);
    assert!(shown(&call("maybe", "12")).starts_with("unfit"));
}

#[test]
fn signs_of_a_call_of_a_known_tool_are_seen_in_any_text() {
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

proptest! {
    #[test]
    fn no_text_breaks_the_reader(text in r#"[a-z\[\](){}<>=/'",:|\\ \n_A-Z`]{0,80}"#) {
        let _ = read(&text);
    }

    #[test]
    fn words_around_a_call_make_it_words(before in "[a-zA-Z][a-z ]{0,20}", after in "[ ][a-z]{1,20}") {
        let call = "{\"name\": \"mine\", \"arguments\": {}}";
        let text = format!("{before} says {call}{after}");
        prop_assert_eq!(read(&text), WrittenText::Words);
    }
}
