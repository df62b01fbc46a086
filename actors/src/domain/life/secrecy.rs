//! Secrecy: whatever comes from outside loses its secrets before anything is made of it.
//!
//! Every text of every input, not a list of fields: what is stored, shown, traced and sent is made
//! of nothing else.

use std::sync::Arc;

use serde_json::Value;

use crate::event::Activity;
use crate::message::Utterance;
use crate::model::{ChatCall, ChatMessage, ModelAnswer, ModelFault, RequestedCall};
use crate::record::Mission;
use crate::redact::{Redactor, hide_passwords};

use super::Life;
use super::input::{LifeInput, ToolOutcome};

impl LifeInput {
    /// The same without the secrets that are known.
    pub(super) fn without_secrets(self, known: &Redactor) -> LifeInput {
        match self {
            LifeInput::Ordered { asker, order } => LifeInput::Ordered {
                asker,
                order: order.without_secrets(known),
            },
            LifeInput::MissionStands(mission) => {
                LifeInput::MissionStands(mission.map(|mission| mission.without_secrets(known)))
            }
            LifeInput::Recorded { ticket, outcome } => LifeInput::Recorded {
                ticket,
                outcome: outcome.map_err(|why| known.clean_own(why)),
            },
            LifeInput::Progressed { work, activity } => LifeInput::Progressed {
                work,
                activity: activity.without_secrets(known),
            },
            LifeInput::Linked {
                link,
                tools,
                account,
            } => LifeInput::Linked {
                link,
                tools: tools.without_secrets(known),
                account,
            },
            LifeInput::Assigned(account) => LifeInput::Assigned(account),
            LifeInput::Noticed {
                severity,
                code,
                text,
            } => LifeInput::Noticed {
                severity,
                code,
                text: known.clean_own(text),
            },
            LifeInput::Held { work, why, until } => LifeInput::Held {
                work,
                why: known.clean_shared(why),
                until,
            },
            LifeInput::Replied {
                work,
                provider,
                result,
                ms,
            } => LifeInput::Replied {
                work,
                provider,
                result: match result {
                    Ok(answer) => Ok(answer.without_secrets(known)),
                    Err(fault) => Err(fault.without_secrets(known)),
                },
                ms,
            },
            LifeInput::StillAway {
                work,
                provider,
                fault,
            } => LifeInput::StillAway {
                work,
                provider,
                fault: fault.without_secrets(known),
            },
            LifeInput::Died { work, text } => LifeInput::Died {
                work,
                text: known.clean_own(text),
            },
            LifeInput::Returned { work, outcome } => LifeInput::Returned {
                work,
                outcome: ToolOutcome {
                    text: known.clean_own(outcome.text),
                    ..outcome
                },
            },
            LifeInput::RulesChanged { .. }
            | LifeInput::Leaving { .. }
            | LifeInput::Rang { .. }
            | LifeInput::WindDown => self,
        }
    }
}

impl Life {
    /// What the model writes for a password into `login` counts for nothing, since the game gets the
    /// assigned one: it is kept nowhere, and so not sent back (DESIGN 6).
    pub(super) fn without_passwords(
        &self,
        utterance: Utterance,
        mut asked: Vec<RequestedCall>,
    ) -> (Utterance, Vec<RequestedCall>) {
        let offers = |name: &str| self.session.tools.get(name).is_some();
        if !offers("login") || !offers("register") {
            return (utterance, asked);
        }
        let mut passwords: Vec<Arc<str>> = Vec::new();
        for call in &mut asked {
            let meant = self
                .session
                .tools
                .resolve_name(&call.name)
                .map(|tool| &*tool.name);
            if !matches!(meant, Some("login" | "register")) {
                continue;
            }
            let written = serde_json::from_str::<Value>(&call.arguments).ok();
            let password = written
                .as_ref()
                .and_then(|written| written["password"].as_str());
            passwords.extend(password.map(Into::into));
            call.arguments = hide_passwords(&call.arguments).into_owned();
        }
        let written = Redactor::new(passwords);
        let clean = |text: Arc<str>| written.clean_shared(text);
        let utterance = Utterance {
            text: clean(utterance.text),
            reasoning: utterance.reasoning.map(clean),
            ..utterance
        };
        (utterance, asked)
    }
}

