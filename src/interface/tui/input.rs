//! The threads that read the terminal's input and watch whether the terminal is still there.

use std::time::Duration;

use crate::dashboard::input_event::Input;
use crossterm::event;
use zoea_system::terminal;

use crate::drawable::InputSink;
use crate::slot::PictureSlot;

/// How often the thread checks whether it has to end. Crossterm waits for whole milliseconds, and spins for the
/// rest of the last one, so it is a little more than the milliseconds that it is to wait for.
const POLL_INTERVAL: Duration = Duration::from_micros(250_050);

/// How often it is checked whether the terminal is still there.
const HANG_UP_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// How often the thread checks whether somebody receives input.
const SINK_CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// Reads until the slot ends or the terminal is gone.
pub(super) fn run<P>(slot: &PictureSlot<P>, input_sink: &dyn InputSink) {
    while !slot.is_over() {
        slot.rest_while_lent();
        if !input_sink.is_listening() {
            // The terminal keeps what is typed until somebody receives input.
            std::thread::park_timeout(SINK_CHECK_INTERVAL);
            continue;
        }
        let event = match event::poll(POLL_INTERVAL) {
            Ok(false) => continue,
            Ok(true) => event::read(),
            Err(error) => Err(error),
        };
        match event {
            Ok(event) => {
                if let Some(input) = Input::from_event(event) {
                    input_sink.input(input);
                }
            }
            Err(error) => {
                tracing::error!(%error, "failed to read the terminal");
                return input_sink.input(Input::Gone);
            }
        }
    }
}

/// Watches whether the terminal goes away. The thread that reads it cannot tell: crossterm reads a
/// terminal that hung up again and again and returns nothing. The signal SIGHUP may be missing, such
/// as in a session that does not control the terminal.
pub(super) fn watch_for_hang_up<P>(slot: &PictureSlot<P>, input_sink: &dyn InputSink) {
    while !slot.is_over() {
        if terminal::is_gone() && input_sink.is_listening() {
            tracing::error!("the terminal is gone");
            return input_sink.input(Input::Gone);
        }
        std::thread::park_timeout(HANG_UP_CHECK_INTERVAL);
    }
}
