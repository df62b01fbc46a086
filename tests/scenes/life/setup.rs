//! The rules of a made-up life, and its beginning.

use std::sync::Arc;
use std::time::Duration;

use actors::domain::ids::{Incarnation, MysisId, Timestamp};
use actors::domain::life::{Mode, RestoreArgs};
use actors::domain::record::{Mission, MysisProfile, MysisRecord, StoredHistory};
use actors::domain::rules::{ProviderRules, SwarmRules};
use actors::domain::state::{LifeState, Totals};

const WINDOW: usize = 20;

pub(super) fn rules(budget: usize) -> SwarmRules {
    let local = ProviderRules {
        model: "m".into(),
        retry: vec![Duration::from_secs(5)],
        ..ProviderRules::default()
    };
    SwarmRules {
        max_model_calls: 5,
        context_window: WINDOW,
        context_budget: budget,
        nudges: ["nudge one", "nudge two", "nudge three"]
            .map(Into::into)
            .to_vec(),
        system_prompt: "You are {{name}}. Mission: {{mission}}".into(),
        providers: [("local".into(), local)].into(),
        ..SwarmRules::default()
    }
}

pub(super) fn past(
    rules: &Arc<SwarmRules>,
    mission: Option<Mission>,
    recollection: StoredHistory,
) -> RestoreArgs {
    RestoreArgs {
        record: MysisRecord {
            id: MysisId(7),
            profile: MysisProfile {
                name: "alpha".into(),
                provider: "local".into(),
                model: None,
                temperature: None,
            },
            state: LifeState::Idle,
            reason: None,
            fault: None,
            is_called: false,
            incarnation: Incarnation(0),
            totals: Totals::default(),
            account: None,
            created_at: Timestamp(0),
        },
        recollection,
        incarnation: Incarnation(1),
        mission,
        rules: rules.clone(),
        redactor: Arc::default(),
        crash: None,
        is_interrupted: false,
        mode: Mode::Live,
    }
}
