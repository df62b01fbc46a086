//! The course of a proof: its checks so far and their results.

use actors::domain::model::ModelAnswer;
use actors::domain::written_call::WRITTEN_CALLS_ADVICE;
use actors::secrets::Secrets;
use zoea_contract::{CheckSpending, ProvenContext, ReportedUsage};
use zoea_text::redact::{MIN_EMBEDDED_SECRET_BYTES, Redactor, header_secrets};

use super::judging::{quoted, verdict_of_fault};
use super::listing::{ListFault, ListedModel, list_models};
use super::prober::{ProbeFault, Prober};
use super::scratch::Scratch;
use super::{
    CheckLessons, CheckProgress, CheckTarget, CheckVerdict, ModelCheck, ModelCheckReport,
    ModelCheckStep,
};

/// The tokens of an answer for a model that has finished thinking.
pub(super) const ANSWER_TOKENS: u32 = 1200;

pub(super) struct CheckCourse<'a> {
    pub(super) target: &'a CheckTarget,
    pub(super) prober: Prober,
    pub(super) context: ProvenContext,
    http: &'a reqwest::Client,
    listed: Result<Vec<ListedModel>, ListFault>,
    secrets: Secrets,
    checks: Vec<ModelCheckStep>,
    on_progress: &'a (dyn Fn(CheckProgress<'_>) + Send + Sync),
}

