//! The client of an attached terminal: shows here what the running program draws.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::order::MAX_ORDER_BYTES;
use crossterm::event::Event;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use thiserror::Error;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use zoea_tui::dashboard::action::TerminalAction;
use zoea_tui::dashboard::input_event::{Input, ctrl};
use zoea_tui::dashboard::view_choices::ViewChoices;

use super::frame::{CloseReason, Frame, ReceivedScreen};
use super::terminals::{AttachRequest, FrameAsked, InputBatch, Leaving, NOT_ATTACHED};
use crate::interface::control::client::{ControlClient, ControlError};
use zoea_tui::drawable::InputSink;
use zoea_tui::{PictureSlot, TerminalGuard, TerminalOptions, bounded_size};

/// The most inputs that wait for the service. Further ones are lost, as a terminal loses them.
const MAX_WAITING_KEYS: usize = 1024;
const MAX_KEYS_PER_CALL: usize = 256;
/// How often a call is sent when the service cannot be reached.
const MAX_TRIES: u32 = 3;
const RETRY_PAUSE: Duration = Duration::from_millis(150);
/// If the service has not taken input for this long, Ctrl-C detaches without its consent.
const DEAF_AFTER: Duration = Duration::from_secs(2);
const PARTING_TIMEOUT: Duration = Duration::from_secs(1);
/// So long after this process was continued a timeout is still one of the time in which it stood still.
const LATE_TIMEOUT: Duration = Duration::from_secs(5);

/// How an attachment ended, if the service took part in its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachExit {
    /// The operator or a signal ended the attachment. The service goes on.
    Left,
    Closing,
}

