//! Markdown: a conversation for reading. Every text is in a code fence that its content cannot
//! close, or a plain line without markup.

use actors::domain::message::{Row, RowBody};
use actors::domain::record::MysisRecord;
use zoea_text::markdown::{fenced, plain_line};

use crate::codec;

pub(super) fn head(mysis: &MysisRecord) -> String {
    let profile = &mysis.profile;
    let model = profile.model.as_deref().unwrap_or("the provider's model");
    format!(
        "# {}\n\n{} of {}, {} since {}. {} turns, {} tokens in, {} tokens out.\n",
        plain_line(&profile.name),
        plain_line(model),
        plain_line(&profile.provider),
        mysis.state.as_str(),
        mysis.created_at,
        mysis.totals.turns,
        mysis.totals.tokens_in,
        mysis.totals.tokens_out,
    )
}

/// A row, with the label that it has on screen (docs/design/requests.md).
pub(super) fn row_section(name: &str, row: &Row) -> String {
    let label = plain_line(&row_label(name, row));
    let mut text = format!("## {} · {} · {label}\n", row.seq, row.at);
    let reasoning = row.utterance().and_then(|said| said.reasoning.as_deref());
    if let Some(reasoning) = reasoning {
        text.push_str(&format!("\nReasoning:\n\n{}\n", fenced(reasoning)));
    }
    if !row.text().is_empty() {
        text.push_str(&format!("\n{}\n", fenced(row.text())));
    }
    if !row.calls().is_empty() {
        text.push_str(&format!("\n{}\n", fenced(&codec::calls_text(row.calls()))));
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
