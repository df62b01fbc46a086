//! What an answer or a failure means, for whoever asked, and what is learnt from it. Nothing is sent here.

use std::sync::Arc;

use actors::domain::ids::MysisId;
use actors::domain::model::{ModelAnswer, ModelFault, ModelRequest};
use async_openai::error::OpenAIError;
use zoea_text::redact::Redactor;

use super::answer::ReceivedAnswer;
use super::belief::{self, SentBytes};
use super::probe::ResponseForm;
use super::quirks::{ModelQuirks, Style};
use super::thoughts::KeptReasoning;
use super::{KnownProvider, failure};

pub(super) struct Came {
    pub(super) answer: Result<ReceivedAnswer, OpenAIError>,
    pub(super) form: Option<ResponseForm>,
    pub(super) sent_bytes: u64,
    pub(super) stated_cost: Option<u64>,
}

impl KnownProvider {
    /// What an answer or a failure means. It is learnt from.
    pub(super) fn understand(
        &self,
        begun: &BegunWith,
        (request, tools_bytes): (&ModelRequest, u64),
        came: Came,
        secrets: &Redactor,
    ) -> Result<ModelAnswer, ModelFault> {
        let sent = SentBytes {
            all: came.sent_bytes,
            tools: tools_bytes,
        };
        let mut answer = match came.answer {
            Ok(answer) => belief::with_estimate(answer, secrets, sent),
            Err(error) => failure::judge_error(error, secrets),
        };
        if let Ok(answer) = &mut answer {
            address_echo(answer, request, &begun.style);
            answer.facts.is_streamed = begun.style.is_streamed;
            answer.stated_cost = answer.stated_cost.or(came.stated_cost);
            self.belief.note_twins(answer, &request.provider);
        }
        let lengths = (sent.all, begun.quirks.longest_served());
        let answer = failure::judge_silence(answer, came.form, lengths);
        let answer = self.belief.check_usage(answer, &request.provider, sent);
        let answer = failure::judge_end(answer);
        begun.learn_from(answer, came.form, (request, sent.all))
    }
}

/// What was known of a server and a model when a request to it began.
pub(super) struct BegunWith {
    pub(super) quirks: Arc<ModelQuirks>,
    pub(super) style: Style,
    pub(super) asker: Option<MysisId>,
}

impl BegunWith {
    pub(super) fn of(quirks: Arc<ModelQuirks>, asker: Option<MysisId>) -> BegunWith {
        BegunWith {
            style: quirks.style_for(asker),
            asker,
            quirks,
        }
    }

    /// Learns from an answer or a failure. An error instead of an answer says nothing about
    /// streaming, even if it is about a call of the model.
    fn learn_from(
        &self,
        answer: Result<ModelAnswer, ModelFault>,
        came: Option<ResponseForm>,
        (request, sent_bytes): (&ModelRequest, u64),
    ) -> Result<ModelAnswer, ModelFault> {
        let is_whole = matches!(&answer, Ok(answer) if answer.refusal.is_none());
        let is_lesson = is_whole || came == Some(ResponseForm::Cut);
        let came = came.filter(|_| is_lesson);
        if let Some(fault) = self.quirks.observed(came, &self.style, self.asker) {
            return Err(fault);
        }
        if let Ok(answer) = &answer {
            self.quirks.note_answer(answer, sent_bytes);
        }
        let learn = |fault| self.quirks.learn(fault, request, &self.style);
        let answer = answer.map_err(learn);
        let answer = answer.map_err(|fault| self.quirks.or_gone_for_now(fault));
        let misreadings = &self.quirks.misreadings;
        misreadings.learn(self.asker, self.style.misread, answer)
    }
}

/// Says whom the echo of an answer is for. Of reasoning that never goes back, none is kept.
fn address_echo(answer: &mut ModelAnswer, request: &ModelRequest, style: &Style) {
    let Some(echo) = &mut answer.echo else {
        return;
    };
    echo.provider = request.provider.clone();
    echo.model = request.model.clone();
    let kept = KeptReasoning::read(&echo.reasoning);
    if !kept.is_some_and(|kept| style.keeps(&kept, &request.model)) {
        echo.reasoning = "".into();
    }
    if echo.is_empty() {
        answer.echo = None;
    }
}
