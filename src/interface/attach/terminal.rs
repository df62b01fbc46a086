//! One attached terminal, as the service knows it.

use parking_lot::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use actors::ui::UiHandle;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use zoea_tui::dashboard::action::TerminalAction;
use zoea_tui::dashboard::input_event::Input;

use super::frame::{Change, CloseReason, Frame};
use super::remote_screen::RemoteScreen;
use zoea_tui::bounded_size;
use zoea_tui::drawable::Drawable;
use zoea_tui::screen::send_input;
use zoea_tui::theme::Depth;

/// How long a request for a frame waits for something new.
const FRAME_TIMEOUT: Duration = Duration::from_secs(10);
/// The number of consecutive pictures that may fail before the attachment ends.
const MAX_FAILED_FRAMES: u32 = 20;

pub(super) struct AttachedTerminal {
    pub(super) pane: Arc<RemoteScreen>,
    pub(super) ui: UiHandle,
    /// Cancelled when the operator quits there, or when the client no longer asks.
    pub(super) quit: CancellationToken,
    pub(super) depth: Depth,
    drawn: tokio::sync::Mutex<FrameState>,
    received: Mutex<u64>,
    asked_at: Mutex<Instant>,
}

/// What the terminal shows, as far as the service knows.
struct FrameState {
    number: u64,
    shown: Buffer,
    /// The buffer is kept to reuse its memory.
    next: Buffer,
    /// The actions of the last frame. They are sent again if that frame got lost.
    acts: Vec<TerminalAction>,
    broken: u32,
}

impl AttachedTerminal {
    pub(super) fn new(
        pane: Arc<RemoteScreen>,
        ui: UiHandle,
        quit: CancellationToken,
        depth: Depth,
    ) -> AttachedTerminal {
        AttachedTerminal {
            pane,
            ui,
            quit,
            depth,
            drawn: tokio::sync::Mutex::new(FrameState {
                number: 0,
                shown: Buffer::empty(Rect::ZERO),
                next: Buffer::empty(Rect::ZERO),
                acts: Vec::new(),
                broken: 0,
            }),
            received: Mutex::new(0),
            asked_at: Mutex::new(Instant::now()),
        }
    }

    /// The time since the client last asked for a frame.
    pub(super) fn idle_time(&self) -> Duration {
        self.asked_at.lock().elapsed()
    }

    /// Passes inputs on to the Ui actor, once there is one. The first one has the number `first`, counted from
    /// 0. Inputs that came before are skipped. Returns how many inputs have come in all.
    pub(super) async fn accept_inputs(
        &self,
        first: u64,
        inputs: Vec<Input>,
    ) -> Result<u64, String> {
        let received = tokio::time::timeout(FRAME_TIMEOUT, self.ui.until_received());
        // Cancel-safe: nothing is taken yet.
        tokio::select! {
            received = received => received.map_err(|_| "the screen does not begin".to_string())?,
            () = self.quit.cancelled() => {}
        }
        let mut received = self.received.lock();
        for (number, input) in (first..).zip(inputs) {
            if number >= *received {
                send_input(&self.ui, input);
                *received = number + 1;
            }
        }
        Ok(*received)
    }

    /// Returns the next frame, once something is new or `FRAME_TIMEOUT` is over. `seen` is the last
    /// frame that the client shows, or 0 for none. If it is not the last one that was sent, that
    /// frame got lost, and a whole picture follows.
    pub(super) async fn next_frame(&self, seen: u64, closing: &CancellationToken) -> Frame {
        let mut drawn = self.drawn.lock().await;
        *self.asked_at.lock() = Instant::now();
        if seen != 0 && seen == drawn.number {
            drawn.acts.clear();
        } else {
            drawn.shown = Buffer::empty(Rect::ZERO);
            self.pane.mark_new();
        }
        // Cancel-safe: an update stays until it is taken.
        tokio::select! {
            () = self.pane.wait_for_update() => {}
            () = self.quit.cancelled() => {}
            () = closing.cancelled() => {}
            () = tokio::time::sleep(FRAME_TIMEOUT) => {}
        }
        let (picture, acts) = self.pane.take();
        drawn.acts.extend(acts);
        let change = picture.and_then(|picture| self.paint(&mut drawn, &*picture));
        drawn.number = drawn.number.max(seen) + 1;
        *self.asked_at.lock() = Instant::now();
        Frame {
            number: drawn.number,
            change,
            acts: drawn.acts.to_vec(),
            over: self.close_reason(&drawn, closing),
        }
    }

    fn close_reason(&self, drawn: &FrameState, closing: &CancellationToken) -> Option<CloseReason> {
        if drawn.broken > MAX_FAILED_FRAMES {
            return Some(CloseReason::Broken);
        }
        if self.quit.is_cancelled() {
            return Some(CloseReason::Left);
        }
        closing.is_cancelled().then_some(CloseReason::Closing)
    }

