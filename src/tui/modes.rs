//! Modes: what is changed about the terminal while the screen is up, and put back afterwards.

use std::io::{self, Write, stdout};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::dashboard::appearance::MouseUse;
use crossterm::cursor::{Hide, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste,
    EnableFocusChange, EnableMouseCapture,
};
use crossterm::style::ResetColor;
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{Command, execute};

/// Whether anything has to be put back. There is one terminal, and a panic anywhere may have to
/// put it back.
static IS_UP: AtomicBool = AtomicBool::new(false);

/// Takes the terminal over.
///
/// # Errors
/// There is no terminal, or it does not obey.
pub(super) fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    IS_UP.store(true, Ordering::SeqCst);
    execute!(
        stdout(),
        PushTitle,
        EnterAlternateScreen,
        EnableBracketedPaste,
        EnableFocusChange,
        Hide
    )
}

/// Gives the mouse to the program, or to the terminal.
///
/// # Errors
/// The terminal does not obey.
pub(super) fn give_mouse(to: MouseUse) -> io::Result<()> {
    match to {
        MouseUse::Ours => execute!(stdout(), EnableMouseCapture),
        MouseUse::Terminals => execute!(stdout(), DisableMouseCapture),
    }
}

/// Takes the terminal over once more: somebody else may have had it meanwhile.
///
/// # Errors
/// The terminal does not obey.
pub(super) fn renew() -> io::Result<()> {
    disable_raw_mode()?;
    enter()
}

/// Puts the terminal back as it was; harmless when it is.
pub(super) fn leave() {
    if !IS_UP.swap(false, Ordering::SeqCst) {
        return;
    }
    // A terminal that is gone needs no putting back.
    let _ = disable_raw_mode();
    let _ = execute!(
        stdout(),
        DisableMouseCapture,
        DisableFocusChange,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        ResetColor,
        Show,
        PopTitle
    );
    let _ = stdout().flush();
}

/// Puts the input side back at once, without waiting for a terminal that does not read.
pub(super) fn leave_input() {
    if IS_UP.load(Ordering::SeqCst) {
        let _ = disable_raw_mode();
    }
}

/// Remembers the terminal's title.
struct PushTitle;

impl Command for PushTitle {
    fn write_ansi(&self, f: &mut impl std::fmt::Write) -> std::fmt::Result {
        f.write_str("\u{1b}[22;2t")
    }
}

/// Puts the terminal's title back.
struct PopTitle;

impl Command for PopTitle {
    fn write_ansi(&self, f: &mut impl std::fmt::Write) -> std::fmt::Result {
        f.write_str("\u{1b}[23;2t")
    }
}
