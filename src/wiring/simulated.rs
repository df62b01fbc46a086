//! The parts of the program that a simulation runs unchanged.

use std::sync::Arc;

use zoea_provider::WireProfile;
use zoea_simulation::ProgramParts;

use zoea_toolbox::request_saver::CachingUpstream;

/// The program's own writer of requests, and the layer that saves requests to the game.
pub fn adapters() -> ProgramParts {
    ProgramParts {
        request_without_tools: zoea_provider::body_without_tools,
        request_text: |request| zoea_provider::request_body(request, WireProfile::default()).ok(),
        spare_requests: |upstream| Arc::new(CachingUpstream::new(upstream)),
    }
}
