//! Tests of every rule of the validator, each broken once.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn good() -> Value {
    json!({
        "model": "pilot",
        "messages": [
            {"role": "system", "content": "You are alpha."},
            {"role": "user", "content": "Mine."},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "mine", "arguments": "{}"}},
                {"id": "b", "type": "function", "function": {"name": "dock", "arguments": "{}"}},
            ]},
            {"role": "tool", "tool_call_id": "b", "content": "docked"},
            {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "mined"}]},
        ],
        "tools": [
            {"type": "function", "function": {"name": "mine", "description": "Mines.", "parameters": {"type": "object"}}},
            {"type": "function", "function": {"name": "dock"}},
        ],
        "tool_choice": "auto",
        "temperature": 0,
        "stream": true,
        "stream_options": {"include_usage": true},
    })
}

/// The valid request with one value replaced, or removed where `value` is none.
fn with(pointer: &str, value: Option<Value>) -> Value {
    let mut body = good();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let parent = body.pointer_mut(parent).unwrap();
    match (parent, value) {
        (Value::Object(fields), Some(value)) => {
            fields.insert(key.to_owned(), value);
        }
        (Value::Object(fields), None) => {
            fields.remove(key);
        }
        (Value::Array(entries), Some(value)) if key == "-" => entries.push(value),
        (Value::Array(entries), Some(value)) => entries[key.parse::<usize>().unwrap()] = value,
        (Value::Array(entries), None) => {
            entries.remove(key.parse::<usize>().unwrap());
        }
        (other, value) => panic!("{pointer} leads to {other} for {value:?}"),
    }
    body
}

#[test]
fn a_good_request_is_admitted() {
    assert_eq!(validate(&good()), Ok(()));
    assert_eq!(validate_with(&good(), Strictness::OpenAi), Ok(()));
}

/// Changes of the valid request: a place, and its new value.
const ADMITTED: &str = r#"
/messages/2/content | ""
/messages/2/content | "I mine."
/messages/2/content | -
/messages/2/reasoning_content | "hm"
/messages/1/name | "operator"
/messages/0/role | "developer"
/messages/- | {"role": "system", "content": "late"}
/temperature | null
/temperature | 2
/max_tokens | 1
/tool_choice | {"type": "function", "function": {"name": "mine"}}
/parallel_tool_calls | false
/metadata | {"anything": 1}
"#;

#[test]
fn what_openai_admits_is_admitted() {
    for change in ADMITTED.trim().lines() {
        let (pointer, value) = change.split_once(" | ").unwrap();
        let mut body = with(pointer, read_value(value));
        if body["messages"].as_array().unwrap().len() == 6 {
            body["messages"]
                .as_array_mut()
                .unwrap()
                .push(json!({"role": "user", "content": "go"}));
        }
        let verdict = validate_with(&body, Strictness::OpenAi);
        assert_eq!(verdict, Ok(()), "{pointer}");
    }
}

/// A value of a table; none where it is removed.
fn read_value(text: &str) -> Option<Value> {
    (text != "-").then(|| serde_json::from_str(text).unwrap())
}

