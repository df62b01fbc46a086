//! The proof: tests whether a model server and a model can play, by letting them play a little.
//!
//! It talks to the server like the swarm does (composition, the provider adapter), with a scratch
//! conversation like a Mysis' own. It uses at most [`MAX_PROOF_TOKENS`], reports its progress, and
//! ends with one verdict. What it learns can be kept for the swarm.

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

use actors::domain::price::TokenPrice;
use serde::{Deserialize, Serialize};
use zoea_provider::{LearntStyle, ProviderEndpoint};

pub use zoea_contract::{CheckVerdict, ModelCheckReport, ModelCheckStep};

use course::CheckCourse;

/// The most tokens that a proof uses, sent and received.
pub const MAX_PROOF_TOKENS: u64 = 20_000;

/// The longest wait for one answer, even if the configuration allows more.
pub const MAX_ANSWER_WAIT: Duration = Duration::from_secs(120);

#[derive(Clone)]
pub struct CheckTarget {
    pub provider: Arc<str>,
    pub endpoint: ProviderEndpoint,
    pub model: Arc<str>,
    pub temperature: Option<f32>,
    pub timeout: Duration,
    /// The model's context in tokens, if it is configured. Longer prompts are not tried.
    pub context_tokens: Option<u64>,
    /// The price of tokens, if it is configured.
    pub price: Option<TokenPrice>,
    /// Whether calls that the model leaves in its text are made, as the swarm would.
    pub reads_text_calls: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckProgress<'a> {
    Trying(&'static str),
    Checked(&'a ModelCheckStep),
}

#[derive(Clone, Debug, PartialEq)]
pub struct ModelCheck {
    pub report: ModelCheckReport,
    pub lessons: CheckLessons,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckLessons {
    #[serde(flatten)]
    pub style: LearntStyle,
    /// The model's context in tokens, if it was found.
    pub context_tokens: Option<u64>,
}

impl CheckTarget {
    /// The server's address without parts that may be secret.
    pub fn server(&self) -> String {
        kept::shown_server(&self.endpoint.url)
    }

    /// The cost of a proof, in a sentence for the person who has to agree.
    pub fn announcement(&self) -> String {
        let tokens = MAX_PROOF_TOKENS;
        let cost = match self.price {
            Some(price) => {
                let dollars = price.input.max(price.output) * tokens_in_millions(tokens);
                format!("they cost at most ${dollars:.4} at the known price")
            }
            None => "their cost is unknown, because no price is set".to_string(),
        };
        format!(
            "the test sends about ten requests to {} at {} and uses at most {tokens} tokens; {cost}",
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

/// Tests a server and a model. No answer of the server makes this fail. What is wrong becomes the
/// verdict.
pub async fn prove(
    http: &reqwest::Client,
    target: &CheckTarget,
    on_progress: &(dyn Fn(CheckProgress<'_>) + Send + Sync),
) -> ModelCheck {
    let mut course = CheckCourse::new(http, target, on_progress);
    course.list().await;
    let verdict = match play(&mut course).await {
        Ok(()) => CheckVerdict::Plays,
        Err(verdict) => verdict,
    };
    course.report_how_it_answers();
    course.finish(verdict)
}

/// Runs all checks until one of them ends the proof.
async fn play(course: &mut CheckCourse<'_>) -> Result<(), CheckVerdict> {
    calling::check_calling(course).await?;
    calling::check_roles(course).await?;
    course.trying("a long prompt");
    context::check_context(course).await
}

#[cfg(test)]
mod tests;
