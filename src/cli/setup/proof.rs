//! The proof: whether what was answered plays, before anything is written.

use anyhow::{Context, bail};

use crate::cli::{doctor, out, prove};
use crate::home::Home;
use crate::proof::{Proof, ProofTarget};
use crate::settings::Settings;
use crate::wiring;

/// A server and a model that play.
pub(super) struct PassedProof {
    target: ProofTarget,
    proof: Proof,
}

/// What is put to the proof.
pub(super) struct Candidate<'a> {
    http: &'a reqwest::Client,
    settings: &'a Settings,
    target: ProofTarget,
}

impl<'a> Candidate<'a> {
    /// The provider of that name, and the game.
    ///
    /// # Errors
    /// The settings have no such provider.
    pub(super) fn new(
        http: &'a reqwest::Client,
        settings: &'a Settings,
        provider: &str,
    ) -> anyhow::Result<Candidate<'a>> {
        let chosen = settings.providers.get(provider);
        let chosen = chosen.with_context(|| format!("find the provider {provider}"))?;
        Ok(Candidate {
            http,
            settings,
            target: wiring::proof_target(provider, chosen, None),
        })
    }

    /// What the proof takes, in a sentence.
    pub(super) fn announcement(&self) -> String {
        self.target.announcement()
    }

    /// Lists the game's tools, and puts the model to the proof. Says all that comes of it.
    ///
    /// # Errors
    /// It cannot play; what is wrong has been said.
    pub(super) async fn prove(self) -> anyhow::Result<PassedProof> {
        // The game costs nothing, so it comes first.
        match doctor::check_game(self.http, self.settings).await {
            Some(Ok(text)) => out::line(&format!("✓ game: {text}"))?,
            Some(Err(why)) => {
                out::line(&format!("✗ game: {why}"))?;
                bail!("the game does not answer as one");
            }
            None => {}
        }
        let proof = prove::prove_aloud(self.http, &self.target).await?;
        if !proof.report.verdict.plays() {
            bail!("{} cannot play", self.target.model);
        }
        Ok(PassedProof {
            target: self.target,
            proof,
        })
    }
}

impl PassedProof {
    /// The model's context as far as it is known now.
    pub(super) fn context_tokens(&self) -> Option<u64> {
        self.proof.lessons.context_tokens
    }

    /// Keeps what was learnt for the swarm. What cannot be kept is learnt anew by playing.
    pub(super) fn keep(&self, home: &Home) {
        if let Err(error) = prove::keep(home, &self.target, &self.proof) {
            out::note(&format!("what was learnt could not be kept: {error:#}"));
        }
    }
}