/// Each broken rule: a place in the valid request, its new value (`-`: removed), the place that the
/// refusal names, and words of it.
const BROKEN_RULES: &str = r#"
/model | - | model | must provide a model
/model | 7 | model | must provide a model
/model | "" | model | not be empty
/messages | - | messages | Missing required
/messages | {} | messages | must be an array
/messages | [] | messages | too short
/messages/0 | "hello" | messages.[0] | must be an object
/messages/0/role | - | messages.[0].role | needs a 'role'
/messages/0/role | "host" | messages.[0].role | Invalid value: 'host'
/messages/1/role | "system" | messages | at least one user
/messages/0/content | "" | messages.[0].content | must not be empty
/messages/1/content | - | messages.[1].content | no content
/messages/1/content | [] | messages.[1].content | must not be empty
/messages/1/content | 5 | messages.[1].content | must be a string
/messages/1/content | [{"type": "image_url"}] | messages.[1].content.[0].type | 'text'
/messages/1/content | [{"type": "text", "text": ""}] | messages.[1].content.[0].text | not empty
/messages/1/tool_calls | [] | messages.[1].tool_calls | Only an assistant
/messages/1/tool_call_id | "a" | messages.[1].tool_call_id | Only a tool message
/messages/1/name | "" | messages.[1].name | 'name' must be
/messages/2/content | {} | messages.[2].content | must be a string
/messages/2/tool_calls | - | messages.[2].content | no content
/messages/2/tool_calls | [] | messages.[2].tool_calls | too short
/messages/2/tool_calls | null | messages.[2].tool_calls | must be an array
/messages/2/tool_calls/0/id | "" | messages.[2].tool_calls.[0].id | needs an 'id'
/messages/2/tool_calls/1/id | "a" | messages.[2].tool_calls.[1].id | Two tool calls
/messages/2/tool_calls/0/type | - | messages.[2].tool_calls.[0].type | type 'function'
/messages/2/tool_calls/0/function | - | messages.[2].tool_calls.[0].function | 'function' object
/messages/2/tool_calls | [{"id": "a", "type": "function", "function": {"name": "mine<|channel|>", "arguments": "{}"}}] | messages.[2].tool_calls.[0].function.name | pattern
/messages/2/tool_calls | [{"id": "a", "type": "function", "function": {"name": "mine", "arguments": {}}}] | messages.[2].tool_calls.[0].function.arguments | must be a string
/messages/2/tool_calls | [{"id": "a", "type": "function", "function": {"name": "mine", "arguments": "[]"}}] | messages.[2].tool_calls.[0].function.arguments | JSON object
/messages/2/tool_calls | [{"id": "a", "type": "function", "function": {"name": "mine", "arguments": "{\"a\":"}}] | messages.[2].tool_calls.[0].function.arguments | JSON object
/messages/3/content | "" | messages.[3].content | must not be empty
/messages/3/tool_call_id | - | messages.[3].tool_call_id | needs a 'tool_call_id'
/messages/3/tool_call_id | "z" | messages.[3].role | holds no call 'z'
/messages/4/tool_call_id | "b" | messages.[4].tool_call_id | answered already
/messages/4 | - | messages.[4].role | did not have response messages: a
/messages/4 | {"role": "user", "content": "go"} | messages.[4].role | did not have response messages: a
/messages/- | {"role": "assistant", "content": "done"} | messages.[5].role | last message
/messages/- | {"role": "assistant", "content": ""} | messages.[5].content | must not be empty
/tools | {} | tools | must be an array
/tools | [] | tools | too short
/tools/0 | 1 | tools.[0] | must be an object
/tools/0/type | "retrieval" | tools.[0].type | type 'function'
/tools/0/function | - | tools.[0].function | 'function' object
/tools/0/function/name | "a tool" | tools.[0].function.name | pattern
/tools/1/function/name | "mine" | tools.[1].function.name | Two tools
/tools/0/function/parameters | [] | tools.[0].function.parameters | wrong type
/tools/0/function/description | 1 | tools.[0].function.description | wrong type
/tools | - | tool_choice | only allowed when 'tools'
/tool_choice | "maybe" | tool_choice | Invalid value: 'maybe'
/tool_choice | {"type": "function", "function": {"name": "fly"}} | tool_choice | name a function
/parallel_tool_calls | 1 | parallel_tool_calls | boolean
/temperature | 2.5 | temperature | from 0 to 2
/temperature | "warm" | temperature | from 0 to 2
/max_tokens | 0 | max_tokens | at least 1
/n | 2 | n | one choice
/stream | "yes" | stream | a boolean
/stream | false | stream_options | only allowed when 'stream'
/stream_options | {"include_usage": 1} | stream_options | include_usage
/user | 1 | user | a string
/stop | [1] | stop | strings
"#;

#[test]
fn each_broken_rule_is_refused_with_its_place() {
    for rule in BROKEN_RULES.trim().lines() {
        let columns: Vec<&str> = rule.split(" | ").collect();
        let [pointer, value, param, reason] = columns[..] else {
            panic!("{rule}");
        };
        let refusal = validate(&with(pointer, read_value(value))).expect_err(rule);
        assert_eq!(refusal.param.as_deref(), Some(param), "{rule}");
        assert!(refusal.message.contains(reason), "{rule}: {refusal}");
    }
}

#[test]
fn a_body_that_is_no_object_is_refused() {
    for body in [json!(null), json!([]), json!("hello")] {
        assert_eq!(validate(&body).unwrap_err().param, None);
    }
}

#[test]
fn the_token_limits_exclude_one_another() {
    let mut body = good();
    body["max_tokens"] = json!(5);
    body["max_completion_tokens"] = json!(5);
    assert!(validate(&body).is_err());
}

