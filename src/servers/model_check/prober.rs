//! The prober: sends requests like the swarm, within the allowance, and learns from refusals.

use std::sync::Arc;
use std::time::Duration;

use actors::domain::model::{AnswerProgress, ChatMessage, ModelAnswer, ModelFault, ModelRequest};
use actors::domain::tool::Toolset;
use actors::domain::written_call::{self, WrittenText};
use actors::ports::{AnswerMeter, Models};
use actors::secrets::Secrets;
use tokio::time::Instant;
use zoea_provider::{LearntStyle, Providers, answer_bytes};

use super::allowance::CheckBudget;
use super::speed::SpeedGauge;
use super::{CheckTarget, drill};

/// The waits before further attempts of a request that may succeed later.
const RETRY_WAITS: [Duration; 3] = [
    Duration::from_millis(500),
    Duration::from_millis(500),
    Duration::from_secs(2),
];
const MAX_RETRY_WAIT: Duration = Duration::from_secs(20);
/// The most bytes of a token. It tells whether an answer exceeds its limit.
const MAX_BYTES_PER_TOKEN: u64 = 8;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProbeFault {
    Refused(ModelFault),
    /// There was no answer within this time.
    Silent(Duration),
    /// The answer did not end.
    Endless,
    NoAllowance,
}

pub(super) struct Prober {
    target: CheckTarget,
    providers: Providers,
    tools: Arc<Toolset>,
    /// Whether requests limit the length of the answer.
    has_limit: bool,
    pub(super) allowance: CheckBudget,
    pub(super) speed: SpeedGauge,
    /// What was learnt from refusals, in words.
    pub(super) learnt: Vec<String>,
    /// Whether answers were streamed; `None` before the first one.
    pub(super) came_in_pieces: Option<bool>,
    /// The most tokens from the cache; `None` if usage is not reported.
    pub(super) cached: Option<u64>,
    /// The doubt about the reported usage, if there is one.
    pub(super) doubt: Option<Arc<str>>,
    /// The reported tokens of the last prompt.
    pub(super) last_prompt: Option<u64>,
    pub(super) has_text_calls: bool,
}

struct ProbeOutcome {
    answer: Result<ModelAnswer, ModelFault>,
    first: Option<Duration>,
    took: Duration,
}

impl Prober {
    pub(super) fn new(http: &reqwest::Client, target: &CheckTarget, secrets: Secrets) -> Prober {
        let endpoint = (target.provider.clone(), target.endpoint.clone());
        Prober {
            target: target.clone(),
            providers: Providers::new(http, [endpoint]).with_secrets(secrets),
            tools: drill::tools(),
            has_limit: true,
            allowance: CheckBudget::default(),
            speed: SpeedGauge::default(),
            learnt: Vec::new(),
            came_in_pieces: None,
            cached: None,
            doubt: None,
            last_prompt: None,
            has_text_calls: false,
        }
    }

    /// The current form of requests.
    pub(super) fn style(&self) -> LearntStyle {
        let target = &self.target;
        let learnt = self.providers.learnt(&target.provider, &target.model);
        learnt.expect("the providers hold the one that is proven")
    }

    pub(super) fn request_bytes(&self, messages: &Arc<[ChatMessage]>) -> u64 {
        let request = self.request(messages.clone(), 1);
        let body = self.providers.request_body(&request);
        body.map_or(0, |body| body.len() as u64)
    }

    /// Asks until there is an answer or no chance of one.
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
                Ok(answer) => return Ok(self.with_text_calls(answer)),
                Err(fault) => fault,
            };
            match fault {
                ModelFault::Adapted { text } => self.learnt.push(text),
                ModelFault::Permanent { ref text } | ModelFault::Refused { ref text, .. }
                    if self.has_limit && is_about_limit(text) =>
                {
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
                | ModelFault::Refused { .. }
                | ModelFault::TooLong { .. }
                | ModelFault::OutOfService { .. }
                | ModelFault::Unreachable { .. } => return Err(ProbeFault::Refused(fault)),
            }
        }
    }

    fn with_text_calls(&mut self, answer: ModelAnswer) -> ModelAnswer {
        if !self.target.reads_text_calls || !answer.calls.is_empty() {
            return answer;
        }
        let reason = answer.finish_reason.as_deref();
        match written_call::read_text(&answer.text, reason, &self.tools) {
            WrittenText::Words | WrittenText::Unfit { .. } => answer,
            WrittenText::Calls(calls) => {
                self.has_text_calls = true;
                ModelAnswer {
                    text: String::new(),
                    calls,
                    ..answer
                }
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

    /// Asks once and adds what that used.
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
            // Cancel-safe: the meter keeps its value, and the answer is dropped only if it is given
            // up.
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

    /// Adds what a request used. A refused request costs nothing. An interrupted one counts by an
    /// estimate.
    fn book(&mut self, outcome: &ProbeOutcome, sent: u64, arrived: u64) {
        let answer = match &outcome.answer {
            Ok(answer) => answer,
            Err(fault) => {
                let is_refusal = fault.text().contains("HTTP ");
                let is_paid = match fault {
                    ModelFault::Refused { usage, .. } => usage.is_some(),
                    ModelFault::Empty { .. } => true,
                    ModelFault::Transient { .. } | ModelFault::Adapted { .. } => !is_refusal,
                    ModelFault::Unreachable { .. }
                    | ModelFault::NoDescriptor { .. }
                    | ModelFault::TooLong { .. }
                    | ModelFault::OutOfService { .. }
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

/// The wait before the next attempt: what the server asks for, else `usual`.
fn asked_wait(fault: &ModelFault, usual: Duration) -> Duration {
    let ModelFault::Transient { retry_after, .. } = fault else {
        return usual;
    };
    retry_after.unwrap_or(usual)
}

/// Whether a refusal is about the limit. The swarm sends none, so such a server is still usable.
fn is_about_limit(text: &str) -> bool {
    text.contains("max_tokens") || text.contains("max_completion_tokens")
}
