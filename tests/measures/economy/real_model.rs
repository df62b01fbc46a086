//! A real model in the place of the simulated player.

use std::sync::Arc;

use actors::domain::model::{ModelAnswer, ModelFault, ModelRequest};
use actors::ports::{AnswerMeter, Models};
use tokio::runtime::Handle;

/// A real model, and the runtime of the real clock in which it is asked. The simulated clock stands while it
/// thinks, so a slow machine changes nothing in the game.
#[derive(Clone)]
pub struct RealModel {
    /// Asks it.
    pub models: Arc<dyn Models>,
    /// Where it is asked.
    pub runtime: Handle,
}

impl RealModel {
    pub(super) async fn ask(
        &self,
        request: ModelRequest,
        meter: AnswerMeter,
    ) -> Result<ModelAnswer, ModelFault> {
        let RealModel { models, runtime } = self.clone();
        // The paused clock does not go on by itself while a task of this kind runs.
        let asked =
            tokio::task::spawn_blocking(move || runtime.block_on(models.ask(request, meter)));
        asked.await.unwrap_or_else(|ended| {
            Err(ModelFault::Transient {
                text: ended.to_string(),
                retry_after: None,
            })
        })
    }
}