#[test]
fn more_than_512_tools_are_refused() {
    let tool = |n: usize| json!({"type": "function", "function": {"name": format!("t{n}")}});
    let body = with("/tools", Some((0..512).map(tool).collect()));
    assert_eq!(validate(&body), Ok(()));
    let body = with("/tools", Some((0..513).map(tool).collect()));
    assert_eq!(validate(&body).unwrap_err().param.as_deref(), Some("tools"));
}

/// Messages of these roles, by their initials: `s`ystem, `u`ser, `a`ssistant, `c`all, `t`ool.
fn of_roles(roles: &str) -> Value {
    let message = |role: char| match role {
        's' => json!({"role": "system", "content": "s"}),
        'u' => json!({"role": "user", "content": "u"}),
        'a' => json!({"role": "assistant", "content": "a"}),
        'c' => json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "i", "type": "function", "function": {"name": "mine", "arguments": "{}"}}]}),
        't' => json!({"role": "tool", "tool_call_id": "i", "content": "t"}),
        other => panic!("no role {other}"),
    };
    json!({"model": "pilot", "messages": roles.chars().map(message).collect::<Vec<_>>()})
}

#[test]
fn the_strictest_servers_take_roles_in_turn_alone() {
    let strictest = |body: &Value| validate_with(body, Strictness::Strictest);
    for roles in [
        "u",
        "su",
        "suau",
        "suct",
        "suctct",
        "suctau",
        "suctauct",
        "suauctctau",
    ] {
        assert_eq!(strictest(&of_roles(roles)), Ok(()), "{roles}");
        assert_eq!(validate(&of_roles(roles)), Ok(()), "{roles}");
    }
    // What is learnt from a refusal is not refused by default.
    for roles in ["suctu", "suctuct", "suctuau"] {
        assert!(strictest(&of_roles(roles)).is_err(), "{roles}");
        assert_eq!(validate(&of_roles(roles)), Ok(()), "{roles}");
    }
    for (roles, place, reason) in [
        ("ctu", 0, "Unexpected role 'assistant' after role 'system'"),
        ("sau", 1, "Unexpected role 'assistant' after role 'system'"),
        ("sctu", 1, "Unexpected role 'assistant' after role 'system'"),
        ("suu", 2, "Unexpected role 'user' after role 'user'"),
        (
            "suaau",
            3,
            "Unexpected role 'assistant' after role 'assistant'",
        ),
        (
            "suact",
            3,
            "Unexpected role 'assistant' after role 'assistant'",
        ),
        ("suctu", 4, "Unexpected role 'user' after role 'tool'"),
        // The usual request of a mission before the present rules.
        (
            "sctauu",
            1,
            "Unexpected role 'assistant' after role 'system'",
        ),
        ("ssu", 1, "one system message at most"),
        ("suasu", 3, "one system message at most"),
        ("us", 1, "must have role 'user' or 'tool'"),
    ] {
        let refusal = strictest(&of_roles(roles)).unwrap_err();
        let at = format!("messages.[{place}].role");
        assert_eq!(refusal.param, Some(at), "{roles}: {refusal}");
        assert!(refusal.message.contains(reason), "{roles}: {refusal}");
        if !roles.ends_with('s') {
            let verdict = validate_with(&of_roles(roles), Strictness::OpenAi);
            assert_eq!(verdict, Ok(()), "{roles}");
        }
    }
}

#[test]
fn the_strictest_servers_know_no_other_fields_and_no_white_space() {
    for (pointer, value, param) in [
        (
            "/messages/2/reasoning_content",
            "x",
            "messages.[2].reasoning_content",
        ),
        ("/messages/3/is_error", "x", "messages.[3].is_error"),
        ("/messages/1/content", " \n", "messages.[1].content"),
        (
            "/messages/4/content/0/text",
            "\t",
            "messages.[4].content.[0].text",
        ),
    ] {
        let body = with(pointer, Some(json!(value)));
        assert_eq!(validate_with(&body, Strictness::OpenAi), Ok(()));
        assert_eq!(validate(&body).unwrap_err().param.as_deref(), Some(param));
    }
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z_]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(
                "(role|content|id|type|function|name|[a-z]{1,4})",
                inner,
                0..5
            )
            .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_anywhere_is_judged_without_a_panic(value in json_value(), place in 0usize..7) {
        let pointer = ["/messages", "/messages/1", "/messages/2/tool_calls", "/messages/2/tool_calls/0", "/tools", "/tools/0", "/tool_choice"][place];
        let _verdict = validate(&with(pointer, Some(value)));
    }
}
