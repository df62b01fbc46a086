//! Our side of a session with a child process: what the server may ask of us, and what it tells.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleClient;
use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    ClientCapabilities, CustomRequest, CustomResult, ElicitRequestParams, ElicitResult, ErrorCode,
    ErrorData, Implementation, InitializeRequestParams, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext};
use tokio_util::sync::CancellationToken;
use zoea_text::clean::one_line;

use crate::asking::{self, ELICIT, QuestionDesk, TakenQuestion};

pub(super) struct OurSide {
    pub(super) has_new_tools: Arc<AtomicBool>,
    pub(super) questions: Arc<CallDesk>,
}

/// Where the server's questions go during the present call.
#[derive(Default)]
pub(super) struct CallDesk {
    present: Mutex<Option<(QuestionDesk, CancellationToken)>>,
    turn: tokio::sync::Mutex<()>,
}

/// A call during which questions are asked. Its end takes them back, also where it is given up.
pub(super) struct AskingCall<'a> {
    desk: &'a CallDesk,
    over: CancellationToken,
}

impl CallDesk {
    /// Lets the server ask these questions' operator until the call ends.
    pub(super) fn open(&self, questions: QuestionDesk) -> AskingCall<'_> {
        let over = CancellationToken::new();
        self.set(Some((questions, over.clone())));
        AskingCall { desk: self, over }
    }

    fn set(&self, present: Option<(QuestionDesk, CancellationToken)>) {
        *self.present.lock() = present;
    }

    fn present(&self) -> Option<(QuestionDesk, CancellationToken)> {
        let present = self.present.lock();
        present.clone()
    }
}

impl Drop for AskingCall<'_> {
    fn drop(&mut self) {
        self.desk.set(None);
        self.over.cancel();
    }
}

impl OurSide {
    /// Asks the operator. A question ends with the call, and where the server takes it back.
    async fn ask(
        &self,
        params: &str,
        context: &RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let Some((desk, call_over)) = self.questions.present() else {
            return Ok(asking::declined());
        };
        let answer = match desk.take(params) {
            TakenQuestion::Put(answer) => answer,
            TakenQuestion::Declined => return Ok(asking::declined()),
            TakenQuestion::Refused(why) => return Err(ErrorData::invalid_params(why, None)),
        };
        let answer = async {
            let _turn = self.questions.turn.lock().await;
            answer.await
        };
        // Cancel-safe: what is dropped here is not used again. What has ended is not asked.
        tokio::select! {
            biased;
            () = call_over.cancelled() => Ok(asking::cancelled()),
            () = context.ct.cancelled() => Ok(asking::cancelled()),
            answer = answer => Ok(answer),
        }
    }
}

impl ClientHandler for OurSide {
    fn get_info(&self) -> InitializeRequestParams {
        let about = Implementation::new("zoea", env!("CARGO_PKG_VERSION"));
        let capabilities = asking::with_questions(ClientCapabilities::default());
        InitializeRequestParams::new(capabilities, about)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let params = serde_json::to_string(&params).unwrap_or_default();
        self.ask(&params, &context).await
    }

    /// Takes what rmcp has no type for: a question that its types are too strict for is one of
    /// these.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != ELICIT {
            let text = format!("{} was not offered", one_line(&request.method));
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None));
        }
        let params = request.params.unwrap_or_default().to_string();
        let answer = self.ask(&params, &context).await?;
        let answer = serde_json::to_value(answer).unwrap_or_default();
        Ok(CustomResult::new(answer))
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.has_new_tools.store(true, Ordering::Relaxed);
    }
}
