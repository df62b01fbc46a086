//! Markdown: a conversation for reading. Whatever was said stands in fences that it cannot break.

use actors::domain::message::{Body, Row};
use actors::domain::write::MysisRecord;

use crate::import::nova::calls;

/// What stands above a conversation.
pub(super) fn head(mysis: &MysisRecord) -> String {
    let profile = &mysis.profile;
    let model = profile.model.as_deref().unwrap_or("the provider's model");
    format!(
        "# {}\n\n{} of {}, {} since {}. {} turns, {} tokens in, {} tokens out.\n",
        profile.name,
        model,
        profile.provider,
        mysis.state.as_str(),
        mysis.created_at,
        mysis.totals.turns,
        mysis.totals.tokens_in,
        mysis.totals.tokens_out,
    )
}

/// A row, under the label that it has on screen (DESIGN 4).
pub(super) fn row(name: &str, row: &Row) -> String {
    let mut text = format!("## {} · {} · {}\n", row.seq, row.at, label(name, row));
    let reasoning = row.utterance().and_then(|said| said.reasoning.as_deref());
    if let Some(reasoning) = reasoning {
        text.push_str(&format!("\nReasoning:\n\n{}\n", fenced(reasoning)));
    }
    if !row.text().is_empty() {
        text.push_str(&format!("\n{}\n", fenced(row.text())));
    }
    if !row.calls().is_empty() {
        text.push_str(&format!("\n{}\n", fenced(&calls::written(row.calls()))));
    }
    text
}

fn label(name: &str, row: &Row) -> String {
    match &row.body {
        Body::Prompt { .. } => "YOU".to_string(),
        Body::Mission { .. } => "YOU (BROADCAST)".to_string(),
        Body::Peer { sender, .. } => format!("SWARM ({sender})"),
        Body::Note { .. } => "NOTE".to_string(),
        Body::Reply(_) => name.to_string(),
        Body::Call { .. } => format!("⚙ {name}"),
        Body::Result { meta, .. } => {
            let mark = if meta.is_error() { "✗" } else { "✓" };
            format!("{mark} {} ({})", meta.tool, meta.call_id)
        }
        Body::Host { meta, .. } => format!("HOST ({})", meta.code),
        Body::Audit { .. } => "AUDIT".to_string(),
        Body::Unknown { kind, .. } => kind.to_string(),
    }
}

/// A text in a fence longer than any in it.
fn fenced(text: &str) -> String {
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{text}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        assert_eq!(fenced("a"), "```text\na\n```");
        assert_eq!(fenced("a ```` b"), "`````text\na ```` b\n`````");
    }
}
