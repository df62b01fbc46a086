//! The thread that owns the terminal's output.

use std::borrow::Cow;
use std::io::{self, BufWriter, Stdout, Write, stdout};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::dashboard::action::TerminalAction;
use crate::dashboard::appearance::MouseUse;
use crate::dashboard::history::InputHistory;
use crate::dashboard::input_event::Input;
use crate::dashboard::layout::bounded_size;
use crate::dashboard::text::width;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::Event;
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate, SetTitle};
use crossterm::{execute, queue};
use ratatui::backend::{Backend, ClearType, CrosstermBackend};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use zoea_text::clean::{clean_text, one_line};

use crate::drawable::{Drawable, InputSink};
use crate::slot::{DrawJob, PictureSlot};
use crate::suspend::JobControl;
use crate::{TerminalOptions, acts, editor, modes};

/// The number of consecutive pictures that may fail before the thread gives up.
const MAX_FAILED_FRAMES: u32 = 20;

pub(super) struct Canvas {
    backend: CrosstermBackend<BufWriter<Stdout>>,
    means: DrawContext,
    /// The mouse mode that the terminal was told last; `None` when it is unknown.
    mouse: Option<MouseUse>,
    shown: Buffer,
    /// The cells that it shall show next. The buffer is kept to reuse its memory.
    next: Buffer,
    title: String,
    broken: u32,
}

pub(super) struct DrawContext {
    pub(super) options: TerminalOptions,
    pub(super) input_sink: Arc<dyn InputSink>,
    pub(super) background: JobControl,
}

/// Draws until the slot ends, then puts the terminal back as it was, and keeps what was written and not sent.
pub(super) fn run<P: Drawable>(slot: &PictureSlot<P>, means: DrawContext) {
    let mut canvas = Canvas {
        backend: CrosstermBackend::new(BufWriter::with_capacity(1 << 16, stdout())),
        means,
        mouse: None,
        shown: Buffer::empty(Rect::ZERO),
        next: Buffer::empty(Rect::ZERO),
        title: String::new(),
        broken: 0,
    };
    loop {
        let done = match slot.wait() {
            DrawJob::Show(picture) => canvas.show(&*picture),
            DrawJob::TerminalAction(act) => canvas.act(&act, slot),
            DrawJob::End => break,
        };
        if let Err(error) = done {
            tracing::error!(%error, "failed to draw");
            canvas.means.input_sink.input(Input::Gone);
            break;
        }
    }
    modes::leave();
    for text in slot.newest().unsent() {
        let mut history = InputHistory::default();
        history.add(&text);
        (canvas.means.options.keep_history)(&history);
    }
}

/// Removes control sequences from the cells. A picture may come from another process, and no cell
/// of it may reach the terminal as a command.
fn sanitise_cells(picture: &mut Buffer) {
    for cell in &mut picture.content {
        let symbol = cell.symbol();
        let is_plain = symbol.is_ascii() && !symbol.bytes().any(|byte| byte.is_ascii_control());
        if !is_plain
            && let Cow::Owned(clean) = clean_text(symbol)
            && clean != symbol
        {
            cell.set_symbol(if clean.is_empty() { " " } else { &clean });
        }
    }
}

/// Blanks for the cells of symbols that take two columns. A terminal that does not know such a symbol draws it in one
/// column or in none, and what stood there before would stay beside it. The next symbol is placed anew in any case.
fn blanks_below_wide<'a>(
    changed: impl Iterator<Item = (u16, u16, &'a Cell)>,
) -> Vec<(u16, u16, Cell)> {
    let mut blanks = Vec::new();
    for (x, y, cell) in changed {
        if !cell.symbol().is_ascii() && width::of(cell.symbol()) == 2 {
            let mut blank = cell.clone();
            blank.set_symbol(" ");
            blanks.extend([(x, y, blank.clone()), (x + 1, y, blank)]);
        }
    }
    blanks
}

impl Canvas {
    fn show(&mut self, picture: &impl Drawable) -> io::Result<()> {
        let (width, height) = picture.size();
        let area = Rect::new(0, 0, width, height);
        self.next.resize(area);
        let painted = catch_unwind(AssertUnwindSafe(|| {
            picture.paint_into(self.means.options.depth, &mut self.next)
        }));
        let Ok(cursor) = painted else {
            return self.could_not_paint();
        };
        self.broken = 0;
        sanitise_cells(&mut self.next);
        self.flush_frame(area, cursor)?;
        self.put_title(picture)?;
        self.put_mouse(picture)?;
        // crossterm would open the terminal anew for each picture.
        if let Ok(size) = rustix::termios::tcgetwinsize(stdout())
            && size.ws_col > 0
            && let (columns, rows) = bounded_size((size.ws_col, size.ws_row))
            && (columns, rows) != (width, height)
        {
            let resized = Event::Resize(columns, rows);
            self.means.input_sink.input(Input::Event(resized));
        }
        Ok(())
    }

