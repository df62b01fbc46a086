//! Calls the model: prepares the session, waits for admission, then asks the admitted provider.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use ractor::ActorRef;
use tokio_util::task::AbortOnDropHandle;
use tracing::{Instrument, Span};

use crate::domain::event::Activity;
use crate::domain::gate::circuit::CallOutcome;
use crate::domain::ids::{Lane, MysisId, TurnNumber, TurnRef};
use crate::domain::last_request::LastRequest;
use crate::domain::life::{LifeInput, ModelQuery, Route, TaskId, remove_secrets_of_reply};
use crate::domain::message::Severity;
use crate::domain::model::{
    ChatMessage, MAX_OBEYED_RETRY_AFTER, ModelAnswer, ModelFault, ModelRequest, OthersGet,
    ReportedUse,
};
use crate::domain::rules::SwarmRules;
use crate::domain::tool_offer::ToolOffer;
use crate::freeze::Departure;
use crate::gate::{Admission, Permit};
use crate::mysis::{MysisDeps, MysisMsg};
use crate::ports::AnswerMeter;
use crate::session::{GameSession, Outlet};

use super::admission::{request_admission, show_call, show_first_wait};
use super::answer_wait::await_answer;
use super::{outlet_to, spawn_task};

/// The shortest pause after a provider asks for one. A provider that asks for a pause of zero would
/// be asked again without end.
const MIN_RETRY_AFTER: Duration = Duration::from_secs(1);

/// How often, and how long after each other, one whose request was refused looks what others get.
const OTHERS_LOOKS: u32 = 10;
const OTHERS_PAUSE: Duration = Duration::from_millis(500);

pub(in crate::mysis) struct ModelCaller {
    pub(in crate::mysis) mysis: ActorRef<MysisMsg>,
    pub(in crate::mysis) deps: Arc<MysisDeps>,
    pub(in crate::mysis) rules: Arc<SwarmRules>,
    pub(in crate::mysis) payer: MysisId,
    pub(in crate::mysis) span: Span,
}

/// Asks the model once. The session is prepared first, if that is possible.
pub(in crate::mysis) fn spawn_ask(
    question: ModelCaller,
    session: Box<GameSession>,
    ask: ModelQuery,
) -> AbortOnDropHandle<()> {
    let work = ask.work;
    let mysis = question.mysis.clone();
    let outlet = outlet_to(&mysis, work);
    let span = question.span.clone();
    spawn_task(
        &mysis,
        work,
        async move { question.ask_when_admitted(&outlet, session, ask).await }
            .instrument(span)
            .boxed(),
        move |text| LifeInput::Died { work, text },
    )
}

impl ModelCaller {
    async fn ask_when_admitted(
        self,
        outlet: &Outlet,
        mut session: Box<GameSession>,
        ask: ModelQuery,
    ) -> (Box<GameSession>, LifeInput) {
        let freeze = self.deps.session.freeze.clone();
        let (work, thaws) = (ask.work, freeze.thaws());
        // The session comes before the gate, because the holder of a permit must not wait for
        // anything else.
        let prepared = session.prepare(outlet, !ask.is_urgent, ask.begins_turn);
        prepared.boxed().await;
        if let Some(text) = session.take_refused_link() {
            return (session, LifeInput::LoginRefused { work, text });
        }
        // The request was composed before the game told of the player, or which game it is.
        if session.take_news() {
            return (session, LifeInput::Outdated { work });
        }
        // Cancel-safe: the gate drops a request that nobody waits for.
        let gate = &self.deps.session.gate;
        let admission = tokio::select! {
            biased;
            admission = request_admission(gate, self.payer, outlet, &ask), if freeze.thaws() == thaws => admission,
            () = freeze.frozen(thaws) => {
                show_first_wait(outlet, &ask);
                freeze.thawed().await;
                return (session, LifeInput::Outdated { work });
            }
        };
        let input = match admission {
            None => LifeInput::Died {
                work,
                text: "the program is closing".to_string(),
            },
            // Only requests that do not wait get this answer, and this one waits.
            Some(Admission::Away { why }) => LifeInput::Died {
                work,
                text: why.to_string(),
            },
            Some(Admission::Denied { why, until }) => LifeInput::Held { work, why, until },
            Some(Admission::Admitted(pass)) => match freeze.try_depart() {
                Some(departure) => {
                    show_call(outlet, &ask, &pass.lane);
                    let asked = self.ask_provider(outlet, (pass, departure), &session, ask);
                    asked.boxed().await
                }
                // It was admitted in the moment of the freeze.
                None => {
                    drop(pass);
                    show_first_wait(outlet, &ask);
                    freeze.thawed().await;
                    LifeInput::Outdated { work }
                }
            },
        };
        (session, input)
    }

