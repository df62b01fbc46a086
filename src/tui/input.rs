//! The thread that reads the terminal's input.

use std::time::Duration;

use crate::dashboard::input_event::Input;
use crossterm::event;

use crate::drawable::InputSink;
use crate::slot::PictureSlot;

/// How often the thread checks whether it has to end.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// How often the thread checks whether somebody receives input.
const SINK_CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// Reads until the slot ends or the terminal is gone.
pub(super) fn run<P>(slot: &PictureSlot<P>, ear: &dyn InputSink) {
    while !slot.is_over() {
        if !ear.is_listening() {
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
                    ear.input(input);
                }
            }
            Err(error) => {
                tracing::error!(%error, "failed to read the terminal");
                return ear.input(Input::Gone);
            }
        }
    }
}
