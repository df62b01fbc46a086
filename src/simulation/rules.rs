//! The rules of a simulated swarm: those of a new configuration, with a policy that relaunches.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::rules::{ProviderRules, Relaunch, SupervisionRules, SwarmRules};

/// The name of the only provider.
pub(super) const PROVIDER: &str = "pilot";

/// How many of them may ask at once.
pub(super) const CONCURRENCY: usize = 64;

pub(super) fn rules(myses: usize) -> SwarmRules {
    let provider = ProviderRules {
        model: PROVIDER.into(),
        temperature: None,
        max_concurrency: CONCURRENCY,
        ..ProviderRules::default()
    };
    let nudge: Arc<str> = "Continue your mission.".into();
    SwarmRules {
        max_myses: myses,
        default_provider: PROVIDER.into(),
        nudges: vec![nudge; 3],
        supervision: SupervisionRules {
            relaunch: Relaunch::Always,
            ..SupervisionRules::default()
        },
        providers: BTreeMap::from([(PROVIDER.into(), provider)]),
        ..SwarmRules::default()
    }
}