impl Mission {
    pub(crate) fn without_secrets(self, known: &Redactor) -> Mission {
        Mission {
            text: known.clean_shared(self.text),
            ..self
        }
    }
}

impl Activity {
    fn without_secrets(self, known: &Redactor) -> Activity {
        match self {
            Activity::CoolingDown(why) => Activity::CoolingDown(known.clean_shared(why)),
            Activity::CallingTool(tool) => Activity::CallingTool(known.clean_shared(tool)),
            Activity::Paused(why) => Activity::Paused(known.clean_shared(why)),
            // Names of the configuration.
            Activity::Queueing(_)
            | Activity::Resting
            | Activity::Rebuilding
            | Activity::Pausing
            | Activity::Connecting
            | Activity::CallingModel
            | Activity::Answering(_)
            | Activity::Travelling
            | Activity::Mining
            | Activity::Fighting
            | Activity::InTransit
            | Activity::OnCooldown
            | Activity::Recording => self,
        }
    }
}

impl ModelAnswer {
    /// The same without secrets: in its words, its calls and whatever else the server says of it.
    #[must_use]
    pub fn without_secrets(self, known: &Redactor) -> ModelAnswer {
        let clean = |text: String| known.clean_own(text);
        ModelAnswer {
            text: clean(self.text),
            reasoning: self.reasoning.map(clean),
            calls: self
                .calls
                .into_iter()
                .map(|call| RequestedCall {
                    id: clean(call.id),
                    name: clean(call.name),
                    arguments: clean(call.arguments),
                })
                .collect(),
            finish_reason: self.finish_reason.map(clean),
            usage: self.usage,
            model: self.model.map(clean),
            doubt: self.doubt.map(|doubt| known.clean_shared(doubt)),
        }
    }
}

impl ModelFault {
    /// The same without secrets.
    #[must_use]
    pub fn without_secrets(self, known: &Redactor) -> ModelFault {
        let clean = |text: String| known.clean_own(text);
        match self {
            ModelFault::Transient { text, retry_after } => ModelFault::Transient {
                text: clean(text),
                retry_after,
            },
            ModelFault::Unreachable { text } => ModelFault::Unreachable { text: clean(text) },
            ModelFault::NoDescriptor { text } => ModelFault::NoDescriptor { text: clean(text) },
            ModelFault::Empty { text, usage } => ModelFault::Empty {
                text: clean(text),
                usage,
            },
            ModelFault::TooLong { text } => ModelFault::TooLong { text: clean(text) },
            ModelFault::Adapted { text } => ModelFault::Adapted { text: clean(text) },
            ModelFault::Permanent { text } => ModelFault::Permanent { text: clean(text) },
        }
    }
}

impl ChatMessage {
    /// The same without secrets: it may have been composed before they were known.
    #[must_use]
    pub fn without_secrets(&self, known: &Redactor) -> ChatMessage {
        let clean = |text: &Arc<str>| known.clean_shared(text.clone());
        match self {
            ChatMessage::System(text) => ChatMessage::System(clean(text)),
            ChatMessage::User(text) => ChatMessage::User(clean(text)),
            ChatMessage::Assistant { text, calls } => ChatMessage::Assistant {
                text: clean(text),
                calls: calls
                    .iter()
                    .map(|call| ChatCall {
                        id: clean(&call.id),
                        name: clean(&call.name),
                        arguments: clean(&call.arguments),
                    })
                    .collect(),
            },
            ChatMessage::Tool { call_id, text } => ChatMessage::Tool {
                call_id: clean(call_id),
                text: clean(text),
            },
        }
    }
}
