//! Questions at a terminal. The `inquire` library draws them, and all text from servers is cleaned
//! before.

use std::fmt;
use std::time::Duration;

use anyhow::Context;
use inquire::validator::Validation;
use inquire::{Confirm, InquireError, Password, PasswordDisplayMode, Select, Text};
use tokio_util::task::AbortOnDropHandle;
use zoea_settings::Secret;
use zoea_system::terminal;
use zoea_text::clean::one_line;
use zoea_tui::dashboard::text::width::wrap;
use zoea_tui::terminal_size;

use super::SetupLeft;
use super::present::typed_key;
use crate::interface::cli::out;

/// How often setup looks whether its terminal is still there.
const TERMINAL_CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// The exit status of a program that its terminal left, as a shell counts SIGHUP.
const EXIT_HUNG_UP: i32 = 129;

/// Ends the program if its terminal goes away while it asks.
///
/// SIGHUP does that by itself, but under `nohup` it is ignored. The library then reads the end of
/// the input again and again without a pause.
async fn watch_terminal() {
    let mut checks = tokio::time::interval(TERMINAL_CHECK_INTERVAL);
    while !terminal::is_gone() {
        checks.tick().await;
    }
    #[expect(
        clippy::disallowed_methods,
        reason = "a question cannot be interrupted; nothing is open or written before the last one"
    )]
    std::process::exit(EXIT_HUNG_UP);
}

pub(super) struct Choice<T> {
    pub(super) value: T,
    text: String,
}

impl<T> fmt::Display for Choice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl<T> Choice<T> {
    /// The text may come from a server. It is cleaned of terminal commands and cut to one line.
    pub(super) fn new(value: T, text: &str) -> Choice<T> {
        let room = usize::from(terminal_size().0).saturating_sub(23).max(30);
        Choice {
            value,
            text: out::shorten(&one_line(text), room),
        }
    }
}

/// Prints sentences, wrapped between words to the width of the terminal.
pub(super) fn say(text: &str) -> std::io::Result<()> {
    for line in wrap(text, usize::from(terminal_size().0)) {
        out::line(line)?;
    }
    Ok(())
}

/// Asks a question and blocks until it is answered. If the operator leaves the question, setup
/// ends.
fn ask_blocking<T>(question: impl FnOnce() -> Result<T, InquireError>) -> anyhow::Result<T> {
    let _watch = AbortOnDropHandle::new(tokio::spawn(watch_terminal()));
    match tokio::task::block_in_place(question) {
        Ok(answer) => Ok(answer),
        Err(InquireError::OperationCanceled | InquireError::OperationInterrupted) => {
            Err(SetupLeft.into())
        }
        Err(
            fault @ (InquireError::NotTTY
            | InquireError::InvalidConfiguration(_)
            | InquireError::IO(_)
            | InquireError::Custom(_)),
        ) => Err(fault).context("ask at the terminal"),
    }
}

/// Asks a question whose answer is yes or no.
pub(super) fn confirm(question: &str) -> anyhow::Result<bool> {
    let confirm = Confirm::new(question).with_default(true);
    ask_blocking(|| confirm.prompt())
}

/// Lets the operator choose one value of a list. The cursor begins at `start`.
pub(super) fn choose<T>(
    question: &str,
    choices: Vec<Choice<T>>,
    start: usize,
) -> anyhow::Result<T> {
    let rows = usize::from(terminal_size().1);
    let select = Select::new(question, choices)
        .with_starting_cursor(start)
        .with_page_size(rows.saturating_sub(9).clamp(3, 12))
        .with_help_message("↑↓ and Enter; letters filter");
    Ok(ask_blocking(|| select.prompt())?.value)
}

/// Asks for a text that must not be empty.
pub(super) fn ask_text(question: &str, usual: Option<&str>, help: &str) -> anyhow::Result<String> {
    let needed = |text: &str| match text.trim().is_empty() {
        true => Ok(Validation::Invalid(
            "enter a text, or cancel with Esc".into(),
        )),
        false => Ok(Validation::Valid),
    };
    let mut text = Text::new(question)
        .with_help_message(help)
        .with_validator(needed);
    if let Some(usual) = usual {
        text = text.with_default(usual);
    }
    ask_blocking(|| text.prompt())
}

pub(super) fn ask_optional(question: &str, help: &str) -> anyhow::Result<String> {
    let text = Text::new(question).with_help_message(help);
    Ok(ask_blocking(|| text.prompt())?.trim().to_string())
}

/// Asks for a text that is not shown. It may be empty.
pub(super) fn ask_password(question: &str, help: Option<&str>) -> anyhow::Result<String> {
    let mut password = Password::new(question)
        .without_confirmation()
        .with_display_mode(PasswordDisplayMode::Masked)
        .with_formatter(&|typed| match typed.is_empty() {
            true => "(none)".to_string(),
            false => "(not shown)".to_string(),
        });
    if let Some(help) = help {
        password = password.with_help_message(help);
    }
    ask_blocking(|| password.prompt())
}

pub(super) fn ask_key(question: &str, help: Option<&str>) -> anyhow::Result<Secret> {
    let mut help = help.map(str::to_string);
    loop {
        match typed_key(&ask_password(question, help.as_deref())?) {
            Ok(key) => return Ok(key),
            Err(why) => help = Some(why),
        }
    }
}
