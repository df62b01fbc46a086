//! Work: the tasks in which a Mysis waits for the outside, so that its mailbox never does.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use ractor::ActorRef;
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

use crate::domain::circuit::Outcome;
use crate::domain::event::Activity;
use crate::domain::gate::{Asker, Lane};
use crate::domain::ids::{Incarnation, MysisId};
use crate::domain::life::{Ask, CallOrder, Input, Route, ToolOutcome, Work};
use crate::domain::message::{CallStatus, Severity};
use crate::domain::model::{
    ChatMessage, LONGEST_RETRY_AFTER, ModelAnswer, ModelFault, ModelRequest,
};
use crate::domain::rules::SwarmRules;
use crate::domain::sent::Sent;
use crate::domain::write::{Author, Batch, Write};
use crate::gate::{Admission, Pass};
use crate::session::{Means, News, Outlet, Session};
use crate::store::StoreHandle;

use super::{MysisMsg, Surroundings, Worked};

/// Waits between tries to read the past.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Shuts older lives out, then reads the past.
pub(super) fn recall(
    mysis: ActorRef<MysisMsg>,
    means: Means,
    id: MysisId,
    incarnation: Incarnation,
) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(async move {
        let fence = Batch {
            author: Author::Mysis(id, incarnation),
            writes: vec![Write::Fence {
                mysis: id,
                incarnation,
            }],
        };
        let mut wait = FIRST_WAIT;
        let past = loop {
            match read_past(&means, id, fence.clone()).await {
                Ok(past) => break past,
                Err(why) => {
                    // A Mysis that is gone has no use for its past.
                    let _ = mysis.cast(MysisMsg::CannotRecall(why));
                }
            }
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        };
        let _ = mysis.cast(MysisMsg::Recalled(past));
    }))
}

async fn read_past(
    means: &Means,
    id: MysisId,
    fence: Batch,
) -> Result<crate::domain::write::Recollection, String> {
    let fenced = means.store.write(fence).await;
    fenced.map_err(|fault| format!("the conversation cannot be taken up: {fault}"))?;
    let past = means.archive.recall(id).await;
    past.map_err(|fault| format!("the conversation cannot be read: {fault}"))
}

/// Carries a batch to the Store and brings the answer.
pub(super) fn record(
    mysis: ActorRef<MysisMsg>,
    store: StoreHandle,
    batch: Batch,
) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(async move {
        let answer = store.write(batch).await;
        // A Mysis that is gone rebuilds itself from what is stored.
        let _ = mysis.cast(MysisMsg::Recorded(answer));
    }))
}

/// Asks the model once, with the session ready where it can be.
pub(super) fn ask(
    mysis: &ActorRef<MysisMsg>,
    surroundings: &Arc<Surroundings>,
    rules: &Arc<SwarmRules>,
    payer: MysisId,
    session: Session,
    ask: Ask,
) -> AbortOnDropHandle<()> {
    let work = ask.work;
    let provider = own_route(&ask).map(|route| route.provider.clone());
    let provider = provider.unwrap_or_default();
    let door = Door {
        mysis: mysis.clone(),
        work,
    };
    let (surroundings, rules) = (surroundings.clone(), rules.clone());
    spawn(
        mysis.clone(),
        work,
        async move { asked(&door, &surroundings, &rules, payer, session, ask).await },
        move |text| Input::Replied {
            work,
            provider,
            result: Err(ModelFault::Transient {
                text,
                retry_after: None,
            }),
            ms: 0,
        },
    )
}

