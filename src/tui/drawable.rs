//! What a terminal shows, and whom it tells what the operator does: a swarm of this process, or one
//! behind the control interface of another.

use crate::dashboard::Dashboard;
use crate::dashboard::appearance::MouseUse;
use crate::dashboard::input_event::Input;
use actors::ui::UiHandle;
use ratatui::buffer::Buffer;

use crate::screen::send_input;
use crate::theme::Depth;
use crate::view;

/// Something that can be put on a screen.
pub trait Drawable: Send + Sync + 'static {
    /// Its columns and rows.
    fn size(&self) -> (u16, u16);

    /// Paints it into cells that are there; where the cursor is to stand.
    fn paint_into(&self, depth: Depth, buffer: &mut Buffer) -> Option<(u16, u16)>;

    /// What the terminal's title says.
    fn title(&self) -> String;

    /// Who has the mouse.
    fn mouse(&self) -> MouseUse;

    /// What a file with this picture is called, without its ending.
    fn file_name(&self) -> String;
}

impl Drawable for Dashboard {
    fn size(&self) -> (u16, u16) {
        Dashboard::size(self)
    }

    fn paint_into(&self, depth: Depth, buffer: &mut Buffer) -> Option<(u16, u16)> {
        view::paint_into(self, depth, buffer)
    }

    fn title(&self) -> String {
        Dashboard::title(self)
    }

    fn mouse(&self) -> MouseUse {
        self.appearance().mouse
    }

    fn file_name(&self) -> String {
        let offset = self.appearance().offset;
        let (day, clock) = (offset.day(self.now()), offset.clock(self.now()));
        format!("screen-{day}-{}", clock.replace(':', ""))
    }
}

/// Who hears what the operator does. None of this waits.
pub trait InputSink: Send + Sync + 'static {
    /// Whether anybody would hear it now.
    fn is_listening(&self) -> bool;

    /// Passes on what the operator did.
    fn input(&self, input: Input);
}

impl InputSink for UiHandle {
    fn is_listening(&self) -> bool {
        UiHandle::is_heard(self)
    }

    fn input(&self, input: Input) {
        send_input(self, input);
    }
}