    /// Draws a picture. Returns `None` if drawing fails.
    fn paint(&self, drawn: &mut FrameState, picture: &impl Drawable) -> Option<Change> {
        let (width, height) = bounded_size(picture.size());
        let area = Rect::new(0, 0, width, height);
        drawn.next.resize(area);
        let painted = catch_unwind(AssertUnwindSafe(|| {
            picture.paint_into(self.depth, &mut drawn.next)
        }));
        let Ok(cursor) = painted else {
            drawn.broken += 1;
            drawn.next = Buffer::empty(Rect::ZERO);
            return None;
        };
        drawn.broken = 0;
        let mut change = Change::between(&drawn.shown, &drawn.next, picture);
        change.cursor = cursor;
        std::mem::swap(&mut drawn.shown, &mut drawn.next);
        Some(change)
    }
}

#[cfg(test)]
mod tests {
    use actors::ui::{self, UiAddress, UiMsg};
    use ractor::{Actor, ActorProcessingErr, ActorRef};
    use tokio::sync::mpsc;
    use zoea_tui::Display;
    use zoea_tui::dashboard::input_event::letter;
    use zoea_tui::dashboard::{Dashboard, DashboardOptions};

    use super::*;

    /// Reports the inputs that it receives.
    struct Probe;

    impl Actor for Probe {
        type Msg = UiMsg;
        type State = mpsc::UnboundedSender<Input>;
        type Arguments = mpsc::UnboundedSender<Input>;

        async fn pre_start(
            &self,
            _myself: ActorRef<UiMsg>,
            sender: Self::Arguments,
        ) -> Result<Self::State, ActorProcessingErr> {
            Ok(sender)
        }

        async fn handle(
            &self,
            _myself: ActorRef<UiMsg>,
            message: UiMsg,
            sender: &mut Self::State,
        ) -> Result<(), ActorProcessingErr> {
            if let UiMsg::Input(input) = message {
                sender.send(input.into_inner().ok_or("an input of ours")?)?;
            }
            Ok(())
        }
    }

    fn attached() -> (UiAddress, AttachedTerminal) {
        let first = Dashboard::new(DashboardOptions {
            size: (30, 3),
            ..DashboardOptions::default()
        });
        let (address, ui) = ui::new_address();
        let pane = Arc::new(RemoteScreen::new(first.into_attached()));
        let attached = AttachedTerminal::new(pane, ui, CancellationToken::new(), Depth::True);
        (address, attached)
    }

    #[tokio::test(start_paused = true)]
    async fn a_frame_that_got_lost_is_followed_by_a_whole_picture_and_its_acts() {
        let (_address, attached) = attached();
        let open = CancellationToken::new();
        let first = attached.next_frame(0, &open).await;
        assert!(first.change.is_some_and(|change| change.is_whole));
        attached.pane.perform_action(TerminalAction::Bell);
        let lost = attached.next_frame(first.number, &open).await;
        assert_eq!((lost.change, lost.acts), (None, vec![TerminalAction::Bell]));
        let again = attached.next_frame(first.number, &open).await;
        assert!(again.change.is_some_and(|change| change.is_whole));
        assert_eq!(again.acts, [TerminalAction::Bell]);
        let began = Instant::now();
        let nothing = attached.next_frame(again.number, &open).await;
        assert_eq!((nothing.change, nothing.acts), (None, Vec::new()));
        assert_eq!(began.elapsed(), FRAME_TIMEOUT, "it waits for something new");
        open.cancel();
        let last = attached.next_frame(nothing.number, &open).await;
        assert_eq!(last.over, Some(CloseReason::Closing));
        attached.quit.cancel();
        let last = attached.next_frame(last.number, &open).await;
        assert_eq!(last.over, Some(CloseReason::Left));
    }

    fn keys(letters: &str) -> Vec<Input> {
        letters.chars().map(|it| letter(it).into()).collect()
    }

    #[tokio::test]
    async fn what_is_typed_before_the_screen_is_there_waits_for_it() {
        let (address, attached) = attached();
        let (sender, mut inputs) = mpsc::unbounded_channel();
        let (probe, _ended) = Actor::spawn(None, Probe, sender).await.unwrap();
        let typed = attached.accept_inputs(0, keys("q"));
        let begins = async { address.send_replace(Some(probe.clone())) };
        // The keys are asked for first.
        let (typed, _) = tokio::join!(typed, begins);
        assert_eq!(typed, Ok(1));
        assert_eq!(inputs.recv().await, keys("q").pop());
    }

    #[tokio::test(start_paused = true)]
    async fn a_screen_that_never_begins_is_told_and_nothing_counts_as_heard() {
        let (_address, attached) = attached();
        assert!(attached.accept_inputs(0, keys("q")).await.is_err());
        attached.quit.cancel();
        assert_eq!(attached.accept_inputs(0, Vec::new()).await, Ok(0));
    }

    #[tokio::test]
    async fn what_is_sent_again_is_heard_once() {
        let (address, attached) = attached();
        let (sender, mut inputs) = mpsc::unbounded_channel();
        let (probe, ended) = Actor::spawn(None, Probe, sender).await.unwrap();
        address.send_replace(Some(probe.clone()));
        assert_eq!(attached.accept_inputs(0, keys("ab")).await, Ok(2));
        assert_eq!(attached.accept_inputs(0, keys("ab")).await, Ok(2));
        assert_eq!(attached.accept_inputs(1, keys("bcd")).await, Ok(4));
        probe.drain().unwrap();
        ended.await.unwrap();
        let mut all = Vec::new();
        while let Some(input) = inputs.recv().await {
            all.push(input);
        }
        assert_eq!(all, keys("abcd"));
    }
}
