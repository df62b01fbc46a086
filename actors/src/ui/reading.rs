//! Reading: questions to the store, asked in tasks of their own.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;
use ractor::ActorRef;

use crate::domain::dashboard::transcript::pages::Stamp;
use crate::domain::reading::Page;

use super::{UiMsg, UiState};

/// The longest a question to the store may take.
const PATIENCE: Duration = Duration::from_secs(30);

impl UiState {
    /// Reads a piece of a conversation.
    pub(super) fn load(&mut self, myself: &ActorRef<UiMsg>, stamp: Stamp, page: Page) {
        let read = AssertUnwindSafe(self.archive.page(page)).catch_unwind();
        let ui = myself.clone();
        self.jobs.spawn(async move {
            let answer = match tokio::time::timeout(PATIENCE, read).await {
                Ok(Ok(answer)) => answer.map_err(|fault| fault.to_string()),
                Ok(Err(_)) => Err("the store panicked".to_string()),
                Err(_) => Err("the store does not answer".to_string()),
            };
            // A Ui that is gone has no use for it.
            let _ = ui.cast(UiMsg::Paged(stamp, answer));
        });
    }
}