async fn asked(
    door: &Door,
    surroundings: &Surroundings,
    rules: &SwarmRules,
    payer: MysisId,
    mut session: Session,
    ask: Ask,
) -> (Session, Input) {
    // Before the gate: whoever holds a place there waits for nothing else.
    session.prepare(door).await;
    let work = ask.work;
    let input = match admitted(door, surroundings, payer, &ask).await {
        None => Input::Replied {
            work,
            provider: "".into(),
            result: Err(ModelFault::Transient {
                text: "the program is closing".to_string(),
                retry_after: None,
            }),
            ms: 0,
        },
        Some(Admission::Held { why, until }) => Input::Held { work, why, until },
        Some(Admission::In(pass)) => {
            door.news(News::Progress(Activity::CallingModel));
            pass_through(door, surroundings, rules, payer, pass, &session, ask).await
        }
    };
    (session, input)
}

async fn admitted(
    door: &Door,
    surroundings: &Surroundings,
    payer: MysisId,
    ask: &Ask,
) -> Option<Admission> {
    let first = own_route(ask)?;
    let queue = format!("waiting for {}", first.provider);
    door.news(News::Progress(Activity::Queueing(queue.into())));
    let lanes = ask.routes.iter();
    let asker = Asker {
        routes: lanes
            .map(|route| Lane::Provider(route.provider.clone()))
            .collect(),
        payer: Some(payer),
        is_urgent: ask.is_urgent,
        tokens: ask.tokens,
    };
    surroundings.means.gate.ask(asker).await
}

fn own_route(ask: &Ask) -> Option<&Route> {
    ask.routes.first()
}

/// Asks the provider that the pass leads to. What it cost is told before the pass ends, so that
/// nobody is let in on money that is spent.
async fn pass_through(
    door: &Door,
    surroundings: &Surroundings,
    rules: &SwarmRules,
    payer: MysisId,
    mut pass: Pass,
    session: &Session,
    ask: Ask,
) -> Input {
    let Ask {
        work,
        routes,
        messages,
        ..
    } = ask;
    if let Some(text) = &pass.told {
        door.news(News::Notice {
            severity: Severity::Warn,
            code: "budget_low",
            text: text.to_string(),
        });
    }
    let leads_to = |route: &Route| Lane::Provider(route.provider.clone()) == pass.lane;
    let Some(route) = routes.into_iter().find(leads_to) else {
        return Input::Replied {
            work,
            provider: "".into(),
            result: Err(ModelFault::Permanent {
                text: "there is no provider to ask".to_string(),
            }),
            ms: 0,
        };
    };
    let clock = &surroundings.means.clock;
    let provider = route.provider.clone();
    let started = clock.now();
    let result = ask_once(door, surroundings, rules, session, route, messages).await;
    let ms = clock.now().since(started);
    let usage = match &result {
        Ok(answer) => answer.usage,
        Err(fault) => fault.usage(),
    };
    let gate = &surroundings.means.gate;
    if let Some(bill) = rules.bill(&provider, usage) {
        gate.paid(payer, bill);
    }
    if let Some(wait) = result.as_ref().err().and_then(asked_to_wait) {
        gate.hold(pass.lane.clone(), wait);
    }
    pass.outcome = outcome(&result);
    drop(pass);
    Input::Replied {
        work,
        provider,
        result,
        ms,
    }
}

/// How long a provider asks everybody to stay away.
fn asked_to_wait(fault: &ModelFault) -> Option<Duration> {
    match fault {
        ModelFault::Transient { retry_after, .. } => {
            retry_after.map(|wait| wait.min(LONGEST_RETRY_AFTER))
        }
        ModelFault::Permanent { .. }
        | ModelFault::Unreachable { .. }
        | ModelFault::Empty { .. }
        | ModelFault::TooLong { .. }
        | ModelFault::Adapted { .. } => None,
    }
}

/// What an answer tells about the provider. One that says when to come back is not down.
fn outcome(result: &Result<ModelAnswer, ModelFault>) -> Outcome {
    match result {
        Ok(answer) => Outcome::Works {
            tokens: answer.usage.map(|usage| usage.input + usage.output),
        },
        Err(
            ModelFault::Permanent { .. }
            | ModelFault::TooLong { .. }
            | ModelFault::Adapted { .. }
            | ModelFault::Transient {
                retry_after: Some(_),
                ..
            },
        ) => Outcome::Works { tokens: None },
        Err(ModelFault::Transient { text, .. } | ModelFault::Empty { text, .. }) => {
            Outcome::Fails {
                text: text.as_str().into(),
                is_unreachable: false,
            }
        }
        Err(ModelFault::Unreachable { text }) => Outcome::Fails {
            text: text.as_str().into(),
            is_unreachable: true,
        },
    }
}

