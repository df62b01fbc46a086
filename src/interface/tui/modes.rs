//! The terminal's modes while the screen is up, and how they are put back.

use parking_lot::Mutex;
use std::io::{self, Write, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::dashboard::appearance::MouseUse;
use crossterm::cursor::{Hide, Show};
use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste,
    EnableFocusChange,
};
use crossterm::execute;
use crossterm::style::{Print, ResetColor};
use crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

/// Whether there is anything to put back. It is global because there is one terminal and a panic on
/// any thread may have to put it back.
static IS_UP: AtomicBool = AtomicBool::new(false);

/// Whether the terminal is lent to another program. It is global as `IS_UP` is, since the handler of signals reads it.
static LENDING: Mutex<Lending> = Mutex::new(Lending::Never);

/// How long a signal of a key in the other program may take to be heard here.
const LATE_SIGNAL_TIME: Duration = Duration::from_millis(500);

/// Asks for the buttons and the wheel, and for nothing of a mouse that only moves.
const CAPTURE_MOUSE: &str = "\u{1b}[?1000h\u{1b}[?1006h";
const PUSH_TITLE: &str = "\u{1b}[22;2t";
const POP_TITLE: &str = "\u{1b}[23;2t";

#[derive(Clone, Copy)]
enum Lending {
    Never,
    Lent,
    Back(Instant),
}

/// Takes the terminal over.
pub(super) fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    IS_UP.store(true, Ordering::SeqCst);
    execute!(
        stdout(),
        Print(PUSH_TITLE),
        EnterAlternateScreen,
        EnableBracketedPaste,
        EnableFocusChange,
        Hide
    )
}

/// Lets the program or the terminal handle the mouse.
pub(super) fn give_mouse(to: MouseUse) -> io::Result<()> {
    match to {
        MouseUse::Ours => execute!(stdout(), Print(CAPTURE_MOUSE)),
        MouseUse::Terminals => execute!(stdout(), DisableMouseCapture),
    }
}

/// Sets all modes again, because another program may have used the terminal meanwhile.
pub(super) fn renew() -> io::Result<()> {
    disable_raw_mode()?;
    enter()
}

/// Puts the terminal back as it was. A second call does nothing.
pub(super) fn leave() {
    if !IS_UP.swap(false, Ordering::SeqCst) {
        return;
    }
    // Errors are ignored: a terminal that is gone needs no restoring.
    let _ = disable_raw_mode();
    let _ = execute!(
        stdout(),
        DisableMouseCapture,
        DisableFocusChange,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        ResetColor,
        Show,
        Print(POP_TITLE)
    );
    let _ = stdout().flush();
}

/// Puts the terminal back for another program.
pub(super) fn lend() {
    *LENDING.lock() = Lending::Lent;
    leave();
}

/// Takes the terminal over again.
pub(super) fn take_back() -> io::Result<()> {
    *LENDING.lock() = Lending::Back(Instant::now());
    enter()
}

/// Whether another program has the terminal, or had it a moment ago. Signals of its keys are for that one.
pub fn is_lent() -> bool {
    match *LENDING.lock() {
        Lending::Never => false,
        Lending::Lent => true,
        Lending::Back(at) => at.elapsed() < LATE_SIGNAL_TIME,
    }
}

/// Restores the input side at once, without waiting for a terminal that no longer reads.
pub(super) fn leave_input() {
    if IS_UP.load(Ordering::SeqCst) {
        let _ = disable_raw_mode();
    }
}
