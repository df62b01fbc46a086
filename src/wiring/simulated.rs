//! The parts of the program that a simulation runs as they are.

use std::sync::Arc;

use zoea_simulation::Adapters;

use crate::provider::{self, Manners};
use crate::toolbox::courtesy::Courteous;

/// The program's own writer of requests, and what spares the game requests.
#[must_use]
pub fn adapters() -> Adapters {
    Adapters {
        request_without_tools: provider::body_without_tools,
        request_text: |request| provider::body_of(request, Manners::default()).ok(),
        spare_requests: |upstream| Arc::new(Courteous::new(upstream)),
    }
}
