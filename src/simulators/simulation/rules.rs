//! The rules of a simulated swarm: the defaults, with a policy that relaunches, and with some
//! settings that the seed draws.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use actors::domain::budget::{BudgetLimits, BudgetRules};
use actors::domain::rules::{
    ProgressRules, ProviderRules, RelaunchPolicy, SupervisionRules, SwarmRules,
};

pub const MAIN_PROVIDER: &str = "pilot";
/// The name of the fallback provider, if there is one.
const SPARE_PROVIDER: &str = "spare";

pub const MAX_CONCURRENCY: usize = 64;

pub(super) const MISSION: &str = "Mine ore, sell it at your station, refuel and go again.";

/// The daily token budget of a Mysis, if there is one. It suffices for some minutes.
const BUDGET_TOKENS: u64 = 40_000;

#[derive(Clone, Copy, Debug)]
pub struct DrawnSettings {
    has_spare: bool,
    has_budget: bool,
    /// Whether a Mysis without progress is told so early.
    is_hurried: bool,
    relaunch: RelaunchPolicy,
    max_relaunches: u32,
    /// Whether the mission speaks of routines, which the simulated players take as leave to start one.
    has_routines: bool,
}

impl DrawnSettings {
    pub fn of(seed: u64) -> DrawnSettings {
        let mut dice = fastrand::Rng::with_seed(seed ^ 0x5eed);
        DrawnSettings {
            has_spare: dice.bool(),
            has_budget: dice.u8(..4) == 0,
            is_hurried: dice.bool(),
            relaunch: [RelaunchPolicy::Always, RelaunchPolicy::Transient][dice.usize(..2)],
            max_relaunches: [1, 5][dice.usize(..2)],
            has_routines: dice.u8(..3) == 0,
        }
    }

    pub fn mission(self) -> String {
        match self.has_routines {
            true => format!("{MISSION} Leave what repeats to a routine."),
            false => MISSION.to_string(),
        }
    }

    pub fn swarm_rules(self, myses: usize) -> SwarmRules {
        let mut rules = base_rules(myses);
        rules.supervision.relaunch = self.relaunch;
        rules.supervision.max_relaunches = self.max_relaunches;
        if self.has_spare {
            let spare = rules.providers[MAIN_PROVIDER].clone();
            rules.providers.insert(SPARE_PROVIDER.into(), spare);
            if let Some(first) = rules.providers.get_mut(MAIN_PROVIDER) {
                first.fallback = Some(SPARE_PROVIDER.into());
            }
        }
        if self.has_budget {
            rules.budget = BudgetRules {
                mysis: BudgetLimits {
                    tokens: Some(BUDGET_TOKENS),
                    ..BudgetLimits::default()
                },
                ..BudgetRules::default()
            };
        }
        if self.is_hurried {
            rules.progress = ProgressRules {
                turns: 4,
                at_least: Duration::from_secs(40),
                ..ProgressRules::default()
            };
        }
        rules
    }
}

/// The rules during the quiet time: no budget, one provider, default limits of progress.
pub fn base_rules(myses: usize) -> SwarmRules {
    let provider = ProviderRules {
        model: MAIN_PROVIDER.into(),
        temperature: None,
        max_concurrency: MAX_CONCURRENCY,
        ..ProviderRules::default()
    };
    let nudge: Arc<str> = "Continue your mission.".into();
    SwarmRules {
        max_myses: myses,
        default_provider: MAIN_PROVIDER.into(),
        nudges: vec![nudge; 3],
        supervision: SupervisionRules {
            relaunch: RelaunchPolicy::Always,
            ..SupervisionRules::default()
        },
        providers: BTreeMap::from([(MAIN_PROVIDER.into(), provider)]),
        ..SwarmRules::default()
    }
}
