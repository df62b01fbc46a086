//! The prober: asks the server as the swarm does, within the allowance, and learns as it does.

use std::sync::Arc;
use std::time::Duration;

use actors::domain::model::{AnswerProgress, ChatMessage, ModelAnswer, ModelFault, ModelRequest};
use actors::domain::tool::Toolset;
use actors::ports::{AnswerMeter, Models};
use actors::secrets::Secrets;
use tokio::time::Instant;
use zoea_provider::Providers;

use super::allowance::Allowance;
use super::speed::SpeedGauge;
use super::{ProofTarget, drill};

/// The waits before each further try of a request that may succeed then.
const RETRY_WAITS: [Duration; 3] = [
    Duration::from_millis(500),
    Duration::from_millis(500),
    Duration::from_secs(2),
];
/// The longest that a server is left alone which asks for it.
const MAX_RETRY_WAIT: Duration = Duration::from_secs(20);
/// Bytes of a token at most, to tell an answer that is longer than was asked for.
const MAX_BYTES_PER_TOKEN: u64 = 8;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProbeFault {
    /// The server, or the way to it, says why.
    Refused(ModelFault),
    /// Nothing came within this time.
    Silent(Duration),
    /// The answer went on and on.
    Endless,
    /// The request would take more than is left of the allowance.
    NoAllowance,
}

/// Asks one server for one model.
pub(super) struct Prober {
    target: ProofTarget,
    providers: Providers,
    tools: Arc<Toolset>,
    /// Whether a request says how long its answer may be.
    has_limit: bool,
    pub(super) allowance: Allowance,
    pub(super) speed: SpeedGauge,
    /// What was learnt by refusals, in words.
    pub(super) learnt: Vec<String>,
    /// Whether any answer came, and in pieces.
    pub(super) came_in_pieces: Option<bool>,
    /// The most tokens that came from the cache, where usage is told; absent: it is not.
    pub(super) cached: Option<u64>,
    /// What of it was not believed.
    pub(super) doubt: Option<Arc<str>>,
    /// The tokens of the last prompt that the server told.
    pub(super) last_prompt: Option<u64>,
}

/// What came of asking once.
struct ProbeOutcome {
    answer: Result<ModelAnswer, ModelFault>,
    first: Option<Duration>,
    took: Duration,
}

impl Prober {
    pub(super) fn new(http: &reqwest::Client, target: &ProofTarget, secrets: Secrets) -> Prober {
        let endpoint = (target.provider.clone(), target.endpoint.clone());
        Prober {
            target: target.clone(),
            providers: Providers::new(http, [endpoint]).with_secrets(secrets),
            tools: drill::tools(),
            has_limit: true,
            allowance: Allowance::default(),
            speed: SpeedGauge::default(),
            learnt: Vec::new(),
            came_in_pieces: None,
            cached: None,
            doubt: None,
            last_prompt: None,
        }
    }

    /// How requests are written by now; `None` where nothing is known, which does not happen.
    pub(super) fn style(&self) -> Option<zoea_provider::LearntStyle> {
        self.providers.learnt(&self.target.provider)
    }

    /// The bytes that a request with these messages has.
    pub(super) fn request_bytes(&self, messages: &Arc<[ChatMessage]>) -> u64 {
        let request = self.request(messages.clone(), 1);
        let body = self.providers.request_body(&request);
        body.map_or(0, |body| body.len() as u64)
    }

    /// Asks until there is an answer or no hope of one.
    pub(super) async fn ask(
        &mut self,
        messages: Arc<[ChatMessage]>,
        answer_tokens: u32,
    ) -> Result<ModelAnswer, ProbeFault> {
        let mut waits = RETRY_WAITS.iter();
        loop {
            let request = self.request(messages.clone(), answer_tokens);
            let sent = self.request_bytes(&messages);
            if !self.allowance.admits(sent, answer_tokens.into()) {
                return Err(ProbeFault::NoAllowance);
            }
            let outcome = self.ask_once(request, answer_tokens, sent).await?;
            let fault = match outcome.answer {
                Ok(answer) => return Ok(answer),
                Err(fault) => fault,
            };
            match fault {
                ModelFault::Adapted { text } => self.learnt.push(text),
                ModelFault::Permanent { ref text } if self.has_limit && is_about_limit(text) => {
                    self.has_limit = false;
                }
                ModelFault::Transient { .. }
                | ModelFault::Empty { .. }
                | ModelFault::NoDescriptor { .. } => {
                    let Some(wait) = waits.next().map(|wait| asked_wait(&fault, *wait)) else {
                        return Err(ProbeFault::Refused(fault));
                    };
                    if wait > MAX_RETRY_WAIT {
                        return Err(ProbeFault::Refused(fault));
                    }
                    tokio::time::sleep(wait).await;
                }
                ModelFault::Permanent { .. }
                | ModelFault::TooLong { .. }
                | ModelFault::Unreachable { .. } => return Err(ProbeFault::Refused(fault)),
            }
        }
    }

