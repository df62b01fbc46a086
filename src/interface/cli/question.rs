//! Questions to the person at the prompt.

use std::io::{BufRead, IsTerminal};

use anyhow::Context;
use zoea_system::out;

/// Whether stdin is a terminal, so that somebody can answer.
pub(super) fn can_ask() -> bool {
    std::io::stdin().is_terminal()
}

/// Asks a question. Returns whether the answer is `y` or `yes`.
pub(super) fn ask_to_agree(question: &str) -> anyhow::Result<bool> {
    let answer = ask(&format!("{question} [y/N] "))?;
    Ok(matches!(answer.as_str(), "y" | "Y" | "yes"))
}

/// Asks a question that a `y` given by habit must not answer. Returns whether the answer is this
/// number.
pub(super) fn ask_for_number(question: &str, number: usize) -> anyhow::Result<bool> {
    let answer = ask(&format!("{question} Type {number} to confirm: "))?;
    Ok(answer.parse() == Ok(number))
}

fn ask(question: &str) -> anyhow::Result<String> {
    out::question(question);
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .context("read the answer")?;
    Ok(answer.trim().to_string())
}
