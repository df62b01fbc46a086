//! Secrecy: removes secrets from all inputs before anything else happens.
//!
//! It cleans every text of every input instead of a list of fields. All that is stored, shown,
//! traced and sent is made of these inputs.

use std::sync::Arc;

use serde_json::Value;
use zoea_spacemolt::commands::command_of_text;

use crate::event::Activity;
use crate::message::Utterance;
use crate::model::{ModelAnswer, ModelFault, RequestedCall};
use zoea_text::redact::{REDACTED, Redactor, hide_passwords};

use super::Life;
use super::input::LifeInput;

impl LifeInput {
    pub(super) fn remove_secrets(&mut self, known: &Redactor) {
        match self {
            LifeInput::Ordered { reply: _, order } => order.remove_secrets(known),
            LifeInput::MissionStands(Some(mission)) => mission.remove_secrets(known),
            LifeInput::Recorded { outcome: Err(why), .. } => known.clean_in_place(why),
            LifeInput::Progressed { work: _, activity } => activity.remove_secrets(known),
            LifeInput::Linked {
                link: _,
                fault,
                tools,
                account: _,
            } => {
                *tools = tools.without_secrets(known);
                fault.iter_mut().for_each(|why| known.clean_in_place(why));
            }
            LifeInput::Noticed {
                severity: _,
                code: _,
                text,
            }
            | LifeInput::LoggedIn { account: _, text }
            | LifeInput::Died { work: _, text }
            | LifeInput::LoginRefused { work: _, text } => known.clean_in_place(text),
            LifeInput::Held {
                work: _,
                why,
                until: _,
            } => known.clean_in_place(why),
            LifeInput::Replied {
                work: _,
                provider: _,
                result,
                ms: _,
                others: _,
            } => remove_secrets_of_reply(result, known),
            LifeInput::StillAway {
                work: _,
                provider: _,
                fault,
                others: _,
            } => fault.remove_secrets(known),
            LifeInput::Returned { work: _, outcome } => known.clean_in_place(&mut outcome.text),
            LifeInput::MissionStands(None)
            | LifeInput::Spent(_)
            | LifeInput::Recorded {
                outcome: Ok(()), ..
            }
            | LifeInput::Assigned(_)
            | LifeInput::RulesChanged(_)
            | LifeInput::Outdated { .. }
            | LifeInput::Leaving { .. }
            // The server's id of a call is sent back as it is, or not stored.
            | LifeInput::TaskGiven { .. }
            | LifeInput::Rang { .. }
            | LifeInput::StillWaiting
            | LifeInput::WindDown
            | LifeInput::HandOver => {}
        }
    }
}

pub fn remove_secrets_of_reply(reply: &mut Result<ModelAnswer, ModelFault>, known: &Redactor) {
    match reply {
        Ok(answer) => answer.remove_secrets(known),
        Err(fault) => fault.remove_secrets(known),
    }
}

impl Life {
    /// Removes the password that the model wrote into `login`. The game gets the assigned one, so
    /// the model's is neither stored nor sent back (docs/design/sessions.md).
    pub(super) fn without_passwords(
        &self,
        mut utterance: Utterance,
        mut asked: Vec<RequestedCall>,
    ) -> (Utterance, Vec<RequestedCall>) {
        let offers = |command: &str| self.session.tools.tool_of_command(command).is_some();
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
            let command = meant.map(|tool| command_of_text(tool, &call.arguments));
            if !matches!(
                command.as_deref(),
                Some("login" | "login_token" | "login_link_poll" | "register")
            ) {
                continue;
            }
            let written = serde_json::from_str::<Value>(&call.arguments).ok();
            let said = |key: &str| written.as_ref().and_then(|written| written[key].as_str());
            call.arguments = hide_passwords(&call.arguments).into_owned();
            let tokens = ["token", "device_code"].map(said);
            for token in tokens
                .into_iter()
                .flatten()
                .filter(|token| !token.is_empty())
            {
                call.arguments = call.arguments.replace(token, REDACTED);
            }
            let secrets = [said("password")].into_iter().chain(tokens);
            passwords.extend(secrets.flatten().map(Into::into));
        }
        let written = Redactor::new(passwords);
        let clean = |text: &mut Arc<str>| written.clean_in_place(text);
        clean(&mut utterance.text);
        utterance.reasoning.iter_mut().for_each(clean);
        if let Some(echo) = &mut Arc::make_mut(&mut utterance.meta).echo {
            Arc::make_mut(echo).for_each_text(clean);
        }
        (utterance, asked)
    }
}

impl Activity {
    fn remove_secrets(&mut self, known: &Redactor) {
        match self {
            Activity::CoolingDown(_, text)
            | Activity::CallingTool(text)
            | Activity::AwaitingLogin(text)
            | Activity::Paused(text) => known.clean_in_place(text),
            Activity::Asked(question) => Arc::make_mut(question).remove_secrets(known),
            // These names come from the configuration.
            Activity::Queueing(_)
            | Activity::Resting
            | Activity::Rebuilding
            | Activity::Pausing
            | Activity::Waiting
            | Activity::Done
            | Activity::Connecting
            | Activity::CallingModel
            | Activity::Answering(_)
            | Activity::Travelling
            | Activity::Mining
            | Activity::Fighting
            | Activity::InTransit
            | Activity::OnCooldown
            | Activity::Recording => {}
        }
    }
}
