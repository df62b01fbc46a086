//! The proof of the answers: whether they play. It comes before anything is written.

use anyhow::{Context, bail};
use zoea_settings::Settings;

use crate::host::home::Home;
use crate::interface::cli::{game_check, out, prove};
use crate::wiring;
use zoea_model_check::{CheckTarget, ModelCheck};

/// A server and a model that passed the proof.
pub(super) struct PassedCheck {
    target: CheckTarget,
    check_result: ModelCheck,
}

/// The provider with this name, as it is proved.
pub(super) fn target_of(settings: &Settings, provider: &str) -> anyhow::Result<CheckTarget> {
    let chosen = settings.providers.get(provider);
    let chosen = chosen.with_context(|| format!("find the provider {provider}"))?;
    Ok(wiring::check_target(provider, chosen, None))
}

/// Lists the game's tools, then proves the model, and prints the results.
///
/// # Errors
/// The answers do not play. The reason was printed.
pub(super) async fn prove_answers(
    http: &reqwest::Client,
    settings: &Settings,
    target: CheckTarget,
) -> anyhow::Result<PassedCheck> {
    // The check of the game costs nothing, so it comes first.
    let game = match game_check::check_game(http, settings).await {
        Some(Ok(game)) => {
            out::line(&format!("✓ game: {}", game.text))?;
            Some(game)
        }
        Some(Err(why)) => {
            out::line(&format!("✗ game: {why}"))?;
            bail!("the game cannot be used");
        }
        None => None,
    };
    let check_result = prove::prove_aloud(http, &target).await?;
    let learnt = check_result.lessons.context_tokens;
    let context = learnt.or(target.context_tokens);
    if let Some(shortage) = game.and_then(|game| game.context_shortage(context)) {
        out::line(&format!("✗ context: {shortage}"))?;
    }
    if !check_result.report.verdict.plays() {
        bail!("{} cannot play", target.model);
    }
    Ok(PassedCheck {
        target,
        check_result,
    })
}

impl PassedCheck {
    /// The model's context in tokens, as far as the proof found it out.
    pub(super) fn context_tokens(&self) -> Option<u64> {
        self.check_result.lessons.context_tokens
    }

    /// Stores what the proof learnt, for the swarm. If that fails, the swarm learns it again while
    /// it plays.
    pub(super) fn keep(&self, home: &Home) {
        if let Err(error) = prove::keep(home, &self.target, &self.check_result) {
            out::note(&format!("the results could not be kept: {error:#}"));
        }
    }
}
