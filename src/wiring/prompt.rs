//! The system prompt of a home: the operator's own, or the built-in one.

use std::io::ErrorKind;
use std::sync::Arc;

use actors::domain::game::GameRef;
use anyhow::Context;
use zoea_settings::check_prompt;

use crate::host::home::Home;
use zoea_system::files;

/// The largest template, in bytes. The template is part of every request.
const MAX_TEMPLATE_BYTES: u64 = 1 << 20;

#[derive(Clone, Debug)]
pub struct PromptTemplate {
    /// The operator's own, from the home; `None`: the built-in one of the game.
    pub own: Option<Arc<str>>,
}

impl PromptTemplate {
    pub fn text(&self, game: GameRef) -> &str {
        let own = self.own.as_deref();
        own.unwrap_or_else(|| game.prompt())
    }
}

/// The template that is in force in a home. A file without text counts as absent.
///
/// # Errors
/// The file cannot be read, or it has unknown placeholders.
pub fn prompt_template(home: &Home) -> anyhow::Result<PromptTemplate> {
    let file = home.system_prompt();
    let text = match files::read_text(&file, MAX_TEMPLATE_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => {
            return Err(error).with_context(|| {
                format!(
                    "read the system prompt {}; correct or remove it",
                    file.display()
                )
            });
        }
    };
    if text.trim().is_empty() {
        return Ok(PromptTemplate { own: None });
    }
    check_prompt(&file, &text)?;
    Ok(PromptTemplate {
        own: Some(text.into()),
    })
}
