//! The rules of a made-up life, and its beginning.

use std::sync::Arc;
use std::time::Duration;

use actors::domain::ids::{Incarnation, MysisId, Timestamp};
use actors::domain::life::{Mode, RestoreArgs};
use actors::domain::record::{Mission, MysisProfile, MysisRecord, StoredHistory};
use actors::domain::rules::{ProviderRules, SwarmRules};

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
        system_prompt: Some("You are {{name}}. Mission: {{mission}}".into()),
        providers: [("local".into(), local)].into(),
        ..SwarmRules::default()
    }
}

pub(super) fn past(
    rules: &Arc<SwarmRules>,
    mission: Option<Mission>,
    recollection: StoredHistory,
) -> RestoreArgs {
    let profile = MysisProfile::of("alpha", "local");
    RestoreArgs {
        record: MysisRecord::new(MysisId(7), profile, Timestamp(0)),
        recollection,
        incarnation: Incarnation(1),
        mission,
        rules: rules.clone(),
        redactor: Arc::default(),
        crash: None,
        is_interrupted: false,
        mode: Mode::Live,
        frozen_ms: 0,
    }
}