    /// Skips one picture. Too many failures in a row end the thread, because the screen would stay
    /// frozen.
    fn could_not_paint(&mut self) -> io::Result<()> {
        self.broken += 1;
        self.next = Buffer::empty(Rect::ZERO);
        if self.broken > MAX_FAILED_FRAMES {
            return Err(io::Error::other("no picture could be painted any more"));
        }
        Ok(())
    }

    fn flush_frame(&mut self, area: Rect, cursor: Option<(u16, u16)>) -> io::Result<()> {
        // A picture is one write: the backend's own way to hide the cursor would be another.
        queue!(self.backend, BeginSynchronizedUpdate, Hide)?;
        if self.shown.area != area {
            self.backend.clear_region(ClearType::All)?;
            self.shown = Buffer::empty(area);
        }
        let changed: Vec<_> = self.shown.diff_iter(&self.next).collect();
        let blanks = blanks_below_wide(changed.iter().copied());
        if !blanks.is_empty() {
            let blanks = blanks.iter().map(|(x, y, blank)| (*x, *y, blank));
            self.backend.draw(blanks)?;
        }
        self.backend.draw(changed.into_iter())?;
        if let Some((x, y)) = cursor {
            queue!(self.backend, MoveTo(x, y), Show)?;
        }
        queue!(self.backend, EndSynchronizedUpdate)?;
        Write::flush(&mut self.backend)?;
        std::mem::swap(&mut self.shown, &mut self.next);
        Ok(())
    }

    fn put_title(&mut self, picture: &impl Drawable) -> io::Result<()> {
        let title = one_line(&picture.title());
        if title != self.title {
            execute!(self.backend, SetTitle(&title))?;
            self.title = title;
        }
        Ok(())
    }

    fn put_mouse(&mut self, picture: &impl Drawable) -> io::Result<()> {
        let mouse = picture.mouse();
        if self.mouse != Some(mouse) {
            modes::give_mouse(mouse)?;
            self.mouse = Some(mouse);
        }
        Ok(())
    }

    fn act<P: Drawable>(&mut self, act: &TerminalAction, slot: &PictureSlot<P>) -> io::Result<()> {
        match act {
            TerminalAction::Suspend => {
                if let Err(why) = self.means.background.suspend_process() {
                    self.report_result(Err(why));
                }
                self.reset_terminal_state(slot);
            }
            TerminalAction::Redraw => {
                modes::renew()?;
                self.reset_terminal_state(slot);
            }
            TerminalAction::Copy(text) => {
                if let Err(why) = acts::copy(&mut self.backend, text) {
                    self.report_result(Err(why));
                }
            }
            TerminalAction::Bell => acts::bell(&mut self.backend)?,
            TerminalAction::Notify(text) => acts::notify(&mut self.backend, text)?,
            TerminalAction::Dump => {
                let written = acts::write_dump(
                    &self.means.options.dumps,
                    &slot.newest().file_name(),
                    &self.shown,
                );
                self.report_result(written);
            }
            TerminalAction::Write { name, text } => {
                let written = acts::write_out(&self.means.options.dumps, name, text);
                self.report_result(written);
            }
            TerminalAction::Edit(text) => {
                let edited = editor::edit(&self.means.options.dumps, text, slot);
                self.reset_terminal_state(slot);
                self.means.input_sink.input(Input::Edited(edited));
            }
            TerminalAction::KeepHistory(history) => (self.means.options.keep_history)(history),
            TerminalAction::KeepChoices(choices) => (self.means.options.keep_choices)(choices),
        }
        Ok(())
    }

    fn report_result(&self, result: Result<String, String>) {
        self.means.input_sink.input(Input::Performed(result));
    }

    /// Forgets what the terminal shows, so that the next picture is drawn completely.
    fn reset_terminal_state<P>(&mut self, slot: &PictureSlot<P>) {
        self.shown = Buffer::empty(Rect::ZERO);
        self.title.clear();
        self.mouse = None;
        slot.again();
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Style;

    use super::*;

    #[test]
    fn nothing_of_before_stays_below_a_wide_symbol() {
        let area = Rect::new(0, 0, 8, 1);
        let (mut before, mut next) = (Buffer::empty(area), Buffer::empty(area));
        before.set_string(0, 0, "credits", Style::default());
        next.set_string(0, 0, "a\u{1fabf}é 漢", Style::default());
        let blanks = blanks_below_wide(before.diff_iter(&next));
        let places: Vec<(u16, &str)> = blanks
            .iter()
            .map(|(x, _, cell)| (*x, cell.symbol()))
            .collect();
        assert_eq!(places, [(1, " "), (2, " "), (5, " "), (6, " ")]);
        // What stands there already is not drawn again.
        assert!(blanks_below_wide(next.diff_iter(&next)).is_empty());
    }
}