    /// Asks the provider of the permit. The cost is reported before the permit ends, so that no
    /// request is admitted on a budget that is spent.
    async fn ask_provider(
        &self,
        outlet: &Outlet,
        (mut pass, departure): (Permit, Departure),
        session: &GameSession,
        ask: ModelQuery,
    ) -> LifeInput {
        let ModelQuery {
            work,
            turn,
            routes,
            messages,
            tools,
            is_last_try,
            is_bare,
            max_tokens,
            ..
        } = ask;
        emit_budget(outlet, &pass);
        let leads_to = |route: &Route| Lane::Provider(route.provider.clone()) == pass.lane;
        let Some(route) = routes.into_iter().find(leads_to) else {
            return no_provider(work);
        };
        let clock = &self.deps.session.clock;
        let (provider, model) = (route.provider.clone(), route.model.clone());
        let started = clock.moment();
        let asked = (turn, route, messages, tools);
        let asking = self.ask_once(outlet, session, (&pass, departure, max_tokens), asked);
        let result = asking.await;
        let ms = clock.moment().millis_since(started);
        pass.outcome = call_outcome(&result, is_last_try, is_bare);
        self.report_cost((&provider, &model), &result);
        let is_in_vain = pass.is_trial && pass.outcome.is_failure();
        let lane = pass.lane.clone();
        drop(pass);
        let others = match &result {
            Ok(_) => OthersGet::Nobody,
            Err(fault) => self.others_get(&lane, fault).await,
        };
        match result {
            Err(fault) if is_in_vain => LifeInput::StillAway {
                work,
                provider,
                fault,
                others,
            },
            result => LifeInput::Replied {
                work,
                provider,
                result,
                ms,
                others,
            },
        }
    }

    /// What the other conversations get. After a refusal, their next answers are awaited for a while;
    /// other faults are tried again anyway.
    async fn others_get(&self, lane: &Lane, fault: &ModelFault) -> OthersGet {
        let gate = &self.deps.session.gate;
        let is_awaited = match fault {
            ModelFault::Refused { .. } | ModelFault::OutOfService { .. } => true,
            ModelFault::Permanent { .. }
            | ModelFault::Transient { .. }
            | ModelFault::Unreachable { .. }
            | ModelFault::NoDescriptor { .. }
            | ModelFault::Empty { .. }
            | ModelFault::TooLong { .. }
            | ModelFault::Adapted { .. } => false,
        };
        let mut looks = if is_awaited { OTHERS_LOOKS } else { 1 };
        loop {
            let others = gate.others_get(lane, self.payer).await;
            looks -= 1;
            if looks == 0 || others != OthersGet::Unknown {
                return others;
            }
            tokio::time::sleep(OTHERS_PAUSE).await;
        }
    }

    fn report_cost(
        &self,
        (provider, model): (&Arc<str>, &str),
        result: &Result<ModelAnswer, ModelFault>,
    ) {
        let reported = ReportedUse::of_result(result);
        let gate = &self.deps.session.gate;
        if let Some(bill) = self.rules.call_charge(provider, model, reported) {
            gate.report_charge(self.payer, bill);
        }
    }

