//! Questions to the person at the prompt.

use std::io::{BufRead, IsTerminal};

use anyhow::Context;
use zoea_system::out;

/// Whether stdin is a terminal, so that somebody can answer.
pub(super) fn can_ask() -> bool {
    std::io::stdin().is_terminal()
}

/// Asks a question. Returns whether the answer is `y` or `yes`.
///
/// # Errors
/// The answer cannot be read.
pub(super) fn ask_to_agree(question: &str) -> anyhow::Result<bool> {
    out::question(&format!("{question} [y/N] "));
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .context("read the answer")?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
