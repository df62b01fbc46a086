//! The proof: whether a model server and a model can play, found out by playing with them a little.
//!
//! It speaks to the server as the swarm does (composition, the provider's adapter), on a scratch
//! conversation laid out as a Mysis' is. It uses at most [`MAX_PROOF_TOKENS`], says what it is doing,
//! and comes to one verdict. What it learnt on the way can be kept for the swarm.

mod allowance;
mod calling;
mod context;
mod course;
mod drill;
mod judging;
pub mod kept;
pub mod listing;
mod prober;
mod roles;
mod scratch;
mod speed;

use std::sync::Arc;
use std::time::Duration;

use actors::domain::rules::TokenPrice;

use zoea_provider::{LearntStyle, ProviderEndpoint};

pub use zoea_contract::{ProofCheck, ProofReport, ProofVerdict};

use course::ProofCourse;

/// The most tokens that a proof uses, sent and received.
pub const MAX_PROOF_TOKENS: u64 = 20_000;

/// The longest that one answer is waited for, where the configuration would wait longer.
pub const MAX_ANSWER_WAIT: Duration = Duration::from_secs(120);

/// Which server and model are put to the proof.
#[derive(Clone)]
pub struct ProofTarget {
    /// The provider's name in the configuration.
    pub provider: Arc<str>,
    /// Where it is and how it is spoken to.
    pub endpoint: ProviderEndpoint,
    /// The model.
    pub model: Arc<str>,
    /// The temperature that the swarm would send.
    pub temperature: Option<f32>,
    /// How long one answer may take.
    pub timeout: Duration,
    /// The model's context in tokens, where the configuration tells it: longer prompts are not tried.
    pub context_tokens: Option<u64>,
    /// What a token costs, where the configuration tells it.
    pub price: Option<TokenPrice>,
}

/// How a proof stands, for whoever waits for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProofProgress<'a> {
    /// This is being tried.
    Trying(&'static str),
    /// This came of it.
    Checked(&'a ProofCheck),
}

/// A proof that has come to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// What it came to.
    pub report: ProofReport,
    /// What the swarm can begin with.
    pub lessons: ProofLessons,
}

/// What a proof learnt of a server and a model, as the swarm uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProofLessons {
    /// How requests to it are written.
    pub style: LearntStyle,
    /// The model's context in tokens, where that was found out.
    pub context_tokens: Option<u64>,
}

impl ProofTarget {
    /// The server's address, without what may be secret in it.
    #[must_use]
    pub fn server(&self) -> String {
        kept::shown_server(&self.endpoint.url)
    }

    /// What a proof takes, in a sentence for whoever is to agree to it.
    #[must_use]
    pub fn announcement(&self) -> String {
        let tokens = MAX_PROOF_TOKENS;
        let cost = match self.price {
            Some(price) => {
                let dollars = price.input.max(price.output) * tokens_in_millions(tokens);
                format!("at most ${dollars:.4} at the price that is set")
            }
            None => "what they cost is not known, since no price is set for it".to_string(),
        };
        format!(
            "the proof asks {} at {} some ten questions and uses at most {tokens} tokens in all; {cost}",
            self.model,
            self.server(),
        )
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a number of tokens far below 2^52"
)]
fn tokens_in_millions(tokens: u64) -> f64 {
    tokens as f64 / 1e6
}

/// Puts a server and a model to the proof. Nothing that the server says fails: what is wrong is the
/// verdict.
pub async fn prove(
    http: &reqwest::Client,
    target: &ProofTarget,
    tell: &(dyn Fn(ProofProgress<'_>) + Send + Sync),
) -> Proof {
    let mut course = ProofCourse::new(http, target, tell);
    course.list().await;
    let verdict = match play(&mut course).await {
        Ok(()) => ProofVerdict::Plays,
        Err(verdict) => verdict,
    };
    course.tell_how_it_answers();
    course.finish(verdict)
}

/// Tries everything until something forbids to go on.
async fn play(course: &mut ProofCourse<'_>) -> Result<(), ProofVerdict> {
    calling::check_calling(course).await?;
    calling::check_roles(course).await?;
    course.trying("a long prompt");
    context::check_context(course).await
}

#[cfg(test)]
mod tests;
