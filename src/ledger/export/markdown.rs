//! Markdown: a conversation for reading. Every text is in a code fence that its content cannot
//! close.

use actors::domain::message::{Row, RowBody};
use actors::domain::record::MysisRecord;

use crate::codec;

/// The heading of a conversation.
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

/// A row, with the label that it has on screen (DESIGN 4).
pub(super) fn row_section(name: &str, row: &Row) -> String {
    let mut text = format!("## {} · {} · {}\n", row.seq, row.at, row_label(name, row));
    let reasoning = row.utterance().and_then(|said| said.reasoning.as_deref());
    if let Some(reasoning) = reasoning {
        text.push_str(&format!("\nReasoning:\n\n{}\n", fence_text(reasoning)));
    }
    if !row.text().is_empty() {
        text.push_str(&format!("\n{}\n", fence_text(row.text())));
    }
    if !row.calls().is_empty() {
        text.push_str(&format!(
            "\n{}\n",
            fence_text(&codec::calls_text(row.calls()))
        ));
    }
    text
}

fn row_label(name: &str, row: &Row) -> String {
    match &row.body {
        RowBody::Prompt { .. } => "YOU".to_string(),
        RowBody::Mission { .. } => "YOU (BROADCAST)".to_string(),
        RowBody::Peer { sender, .. } => format!("SWARM ({sender})"),
        RowBody::Note { .. } => "NOTE".to_string(),
        RowBody::Reply(_) => name.to_string(),
        RowBody::Call { .. } => format!("⚙ {name}"),
        RowBody::Result { meta, .. } => {
            let mark = if meta.is_error() { "✗" } else { "✓" };
            format!("{mark} {} ({})", meta.tool, meta.call_id)
        }
        RowBody::Host { meta, .. } => format!("HOST ({})", meta.code),
        RowBody::Audit { .. } => "AUDIT".to_string(),
        RowBody::Unknown { kind, .. } => kind.to_string(),
    }
}

/// A text in a fence that is longer than any fence in the text.
fn fence_text(text: &str) -> String {
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
        assert_eq!(fence_text("a"), "```text\na\n```");
        assert_eq!(fence_text("a ```` b"), "`````text\na ```` b\n`````");
    }
}
