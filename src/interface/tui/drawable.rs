//! What a terminal shows, and where its input goes. Both may belong to a swarm of this process, or
//! to one behind the control interface of another process.

use crate::dashboard::Dashboard;
use crate::dashboard::appearance::MouseUse;
use crate::dashboard::input_event::Input;
use actors::ui::UiHandle;
use ratatui::buffer::Buffer;

use crate::screen::send_input;
use crate::theme::Depth;
use crate::view;

pub trait Drawable: Send + Sync + 'static {
    /// The size in columns and rows.
    fn size(&self) -> (u16, u16);

    /// Draws itself into an existing buffer. Returns the position of the cursor, if it is visible.
    fn paint_into(&self, depth: Depth, buffer: &mut Buffer) -> Option<(u16, u16)>;

    fn title(&self) -> String;

    /// Whether the program or the terminal handles the mouse.
    fn mouse(&self) -> MouseUse;

    /// The name of a screen dump's file, without its extension.
    fn file_name(&self) -> String;

    /// What was written and not sent, to be kept when the screen ends.
    fn unsent(&self) -> Vec<String>;
}

impl Drawable for Dashboard {
    fn size(&self) -> (u16, u16) {
        self.facts().size
    }

    fn paint_into(&self, depth: Depth, buffer: &mut Buffer) -> Option<(u16, u16)> {
        view::paint_into(self, depth, buffer)
    }

    fn title(&self) -> String {
        Dashboard::title(self)
    }

    fn mouse(&self) -> MouseUse {
        self.facts().appearance.mouse
    }

    fn file_name(&self) -> String {
        let offset = self.facts().appearance.offset;
        let (day, clock) = (offset.day(self.facts().now), offset.clock(self.facts().now));
        format!("screen-{day}-{}", clock.replace(':', ""))
    }

    fn unsent(&self) -> Vec<String> {
        Dashboard::unsent(self)
    }
}

/// The receiver of the operator's input. No method blocks.
pub trait InputSink: Send + Sync + 'static {
    fn is_listening(&self) -> bool;

    fn input(&self, input: Input);
}

impl InputSink for UiHandle {
    fn is_listening(&self) -> bool {
        UiHandle::has_receiver(self)
    }

    fn input(&self, input: Input) {
        send_input(self, input);
    }
}
