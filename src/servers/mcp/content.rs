//! Converts a tool's result to text for the model.

use actors::domain::bounds::{MAX_TAKEN_BYTES, bounded_text};
use actors::ports::LinkAnswer;
use zoea_http::raw_json;
use zoea_text::clean::one_line;

use super::{McpFailure, unexpected_answer};

/// Longer structured content is not kept, because the parts contain it, too.
const MAX_STRUCTURED_BYTES: usize = 64 << 10;

const MAX_PIECES: usize = 4096;
/// The longest text that describes a resource, in bytes.
const MAX_DESCRIPTION_BYTES: usize = 1024;
/// What a model reads of a call that failed without a word. Nothing would look like a success.
const SILENT_FAILURE: &str = "Error: the tool failed and said nothing";
/// A part of an unknown kind that is larger is not shown.
const MAX_UNKNOWN_BYTES: usize = 4 << 10;

/// Reads the result of a call: all parts of its content, at least one line each, and structured content unless
/// it is long. What can be read of it counts, because the server has done the call.
pub(super) fn read_answer(result: &str) -> Result<LinkAnswer, McpFailure> {
    let keys = ["content", "structuredContent", "isError", "resultType"];
    let found = raw_json::pick_with_nulls(result, keys);
    let is_result = found[..3].iter().any(Option::is_some);
    let [content, given, is_error, kind] = found.map(|value| value.filter(|it| *it != "null"));
    let is_complete = kind.is_none_or(|kind| kind == r#""complete""#);
    if !is_complete && !is_result {
        return Err(unexpected_answer("tools/call"));
    }
    let mut text = String::new();
    match content {
        Some(content) => push_parts(&mut text, content),
        // A server that is no MCP server to the letter answers with the result itself.
        None if !is_result => push_unlisted(&mut text, result),
        None => {}
    }
    let mut structured = None;
    match given {
        Some(given) if text.is_empty() => text.push_str(cut(given)),
        Some(given) if given.len() <= MAX_STRUCTURED_BYTES => {
            structured = Some(given.to_string());
        }
        Some(_) | None => {}
    }
    let is_error = matches!(is_error, Some("true" | r#""true""# | "1"));
    if is_error && text.trim().is_empty() {
        text = SILENT_FAILURE.to_string();
    }
    Ok(LinkAnswer {
        text,
        structured,
        is_error,
    })
}

/// Appends all parts of a content: a list, as it should be, or one part alone.
fn push_parts(out: &mut String, content: &str) {
    if !content.starts_with('[') {
        return push_part(out, content);
    }
    let mut parts = 0;
    raw_json::for_each_element(content, |part| {
        if parts > 0 {
            out.push('\n');
        }
        parts += 1;
        push_part(out, part);
        // Beyond these limits nobody reads the text to its end.
        parts < MAX_PIECES && out.len() <= MAX_TAKEN_BYTES
    });
}

/// Appends a part of the content as text. What stands beside the text, such as annotations, does not
/// matter.
fn push_part(out: &mut String, part: &str) {
    if !part.starts_with('{') {
        return push_unlisted(out, part);
    }
    let keys = ["type", "text", "data", "mimeType", "resource", "uri"];
    let [kind, text, data, media_type, resource, uri] = raw_json::pick(part, keys);
    if let Some(text) = text {
        return push_unlisted(out, text);
    }
    let word = |json: Option<&str>| json.and_then(raw_json::as_text).unwrap_or_default();
    let kind = word(kind);
    let described = match (&*kind, data, resource) {
        ("image" | "audio", Some(data), _) => {
            format!(
                "[{kind}: {}, {} bytes]",
                word(media_type),
                decoded_bytes(data)
            )
        }
        ("resource", _, Some(resource)) => {
            let [text, blob, uri] = raw_json::pick(resource, ["text", "blob", "uri"]);
            match (text, blob) {
                (Some(text), _) => return push_unlisted(out, text),
                (None, Some(blob)) => {
                    format!("[resource: {}, {} bytes]", word(uri), decoded_bytes(blob))
                }
                (None, None) => "[resource]".to_string(),
            }
        }
        ("resource_link", ..) => {
            let about = raw_json::pick(part, ["name", "title", "description"]);
            let about = about.into_iter().flatten().filter_map(raw_json::as_text);
            let told: Vec<String> = std::iter::once(word(uri)).chain(about).collect();
            let told = bounded_text(one_line(&told.join(", ")), MAX_DESCRIPTION_BYTES);
            format!("[resource: {told}]")
        }
        _ if part.len() <= MAX_UNKNOWN_BYTES => part.to_string(),
        _ => format!("[content of an unknown kind, {} bytes]", part.len()),
    };
    out.push_str(&described);
}

/// How many bytes a JSON text in base64 stands for. JSON may escape a slash.
fn decoded_bytes(data: &str) -> usize {
    let is_code = |byte: &u8| !matches!(byte, b'"' | b'\\' | b'=');
    data.bytes().filter(is_code).count() * 3 / 4
}

/// Appends any value: a text as it is, all else as JSON.
fn push_unlisted(out: &mut String, value: &str) {
    match raw_json::as_text(value) {
        Some(text) => out.push_str(&text),
        None if matches!(value, "null" | "{}") => {}
        None => out.push_str(cut(value)),
    }
}

/// As much of a text as is kept anyway.
fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TAKEN_BYTES + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(result: &str) -> String {
        read_answer(result).expect("a result").text
    }

    #[test]
    fn the_text_is_read_whatever_stands_beside_it() {
        for beside in [
            r#""annotations":{"audience":["system"]}"#,
            r#""annotations":{"priority":"high"}"#,
            r#""annotations":7,"_meta":[]"#,
            r#""text":"ore","mimeType":7"#,
            r#""type":"scroll""#,
        ] {
            let part = format!(r#"{{"type":"text","text":"ore",{beside}}}"#);
            assert_eq!(text_of(&format!(r#"{{"content":[{part}]}}"#)), "ore");
        }
    }

    /// Results and the texts that are read of them.
    const RESULTS: &str = r#"
{"content":"ore"} => ore
{"content":{"type":"text","text":"ore"}} => ore
{"content":[{"type":"text","text":{"ore":5}}]} => {"ore":5}
{"content":null,"structuredContent":{"ore":5}} => {"ore":5}
{"content":[],"structuredContent":{"ore":5}} => {"ore":5}
{"structuredContent":[5]} => [5]
"ore" => ore
{"ore":5} => {"ore":5}
[{"type":"text","text":"ore"}] => [{"type":"text","text":"ore"}]
{"content":[{"type":"json","json":{"ore":5}}]} => {"type":"json","json":{"ore":5}}
{"content":[{"type":"audio","data":"AAAA"}]} => [audio: , 3 bytes]
{"content":[{"type":"image","mimeType":"image/png","data":"AA\/AAA=="}]} => [image: image/png, 4 bytes]
{"content":[{"type":"resource","resource":{"uri":"a:b","blob":"AAAAAAA="}}]} => [resource: a:b, 5 bytes]
"#;

    #[test]
    fn a_result_of_any_form_is_read() {
        for line in RESULTS.trim().lines() {
            let (result, text) = line.split_once(" => ").expect("two columns");
            assert_eq!(text_of(result), text, "{result}");
        }
        for empty in [r#"{"content":[]}"#, r#"{"content":null}"#, "{}", "null"] {
            assert_eq!(text_of(empty), "", "{empty}");
        }
        assert_eq!(
            text_of(r#"{"content":["ore",{"text":"ice"},7]}"#),
            "ore\nice\n7"
        );
        assert_eq!(
            text_of(
                r#"{"content":[{"type":"resource","resource":{"uri":"a:b","text":"ore"}},{"type":"resource_link","uri":"a:b"}]}"#
            ),
            "ore\n[resource: a:b]"
        );
        assert_eq!(
            text_of(
                r#"{"content":[{"type":"resource_link","uri":"a:b","name":"report","title":"The\nweek","description":"42 pages"}]}"#
            ),
            "[resource: a:b, report, The week, 42 pages]"
        );
        for silent in ["[]", "null", r#"[{"type":"text","text":" "}]"#] {
            let result = format!(r#"{{"content":{silent},"isError":true}}"#);
            assert_eq!(text_of(&result), SILENT_FAILURE, "{silent}");
        }
        let failed = |is_error: &str| {
            let result = format!(r#"{{"content":"no","isError":{is_error}}}"#);
            read_answer(&result).expect("a result").is_error
        };
        assert!(failed("true") && failed("\"true\"") && failed("1"));
        assert!(!failed("false") && !failed("null") && !failed("{}"));
        let task = read_answer(r#"{"resultType":"task","taskId":"7"}"#);
        assert!(task.is_err(), "{task:?}");
    }
}
