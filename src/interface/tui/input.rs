//! The threads that read the terminal's input and watch whether the terminal is still there.

use std::time::Duration;

use crate::dashboard::input_event::{Input, ctrl};
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyModifiers};
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

/// How long an answer of the terminal may pause before it counts as ended.
const ANSWER_GAP: Duration = Duration::from_millis(50);

/// Drops what a terminal answers to a question of another program, which may have left since, such as its colour:
/// `ESC ]11;rgb:1d1d/2b2b/3d3d BEL`. Crossterm takes the beginning for a key with Alt, and the rest for letters, which
/// would be orders.
#[derive(Default)]
struct AnswerFilter {
    is_inside: bool,
}

impl AnswerFilter {
    /// Whether an event is a key of the operator, or no key. A key that begins an answer has the rest of it right
    /// behind it: `has_more` waits for that.
    fn lets_pass(&mut self, event: &Event, has_more: impl FnOnce() -> bool) -> bool {
        let Event::Key(press) = event else {
            return true;
        };
        if self.is_inside {
            self.is_inside = !ends_answer(*press);
            return false;
        }
        self.is_inside = begins_answer(*press) && has_more();
        !self.is_inside
    }
}

/// Whether it is `ESC ]`, `ESC P`, `ESC _`, `ESC ^` or `ESC X`.
fn begins_answer(press: KeyEvent) -> bool {
    let is_introducer = matches!(press.code, KeyCode::Char(']' | 'P' | '_' | '^' | 'X'));
    is_introducer && press.modifiers.contains(KeyModifiers::ALT)
}

/// Whether it is the control letter BEL, or `ESC \`.
fn ends_answer(press: KeyEvent) -> bool {
    let string_end = KeyEvent::new(KeyCode::Char('\\'), KeyModifiers::ALT);
    press == ctrl('g') || press == string_end
}

/// Reads until the slot ends or the terminal is gone.
pub(super) fn run<P>(slot: &PictureSlot<P>, input_sink: &dyn InputSink) {
    let mut answers = AnswerFilter::default();
    while !slot.is_over() {
        slot.rest_while_lent();
        if !input_sink.is_listening() {
            // The terminal keeps what is typed until somebody receives input.
            std::thread::park_timeout(SINK_CHECK_INTERVAL);
            continue;
        }
        let patience = match answers.is_inside {
            true => ANSWER_GAP,
            false => POLL_INTERVAL,
        };
        let event = match event::poll(patience) {
            Ok(false) => {
                answers.is_inside = false;
                continue;
            }
            Ok(true) => event::read(),
            Err(error) => Err(error),
        };
        match event {
            Ok(event) => {
                // Without any patience crossterm looks at nothing.
                let has_more = || event::poll(ANSWER_GAP).unwrap_or(false);
                if answers.lets_pass(&event, has_more)
                    && let Some(input) = Input::from_event(event)
                {
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

#[cfg(test)]
mod tests {
    use crate::dashboard::input_event::letter;

    use super::*;

    fn alt(letter: char) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(letter), KeyModifiers::ALT)
    }

    /// The letters that pass. All keys come at once, and then nothing for a while.
    fn passing(keys: &[KeyEvent]) -> String {
        let mut answers = AnswerFilter::default();
        let mut passing = String::new();
        for (place, press) in keys.iter().enumerate() {
            let has_more = || place + 1 < keys.len();
            if answers.lets_pass(&Event::Key(*press), has_more) {
                passing.extend(press.code.as_char());
            }
        }
        passing
    }

    fn keys_of(begin: char, text: &str, end: KeyEvent) -> Vec<KeyEvent> {
        let text = text.chars().map(letter);
        [alt(begin)].into_iter().chain(text).chain([end]).collect()
    }

    #[test]
    fn what_a_terminal_answers_gives_no_orders() {
        let colour = keys_of(']', "11;rgb:1d1d/2b2b/3d3d", ctrl('g'));
        let version = keys_of('P', ">|XTerm(390)", alt('\\'));
        let typed = [letter('r')];
        assert_eq!(passing(&[&colour[..], &version, &typed].concat()), "r");
        // The operator's own key has nothing behind it.
        assert_eq!(passing(&[letter('j'), alt(']')]), "j]");
    }

    #[test]
    fn what_is_no_key_passes_within_an_answer() {
        let mut answers = AnswerFilter::default();
        assert!(!answers.lets_pass(&Event::Key(alt(']')), || true));
        assert!(answers.lets_pass(&Event::Resize(80, 24), || true));
        assert!(!answers.lets_pass(&Event::Key(letter('g')), || true));
    }
}
