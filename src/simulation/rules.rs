//! The rules of a simulated swarm: those of a new configuration, with a policy that relaunches.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::rules::{ProviderRules, Relaunch, SupervisionRules, SwarmRules, ToolRules};
use actors::domain::system_prompt::DEFAULT_TEMPLATE;

/// The name of the only provider.
pub(super) const PROVIDER: &str = "pilot";

/// How many of them may ask at once.
pub(super) const CONCURRENCY: usize = 64;

pub(super) fn rules(myses: usize) -> SwarmRules {
    let seconds = |list: &[u64]| list.iter().map(|s| Duration::from_secs(*s)).collect();
    let provider = ProviderRules {
        model: PROVIDER.into(),
        temperature: None,
        timeout: Duration::from_secs(300),
        max_concurrency: CONCURRENCY,
        requests_per_minute: None,
        tokens_per_minute: None,
        circuit: actors::domain::circuit::CircuitRules::default(),
        fallback: None,
        retry: seconds(&[5, 10, 15]),
        price: None,
        context_tokens: None,
    };
    let nudge: Arc<str> = "Continue your mission.".into();
    SwarmRules {
        max_myses: myses,
        default_provider: PROVIDER.into(),
        turn_pause: Duration::from_secs(2),
        max_model_calls: 10,
        context_window: 20,
        context_budget: 64 << 10,
        no_progress_turns: 5,
        progress: actors::domain::rules::ProgressRules::default(),
        nudges: vec![nudge; 3],
        system_prompt: DEFAULT_TEMPLATE.into(),
        tools: ToolRules {
            timeout: Duration::from_secs(600),
            retry: seconds(&[2, 5, 10]),
            logins_per_minute: Some(24),
        },
        supervision: SupervisionRules {
            relaunch: Relaunch::Always,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(300),
            max_relaunches: 5,
            within: Duration::from_secs(600),
        },
        budget: actors::domain::budget::BudgetRules::default(),
        providers: BTreeMap::from([(PROVIDER.into(), provider)]),
    }
}