async fn ask_once(
    door: &Door,
    surroundings: &Surroundings,
    rules: &SwarmRules,
    session: &Session,
    route: Route,
    messages: Arc<[ChatMessage]>,
) -> Result<ModelAnswer, ModelFault> {
    let Some(provider) = rules.providers.get(&route.provider) else {
        return Err(ModelFault::Permanent {
            text: format!("the configuration has no provider `{}`", route.provider),
        });
    };
    let request = ModelRequest {
        provider: route.provider,
        model: route.model,
        temperature: route.temperature,
        max_tokens: None,
        messages,
        tools: session.tools().clone(),
    };
    door.sent(Sent {
        at: surroundings.means.clock.now(),
        request: request.clone(),
    });
    let answer = surroundings.models.ask(request);
    match tokio::time::timeout(provider.timeout, answer).await {
        Ok(result) => result,
        Err(_) => Err(ModelFault::Transient {
            text: format!("no answer within {:?}", provider.timeout),
            retry_after: None,
        }),
    }
}

/// Makes one tool call.
pub(super) fn call(
    mysis: &ActorRef<MysisMsg>,
    mut session: Session,
    order: CallOrder,
) -> AbortOnDropHandle<()> {
    let work = order.work;
    let door = Door {
        mysis: mysis.clone(),
        work,
    };
    spawn(
        mysis.clone(),
        work,
        async move {
            let outcome = session.call(&order, &door).await;
            (session, Input::Returned { work, outcome })
        },
        move |text| Input::Returned {
            work,
            outcome: ToolOutcome {
                text: format!("outcome unknown: {text}"),
                status: CallStatus::Unknown,
                ms: 0,
                tick: None,
            },
        },
    )
}

/// Runs work to its end; a panic in it costs the session, not the Mysis.
fn spawn(
    mysis: ActorRef<MysisMsg>,
    work: Work,
    job: impl Future<Output = (Session, Input)> + Send + 'static,
    panicked: impl FnOnce(String) -> Input + Send + 'static,
) -> AbortOnDropHandle<()> {
    AbortOnDropHandle::new(tokio::spawn(async move {
        let (session, input) = match AssertUnwindSafe(job).catch_unwind().await {
            Ok((session, input)) => (Some(session), input),
            Err(panic) => (None, panicked(panic_text(&*panic))),
        };
        let worked = Worked {
            work,
            session,
            input,
        };
        // A Mysis that is gone dropped this work with it.
        let _ = mysis.cast(MysisMsg::Worked(Box::new(worked)));
    }))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_string())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panic: {}", text.unwrap_or_default())
}

/// Through which a session under work speaks to its Mysis.
struct Door {
    mysis: ActorRef<MysisMsg>,
    work: Work,
}

impl Door {
    /// Keeps what is sent, for whoever wants to see it.
    fn sent(&self, sent: Sent) {
        // A Mysis that is gone shows nothing.
        let _ = self.mysis.cast(MysisMsg::Sent(Box::new(sent)));
    }
}

impl Outlet for Door {
    fn news(&self, news: News) {
        // A Mysis that is gone dropped this work with it.
        let _ = self.mysis.cast(MysisMsg::News(self.work, news));
    }

    fn leaving(&self) -> BoxFuture<'static, bool> {
        let (go, may_go) = oneshot::channel();
        let told = self.mysis.cast(MysisMsg::Leaving(self.work, go));
        async move { told.is_ok() && may_go.await.unwrap_or(false) }.boxed()
    }
}