impl<'a> CheckCourse<'a> {
    pub(super) fn new(
        http: &'a reqwest::Client,
        target: &'a CheckTarget,
        on_progress: &'a (dyn Fn(CheckProgress<'_>) + Send + Sync),
    ) -> CheckCourse<'a> {
        // A server that refuses a key or a header may quote it.
        let endpoint = &target.endpoint;
        let headers = endpoint.headers.iter();
        // Settings admit ASCII alone, so that no value is passed over here.
        let headers =
            headers.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        let headers = headers.flat_map(|(name, value)| header_secrets(name, value));
        let secrets = endpoint.api_key.as_deref().into_iter().chain(headers);
        let secrets = secrets.filter(|secret| secret.len() >= MIN_EMBEDDED_SECRET_BYTES);
        let secrets = Secrets::new(secrets.map(Into::into));
        CheckCourse {
            target,
            prober: Prober::new(http, target, secrets.clone()),
            context: ProvenContext::default(),
            http,
            listed: Err(ListFault::NoList),
            secrets,
            checks: Vec::new(),
            on_progress,
        }
    }

    /// Requests the server's list of models, which later faults refer to.
    pub(super) async fn list(&mut self) {
        self.trying("its list of models");
        self.listed = list_models(self.http, &self.target.endpoint).await;
        self.context.reported = self.listed_model().and_then(|model| model.context_tokens);
    }

    pub(super) fn trying(&self, what: &'static str) {
        (self.on_progress)(CheckProgress::Trying(what));
    }

    /// Sends the request that a Mysis would send now.
    pub(super) async fn ask(
        &mut self,
        scratch: &Scratch,
        answer_tokens: u32,
        doing: &'static str,
    ) -> Result<ModelAnswer, CheckVerdict> {
        self.trying(doing);
        let messages = scratch.messages();
        let sent = self.prober.request_bytes(&messages);
        match self.prober.ask(messages, answer_tokens).await {
            Ok(answer) => {
                if let Some(tokens) = self.prober.last_prompt {
                    self.prober.allowance.measure(sent, tokens);
                }
                Ok(answer)
            }
            Err(fault) => Err(self.verdict_of(&fault, doing)),
        }
    }

    /// The verdict about a fault. It is reported at once.
    pub(super) fn verdict_of(&mut self, fault: &ProbeFault, doing: &str) -> CheckVerdict {
        let verdict = verdict_of_fault(fault, self.target, &self.listed, doing);
        self.bad("answers", &verdict);
        verdict
    }

    pub(super) fn good(&mut self, name: &'static str, detail: String) {
        self.check(name, Some(true), detail);
    }

    pub(super) fn bad(&mut self, name: &'static str, verdict: &CheckVerdict) {
        if let CheckVerdict::CannotPlay { why, .. } = verdict {
            self.check(name, Some(false), why.clone());
        }
    }

    pub(super) fn check(&mut self, name: &'static str, ok: Option<bool>, detail: String) {
        let detail = self.secrets.redactor().clean_own(detail);
        let check = ModelCheckStep { name, ok, detail };
        (self.on_progress)(CheckProgress::Checked(&check));
        self.checks.push(check);
    }

    /// The server's entry for the model. A server with a single model uses it for any name.
    fn listed_model(&self) -> Option<&ListedModel> {
        let models = self.listed.as_ref().ok()?;
        let named = models
            .iter()
            .find(|model| *model.name == *self.target.model);
        named.or(match models.as_slice() {
            [only] => Some(only),
            _ => None,
        })
    }

    /// Reports streaming, usage, speed and price. None of them decides the verdict.
    pub(super) fn report_how_it_answers(&mut self) {
        let Some(in_pieces) = self.prober.came_in_pieces else {
            return;
        };
        if self.prober.has_text_calls {
            let detail = format!(
                "writes its calls as text, from which the swarm reads them; to avoid that, \
                 {WRITTEN_CALLS_ADVICE}"
            );
            self.check("text_calls", None, detail);
        }
        let detail = match (in_pieces, self.target.endpoint.is_streamed) {
            (true, _) => "the server streams its answers",
            (false, true) => {
                "answers are not streamed: streamed ones do not arrive or report no token usage"
            }
            (false, false) => "answers are not streamed, as the configuration says",
        };
        self.check("streaming", None, detail.to_string());
        let detail = match (&self.prober.doubt, self.prober.cached) {
            (Some(doubt), _) => doubt.to_string(),
            (None, None) => "it reports no token usage: the books estimate it".to_string(),
            (None, Some(0)) => "reports token usage, without cached tokens".to_string(),
            (None, Some(cached)) => {
                format!("reports token usage, with {cached} cached tokens")
            }
        };
        self.check("usage", None, detail);
        let speed = self.prober.speed.proven();
        let first = speed
            .first_token_ms
            .map(|ms| format!("first token after {ms} ms"));
        let rate = speed
            .tokens_per_second
            .map(|rate| format!("{rate} tokens a second"));
        let measured: Vec<String> = [rate, first].into_iter().flatten().collect();
        if !measured.is_empty() {
            self.check("speed", None, measured.join(", "));
        }
        let detail = match self.price() {
            Some(price) => format!(
                "${} for a million tokens sent, ${} for a million received",
                price.input, price.output
            ),
            None => "unknown; set it under `price` of the provider".to_string(),
        };
        self.check("price", None, detail);
    }

    fn price(&self) -> Option<actors::domain::price::TokenPrice> {
        let listed = || self.listed_model().and_then(|model| model.price);
        self.target.price.or_else(listed)
    }

    pub(super) fn finish(self, verdict: CheckVerdict) -> ModelCheck {
        let known = self.secrets.redactor();
        let allowance = &self.prober.allowance;
        let used = actors::domain::model::TokenUsage {
            input: allowance.tokens_in,
            output: allowance.tokens_out,
            cached: 0,
        };
        let is_usage_reported = self.prober.cached;
        let lessons = CheckLessons {
            style: self.prober.style(),
            context_tokens: self.context.limit.or(self.context.reported),
        };
        let report = ModelCheckReport {
            provider: self.target.provider.to_string(),
            server: self.target.server(),
            model: self.target.model.to_string(),
            verdict: clean_verdict(verdict, &known),
            checks: self.checks.clone(),
            learnt: lines(&self.prober.learnt, &known),
            context: self.context,
            speed: self.prober.speed.proven(),
            usage: self.prober.came_in_pieces.map(|_| ReportedUsage {
                is_reported: is_usage_reported.is_some(),
                cached: is_usage_reported.unwrap_or(0),
            }),
            spent: CheckSpending {
                requests: allowance.requests,
                tokens_in: allowance.tokens_in,
                tokens_out: allowance.tokens_out,
                cost_micros: self.price().map(|price| price.cost_micros(used)),
            },
        };
        ModelCheck { report, lessons }
    }
}

fn clean_verdict(verdict: CheckVerdict, known: &Redactor) -> CheckVerdict {
    match verdict {
        CheckVerdict::Plays => CheckVerdict::Plays,
        CheckVerdict::CannotPlay { why, remedy } => CheckVerdict::CannotPlay {
            why: known.clean_own(why),
            remedy: known.clean_own(remedy),
        },
    }
}

/// The lines about what was learnt: the change, and the server's message.
fn lines(learnt: &[String], known: &Redactor) -> Vec<String> {
    let lines = learnt.iter().map(|text| match text.split_once(": ") {
        Some((what, said)) => format!("{what}: {}", quoted(said)),
        None => text.clone(),
    });
    lines.map(|line| known.clean_own(line)).collect()
}