    async fn ask_once(
        &self,
        outlet: &Outlet,
        session: &GameSession,
        (pass, departure, max_tokens): (&Permit, Departure, Option<u32>),
        (turn, route, messages, tools): (TurnNumber, Route, Arc<[ChatMessage]>, ToolOffer),
    ) -> Result<ModelAnswer, ModelFault> {
        let Some(provider) = self.rules.providers.get(&route.provider) else {
            return Err(ModelFault::Permanent {
                text: format!(
                    "the configuration has no provider `{}`; `zoea mysis configure NAME --provider P` \
                     gives it another",
                    route.provider
                ),
            });
        };
        // A secret may have become known after the request was composed.
        let secrets = &self.deps.session.secrets;
        let known = secrets.redactor();
        let cleaned: Arc<[ChatMessage]> = messages
            .iter()
            .map(|message| message.without_secrets(&known))
            .collect();
        // The answer may take minutes.
        drop(messages);
        let request = ModelRequest {
            provider: route.provider,
            model: route.model,
            temperature: route.temperature,
            max_tokens,
            messages: cleaned,
            tools: session.offered_tools(&tools).without_secrets(&known),
        };
        let now = self.deps.session.clock.now();
        let sent = Box::new(LastRequest {
            at: now,
            request: request.clone(),
            change: None,
        });
        // A Mysis that is gone answers no queries.
        let _ = self.mysis.cast(MysisMsg::Sent(sent));
        let mysis = self.payer;
        let meter = AnswerMeter::of_turn(TurnRef { mysis, turn });
        let model = request.model.clone();
        let calls = &self.deps.session.calls;
        let watched = calls.begin(pass.lane.clone(), &model, mysis);
        let answer = departure.begin(self.deps.models.ask(request, meter.clone()));
        let report = |arrived| {
            if pass.is_trial {
                pass.report_sign_of_life();
            }
            outlet.show(Activity::Answering(arrived));
        };
        let on_sign = || watched.note_sign_of_life();
        let waiting = await_answer(answer.boxed(), &meter, provider.timeout, (report, on_sign));
        let mut answer = waiting.await;
        watched.end(answer.is_ok());
        remove_secrets_of_reply(&mut answer, &secrets.redactor());
        answer
    }
}

fn emit_budget(outlet: &Outlet, pass: &Permit) {
    if let Some(percent) = pass.spent_percent {
        outlet.tell_life(LifeInput::Spent(percent));
    }
    if let Some(text) = &pass.notice {
        outlet.tell_life(LifeInput::Noticed {
            severity: Severity::Warn,
            code: "budget_low",
            text: text.to_string(),
        });
    }
}

fn asked_to_wait(fault: &ModelFault) -> Option<Duration> {
    if let ModelFault::Transient { retry_after, .. } = fault {
        retry_after.map(|wait| wait.clamp(MIN_RETRY_AFTER, MAX_OBEYED_RETRY_AFTER))
    } else {
        None
    }
}

/// What a result says about the provider. One that names a time for the next request is not down, as long
/// as the Mysis has another try.
fn call_outcome(
    result: &Result<ModelAnswer, ModelFault>,
    ends_round: bool,
    is_bare: bool,
) -> CallOutcome {
    let fails = |text: &str, is_unreachable| CallOutcome::Fails {
        text: text.into(),
        is_unreachable,
        ends_round,
        is_refusal: false,
    };
    match result {
        Ok(answer) => CallOutcome::Works {
            is_bare,
            tokens: answer
                .usage
                .map(|usage| usage.input.saturating_add(usage.output)),
        },
        // Whoever refuses a fixed text serves nobody.
        Err(ModelFault::Refused { text, .. }) if is_bare => CallOutcome::Fails {
            text: text.as_str().into(),
            is_unreachable: false,
            ends_round: true,
            is_refusal: true,
        },
        Err(
            fault @ (ModelFault::Permanent { .. }
            | ModelFault::Refused { .. }
            | ModelFault::Transient {
                retry_after: Some(_),
                ..
            }),
        ) => CallOutcome::Refuses {
            text: fault.text().into(),
            wait: asked_to_wait(fault),
            is_of_all: matches!(fault, ModelFault::Permanent { .. }),
            ends_round,
        },
        // No fixed text is too long: the server says so of something else.
        Err(ModelFault::TooLong { text, .. }) if is_bare => fails(text, false),
        Err(ModelFault::TooLong { .. } | ModelFault::Adapted { .. }) => CallOutcome::Answers,
        Err(ModelFault::Transient { text, .. } | ModelFault::Empty { text, .. }) => {
            fails(text, false)
        }
        Err(ModelFault::Unreachable { text }) => fails(text, true),
        Err(ModelFault::OutOfService {
            text,
            wait,
            ends_by,
        }) => CallOutcome::OutOfService {
            text: text.as_str().into(),
            wait: *wait,
            ends_by: *ends_by,
            is_of_all: false,
        },
        // No request was sent, so nothing is known about the provider.
        Err(ModelFault::NoDescriptor { .. }) => CallOutcome::Dropped,
    }
}

/// The answer to a request that names no provider of the permit.
fn no_provider(work: TaskId) -> LifeInput {
    LifeInput::Replied {
        work,
        provider: "".into(),
        result: Err(ModelFault::Permanent {
            text: "there is no provider to ask".to_string(),
        }),
        ms: 0,
        others: OthersGet::Nobody,
    }
}