    fn request(&self, messages: Arc<[ChatMessage]>, answer_tokens: u32) -> ModelRequest {
        ModelRequest {
            provider: self.target.provider.clone(),
            model: self.target.model.clone(),
            temperature: self.target.temperature,
            max_tokens: self.has_limit.then_some(answer_tokens),
            messages,
            tools: self.tools.clone(),
        }
    }

    /// Asks once, and books what that used.
    async fn ask_once(
        &mut self,
        request: ModelRequest,
        answer_tokens: u32,
        sent: u64,
    ) -> Result<ProbeOutcome, ProbeFault> {
        self.allowance.requests += 1;
        let most = u64::from(answer_tokens) * MAX_BYTES_PER_TOKEN;
        let meter = AnswerMeter::default();
        let mut progress = meter.subscribe();
        let started = Instant::now();
        let mut asking = self.providers.ask(request, meter);
        let deadline = tokio::time::sleep(self.target.timeout);
        tokio::pin!(deadline);
        let mut first = None;
        let (mut is_metered, mut arrived) = (true, 0);
        let answer = loop {
            // Cancel-safe: the meter keeps its figure, and the answer is dropped only to be given up.
            tokio::select! {
                biased;
                answer = &mut asking => break answer,
                moved = progress.changed(), if is_metered => {
                    is_metered = moved.is_ok();
                    let AnswerProgress { words, thoughts } = *progress.borrow_and_update();
                    arrived = words + thoughts;
                    if arrived > 0 {
                        first = first.or_else(|| Some(started.elapsed()));
                    }
                    if arrived > most {
                        self.allowance.book(sent, arrived, None);
                        return Err(ProbeFault::Endless);
                    }
                }
                () = &mut deadline => {
                    self.allowance.book(sent, arrived, None);
                    return Err(ProbeFault::Silent(self.target.timeout));
                }
            }
        };
        let outcome = ProbeOutcome {
            answer,
            first,
            took: started.elapsed(),
        };
        self.book(&outcome, sent, arrived);
        Ok(outcome)
    }

    /// What was refused cost nothing; what broke off must be taken to have cost something.
    fn book(&mut self, outcome: &ProbeOutcome, sent: u64, arrived: u64) {
        let answer = match &outcome.answer {
            Ok(answer) => answer,
            Err(fault) => {
                let is_refusal = fault.text().contains("HTTP ");
                let is_paid = match fault {
                    ModelFault::Empty { .. } => true,
                    ModelFault::Transient { .. } | ModelFault::Adapted { .. } => !is_refusal,
                    ModelFault::Unreachable { .. }
                    | ModelFault::NoDescriptor { .. }
                    | ModelFault::TooLong { .. }
                    | ModelFault::Permanent { .. } => false,
                };
                if is_paid {
                    self.allowance.book(sent, arrived, fault.usage());
                }
                return;
            }
        };
        let bytes = answer_bytes(answer);
        self.allowance.book(sent, bytes, answer.usage);
        self.last_prompt = answer.usage.map(|usage| usage.input);
        self.came_in_pieces = Some(outcome.first.is_some());
        if let Some(usage) = answer.usage {
            let cached = self.cached.unwrap_or(0).max(usage.cached);
            self.cached = Some(cached);
        }
        if answer.doubt.is_some() {
            self.doubt.clone_from(&answer.doubt);
        }
        let tokens = |bytes| self.allowance.most_tokens(bytes);
        let prompt = answer
            .usage
            .map_or_else(|| tokens(sent), |usage| usage.input);
        let said = answer
            .usage
            .map_or_else(|| tokens(bytes), |usage| usage.output);
        self.speed
            .observe(prompt, said, outcome.first, outcome.took);
    }
}

/// How long to wait before the next try: as long as the server asks, else `usual`.
fn asked_wait(fault: &ModelFault, usual: Duration) -> Duration {
    match fault {
        ModelFault::Transient { retry_after, .. } => retry_after.unwrap_or(usual),
        ModelFault::Empty { .. }
        | ModelFault::NoDescriptor { .. }
        | ModelFault::Unreachable { .. }
        | ModelFault::Adapted { .. }
        | ModelFault::TooLong { .. }
        | ModelFault::Permanent { .. } => usual,
    }
}

/// Bytes of all that an answer holds.
fn answer_bytes(answer: &ModelAnswer) -> u64 {
    let calls = answer.calls.iter();
    let calls: usize = calls
        .map(|call| call.name.len() + call.arguments.len())
        .sum();
    let reasoning = answer.reasoning.as_ref().map_or(0, String::len);
    (answer.text.len() + reasoning + calls) as u64
}

/// The swarm sends no limit, so that a server which takes none under this name loses nothing.
fn is_about_limit(text: &str) -> bool {
    text.contains("max_tokens") || text.contains("max_completion_tokens")
}
