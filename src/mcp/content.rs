//! Converts a tool's result to text for the model.

use actors::domain::bounds::MAX_TAKEN_BYTES;
use rmcp::model::{ContentBlock, ResourceContents};
use serde::Deserialize;
use serde_json::value::RawValue;
use zoea_http::raw_json;

use super::message::RawResult;
use super::{McpFailure, unexpected_answer};

/// The result of a call as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallResult {
    /// All parts of the content, at least one line each.
    pub text: String,
    /// Structured content beside the parts, as JSON, unless it is long.
    pub structured: Option<String>,
    /// Whether the server marks it as a failure.
    pub is_error: bool,
}

/// Longer structured content is not kept, because the parts contain it, too.
const MAX_STRUCTURED_BYTES: usize = 64 << 10;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireCallResult<'a> {
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    structured_content: Option<&'a RawValue>,
    #[serde(default)]
    is_error: Option<bool>,
    /// `complete` or absent. Any other value is no final result.
    #[serde(default)]
    result_type: Option<String>,
}

impl CallResult {
    pub(super) fn read(raw: &RawResult) -> Result<CallResult, McpFailure> {
        CallResult::of(raw.read("tools/call")?)
    }

    /// Reads a result that is part of another answer.
    pub(super) fn read_text(text: &str) -> Result<CallResult, McpFailure> {
        let wire = serde_json::from_str(text);
        CallResult::of(wire.map_err(|_| unexpected_answer("tools/call"))?)
    }

    fn of(wire: WireCallResult<'_>) -> Result<CallResult, McpFailure> {
        let is_complete = wire.result_type.is_none_or(|kind| kind == "complete");
        let is_result =
            wire.content.is_some() || wire.structured_content.is_some() || wire.is_error.is_some();
        if !is_complete || !is_result {
            return Err(unexpected_answer("tools/call"));
        }
        let mut text = String::new();
        let mut pieces = 0;
        if let Some(content) = wire.content {
            raw_json::for_each_element(content.get(), |piece| {
                if pieces > 0 {
                    text.push('\n');
                }
                pieces += 1;
                match serde_json::from_str(piece) {
                    Ok(block) => push_content(&mut text, &block),
                    Err(_) => text.push_str(UNKNOWN_CONTENT),
                }
                // Beyond these limits nobody reads the text to its end.
                pieces < MAX_PIECES && text.len() <= MAX_TAKEN_BYTES
            });
        }
        let content = wire.structured_content.map(RawValue::get);
        let mut structured = None;
        match content {
            Some(content) if pieces == 0 => text.push_str(content),
            Some(content) if content.len() <= MAX_STRUCTURED_BYTES => {
                structured = Some(content.to_string());
            }
            Some(_) | None => {}
        }
        Ok(CallResult {
            text,
            structured,
            is_error: wire.is_error.unwrap_or(false),
        })
    }
}

/// The most parts of a result that are read.
const MAX_PIECES: usize = 4096;

const UNKNOWN_CONTENT: &str = "[content of an unknown kind]";

/// Appends a part of the content as text.
fn push_content(out: &mut String, content: &ContentBlock) {
    let described = match content {
        ContentBlock::Text(text) => return out.push_str(&text.text),
        ContentBlock::Image(image) => {
            format!("[image: {}, {} bytes]", image.mime_type, image.data.len())
        }
        ContentBlock::Audio(audio) => {
            format!("[audio: {}, {} bytes]", audio.mime_type, audio.data.len())
        }
        ContentBlock::Resource(resource) => match &resource.resource {
            ResourceContents::TextResourceContents { text, .. } => return out.push_str(text),
            ResourceContents::BlobResourceContents { uri, blob, .. } => {
                format!("[resource: {uri}, {} bytes]", blob.len())
            }
            _ => "[resource]".to_string(),
        },
        ContentBlock::ResourceLink(link) => format!("[resource: {}]", link.uri),
        _ => UNKNOWN_CONTENT.to_string(),
    };
    out.push_str(&described);
}