#[derive(Debug, Error)]
pub enum AttachError {
    #[error("{}", describe(.0))]
    Unanswered(ControlError),
    /// The program sends an answer that cannot be parsed.
    #[error("the running program's answer cannot be read: {0}; is it of another version?")]
    Unreadable(#[from] serde_json::Error),
    /// There is no terminal, or it refuses a mode.
    #[error("open the terminal: {0}")]
    NoTerminal(#[from] std::io::Error),
    /// The program gave up drawing.
    #[error("the running program could not draw the screen any more; its log says why")]
    Broken,
}

impl From<ControlError> for AttachError {
    fn from(error: ControlError) -> Self {
        AttachError::Unanswered(error)
    }
}

fn describe(error: &ControlError) -> String {
    match error {
        ControlError::Unreachable(_) => {
            "the running program is gone. What it had acknowledged is kept; \
             `zoea run --resume` starts it again"
                .to_string()
        }
        ControlError::Waiting(time) => format!(
            "the running program has not answered for {time:?}. What it had acknowledged is kept; look at its \
             log, and if it hangs, end it: `zoea run --resume` starts it again"
        ),
        ControlError::Stopped(_) | ControlError::Unstored(_) | ControlError::Refused(_) => {
            error.to_string()
        }
    }
}

/// Attaches this process' terminal until its operator leaves, `told_to_leave` is ready, or the
/// service ends. The terminal is put back as it was in every case.
pub async fn run_attached(
    client: &ControlClient,
    options: TerminalOptions,
    has_to_leave: impl Future<Output = ()>,
) -> Result<AttachExit, AttachError> {
    let size = bounded_size(crossterm::terminal::size()?);
    let mut opening = AttachRequest {
        size,
        appearance: options.appearance,
        depth: options.depth,
        keymap: options.keymap.clone(),
        choices: options.choices.clone(),
    };
    let mut terminal = attach(client, &opening).await?;
    let (keys, mut typed) = mpsc::channel(MAX_WAITING_KEYS);
    let keyboard = Arc::new(Keyboard {
        keys,
        taken_at: Mutex::new(None),
        resumed_at: Mutex::new(None),
        leave: CancellationToken::new(),
    });
    let received = ReceivedScreen::empty(size);
    let (slot, screen) = TerminalGuard::show(received.clone(), keyboard.clone(), options)?;
    let used = use_terminal(
        client,
        (&mut opening, &mut terminal),
        (&slot, received),
        (&mut typed, &keyboard),
    );
    // Cancel-safe: the first branch ends the attachment, and nothing of the others is needed then.
    let end = tokio::select! {
        end = used => end,
        () = keyboard.leave.cancelled() => Ok(AttachExit::Left),
        () = has_to_leave => Ok(AttachExit::Left),
    };
    let is_there = !matches!(
        end,
        Err(AttachError::Unanswered(
            ControlError::Unreachable(_) | ControlError::Waiting(_)
        )) | Ok(AttachExit::Closing)
    );
    if is_there {
        let leaving = Leaving { terminal };
        let parting = call::<Value>(client, "detach_terminal", &leaving);
        // A service that does not receive this detaches the terminal after `IDLE_TIMEOUT`.
        let _ = tokio::time::timeout(PARTING_TIMEOUT, parting).await;
    }
    match (screen.stop(), end) {
        // The terminal takes no word about its end, whatever that was.
        (false, _) => Ok(AttachExit::Left),
        (_, end) => end,
    }
}

async fn attach(client: &ControlClient, opening: &AttachRequest) -> Result<String, AttachError> {
    let attached: Value = call(client, "attach_terminal", opening).await?;
    Ok(attached["terminal"]
        .as_str()
        .unwrap_or_default()
        .to_string())
}

/// Shows the frames and sends the inputs until the attachment is over. A service forgets a terminal whose client stood
/// still, as after Ctrl-Z; then it is attached anew, with the views as the operator had chosen them.
async fn use_terminal(
    client: &ControlClient,
    (opening, terminal): (&mut AttachRequest, &mut String),
    (slot, received): (&PictureSlot<ReceivedScreen>, ReceivedScreen),
    (typed, keyboard): (&mut mpsc::Receiver<Input>, &Keyboard),
) -> Result<AttachExit, AttachError> {
    loop {
        let mut seen = 0;
        let frames = show_frames(
            client,
            terminal,
            (slot, received.clone()),
            (&mut opening.choices, &mut seen),
        );
        // Cancel-safe: an input that is under way is lost with the terminal that it was for.
        let end = tokio::select! {
            end = frames => end,
            fault = send_inputs(client, terminal, typed, keyboard) => Err(fault),
        };
        match end {
            // A terminal that never had a frame was not forgotten.
            Err(fault) if seen > 0 && keyboard.stood_still(&fault).await => {}
            end => return end,
        }
        if let Ok(size) = crossterm::terminal::size() {
            opening.size = bounded_size(size);
        }
        *terminal = attach(client, opening).await?;
        slot.perform(TerminalAction::Redraw);
    }
}

/// Shows the service's frames until one says that it is the last. Keeps the number of the last one, and what the
/// operator chose about the views.
async fn show_frames(
    client: &ControlClient,
    terminal: &str,
    (slot, mut received): (&PictureSlot<ReceivedScreen>, ReceivedScreen),
    (choices, seen): (&mut ViewChoices, &mut u64),
) -> Result<AttachExit, AttachError> {
    loop {
        let asked = FrameAsked {
            terminal: terminal.to_string(),
            seen: *seen,
        };
        let frame: Frame = call(client, "read_terminal", &asked).await?;
        *seen = frame.number;
        if let Some(change) = frame.change {
            received.apply_change(change);
            slot.put(Arc::new(received.clone()));
        }
        for act in frame.acts {
            if let TerminalAction::KeepChoices(chosen) = &act {
                *choices = chosen.clone();
            }
            slot.perform(act);
        }
        match frame.over {
            None => {}
            Some(CloseReason::Left) => return Ok(AttachExit::Left),
            Some(CloseReason::Closing) => return Ok(AttachExit::Closing),
            Some(CloseReason::Broken) => return Err(AttachError::Broken),
        }
    }
}

/// Sends the operator's input in order, each input once.
async fn send_inputs(
    client: &ControlClient,
    terminal: &str,
    typed: &mut mpsc::Receiver<Input>,
    keyboard: &Keyboard,
) -> AttachError {
    let mut first = 0;
    keyboard.is_waiting_since(None);
    loop {
        let inputs = next_inputs(typed).await;
        let count = inputs.len() as u64;
        let batch = InputBatch {
            terminal: terminal.to_string(),
            first,
            inputs,
        };
        keyboard.is_waiting_since(Some(Instant::now()));
        if let Err(fault) = call::<Value>(client, "use_terminal", &batch).await {
            // If the attachment is over, the last frame gives a better reason than this fault. It
            // gets time to arrive.
            tokio::time::sleep(PARTING_TIMEOUT).await;
            return fault;
        }
        keyboard.is_waiting_since(None);
        first += count;
    }
}

/// The next inputs for one call. Pasted texts may be long, so few other inputs go with them.
async fn next_inputs(typed: &mut mpsc::Receiver<Input>) -> Vec<Input> {
    let Some(first) = typed.recv().await else {
        // The terminal sends nothing any more. Another branch ends the attachment.
        return std::future::pending().await;
    };
    let mut inputs = vec![first];
    while inputs.len() < MAX_KEYS_PER_CALL
        && !matches!(inputs.last(), Some(Input::Event(Event::Paste(_))))
    {
        match typed.try_recv() {
            Ok(next) => inputs.push(next),
            Err(_) => break,
        }
    }
    inputs
}

/// Cuts a pasted text, but leaves it longer than an order may be, so that the service still refuses
/// it.
fn cut(mut text: String) -> String {
    let longest = text.floor_char_boundary(MAX_ORDER_BYTES + 4);
    text.truncate(longest);
    text
}

/// Calls a tool, and calls it again if the service could not be reached. The service may have
/// executed the lost call: frames and inputs are numbered, so the repetition changes nothing.
async fn call<T: DeserializeOwned>(
    client: &ControlClient,
    tool: &'static str,
    arguments: &impl Serialize,
) -> Result<T, AttachError> {
    let Value::Object(arguments) = json!(arguments) else {
        return Err(ControlError::Refused("these are not arguments".to_string()).into());
    };
    let mut tries = 0;
    loop {
        tries += 1;
        match client.call(tool, arguments.clone()).await {
            Err(ControlError::Unreachable(_)) if tries < MAX_TRIES => {
                tokio::time::sleep(RETRY_PAUSE).await;
            }
            called => return Ok(serde_json::from_value(called?)?),
        }
    }
}

/// The queue of the operator's input.
struct Keyboard {
    keys: mpsc::Sender<Input>,
    /// Since when the service has not taken the input that was sent.
    taken_at: Mutex<Option<Instant>>,
    /// When this process was continued last, after it had been stopped.
    resumed_at: Mutex<Option<Instant>>,
    /// Cancelled when the terminal is gone, or when the operator leaves a service that does not
    /// answer.
    leave: CancellationToken,
}

impl Keyboard {
    fn is_waiting_since(&self, since: Option<Instant>) {
        *self.taken_at.lock() = since;
    }

    /// Whether an attachment failed because this process stood still: the service has forgotten the terminal, or an
    /// answer counts as late here only.
    async fn stood_still(&self, fault: &AttachError) -> bool {
        let AttachError::Unanswered(fault) = fault else {
            return false;
        };
        match fault {
            ControlError::Refused(why) => why == NOT_ATTACHED,
            ControlError::Waiting(_) => {
                // The signal may be heard later than the timeout.
                tokio::time::sleep(RETRY_PAUSE).await;
                let resumed_at = *self.resumed_at.lock();
                resumed_at.is_some_and(|at| at.elapsed() < LATE_TIMEOUT)
            }
            ControlError::Unreachable(_) | ControlError::Stopped(_) | ControlError::Unstored(_) => {
                false
            }
        }
    }

    fn is_unresponsive(&self) -> bool {
        let since = *self.taken_at.lock();
        since.is_some_and(|since| since.elapsed() > DEAF_AFTER)
    }
}

impl InputSink for Keyboard {
    fn is_listening(&self) -> bool {
        true
    }

    fn input(&self, input: Input) {
        if input == Input::Resumed {
            *self.resumed_at.lock() = Some(Instant::now());
        }
        let is_gone = input == Input::Gone;
        let insists = input == ctrl('c').into() && self.is_unresponsive();
        if is_gone || insists {
            return self.leave.cancel();
        }
        let input = if let Input::Event(Event::Paste(text)) = input {
            Input::Event(Event::Paste(cut(text)))
        } else {
            input
        };
        // Input that does not fit is lost, as with any terminal.
        let _ = self.keys.try_send(input);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zoea_tui::dashboard::input_event::letter;

    #[tokio::test]
    async fn long_texts_go_one_by_one_and_no_longer_than_they_are_refused() {
        let long = "ü".repeat(MAX_ORDER_BYTES);
        let cut = cut(long);
        assert!((MAX_ORDER_BYTES + 1..=MAX_ORDER_BYTES + 4).contains(&cut.len()));
        let (keys, mut typed) = mpsc::channel(8);
        let key = Input::from(letter('b'));
        let paste = Input::Event(Event::Paste(cut));
        for input in [&key, &paste, &paste, &key, &key] {
            keys.try_send(input.clone()).unwrap();
        }
        let mut lengths = Vec::new();
        for _ in 0..3 {
            lengths.push(next_inputs(&mut typed).await.len());
        }
        assert_eq!(lengths, [2, 1, 2]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_stood_still_blames_no_service() {
        let (keys, _typed) = mpsc::channel(8);
        let keyboard = Keyboard {
            keys,
            taken_at: Mutex::new(None),
            resumed_at: Mutex::new(None),
            leave: CancellationToken::new(),
        };
        let late = AttachError::from(ControlError::Waiting(Duration::from_secs(30)));
        let refused = |why: &str| AttachError::from(ControlError::Refused(why.to_string()));
        assert!(!keyboard.stood_still(&late).await);
        assert!(!keyboard.stood_still(&refused("no")).await);
        assert!(keyboard.stood_still(&refused(NOT_ATTACHED)).await);
        keyboard.input(Input::Resumed);
        assert!(keyboard.stood_still(&late).await);
        tokio::time::advance(LATE_TIMEOUT).await;
        assert!(!keyboard.stood_still(&late).await);
    }
}
