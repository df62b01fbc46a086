//! What was learnt about the form of requests to a provider's model: it is kept, told, and used by all.

use std::sync::Arc;

use crate::compose::{MIN_BUDGET_BYTES, calls_as_words};
use crate::held::{HeldKind, HeldText, HeldTexts, Recipient};
use crate::life::Life;
use crate::life::record::WriteDraft;
use crate::message::Severity;
use crate::model::{ChatCall, ChatMessage};
use crate::role_list::ListNews;
use crate::tool::Toolset;
use crate::tool_offer::{ToolOffer, ToolSelection};
use crate::write::Write;

use super::tools::ToolStep;
use super::{AskForm, fixed_text};

/// What a model is told whose server ended its answer without a word: as of a call that cannot be read.
const UNREAD_TEXT: &str = "Error: malformed_call: the model server could not read the call that you \
    wrote, so none was made. Call again, with a tool of the list and arguments by its schema.";

fn unread_call() -> [ChatMessage; 2] {
    let call = ChatCall {
        id: "call_unread".into(),
        name: "unread".into(),
        arguments: "{}".into(),
    };
    [
        ChatMessage::Assistant {
            text: "".into(),
            calls: vec![call.clone()],
            echo: None,
        },
        ChatMessage::Tool {
            call_id: call.id,
            text: UNREAD_TEXT.into(),
        },
    ]
}

#[derive(Clone, Debug, Default)]
pub(in crate::life) struct ServedForm {
    pub(super) tools: Option<Arc<Toolset>>,
    pub(super) has_calls: bool,
    pub(super) runtime_texts: Vec<Arc<str>>,
}

impl Life {
    pub(super) fn note_served(
        &mut self,
        provider: &Arc<str>,
        asked: &Recipient,
        runtime_texts: Vec<Arc<str>>,
    ) {
        let whom = self.recipient();
        if whom.provider != *provider || whom.model != asked.model {
            return;
        }
        self.served.runtime_texts = runtime_texts;
        self.served.tools = Some(self.session.offer.tools().clone());
        self.served.has_calls = self.served.has_calls || self.sends_calls();
    }

    /// What was learnt of its model, but for what is put to the proof.
    fn lessons(&self, kind: HeldKind) -> impl Iterator<Item = &Arc<HeldText>> {
        let doubted = &self.trials.doubted;
        let whom = self.recipient();
        let all = self.held.lessons().iter();
        all.filter(move |held| held.kind == kind && !doubted.contains(held))
            .filter(move |held| (&held.provider, &held.model) == (&whom.provider, &whom.model))
    }

    pub(super) fn is_tool_refused(&self, name: &str) -> bool {
        self.lessons(HeldKind::Tool).any(|held| *held.text == *name)
    }

    pub(super) fn writes_calls_as_words(&self) -> bool {
        self.lessons(HeldKind::Calls).next().is_some()
    }

    /// The tools that stand in no request to its model.
    pub(in crate::life) fn tools_left_out(&self) -> Vec<Arc<str>> {
        let tools = self.lessons(HeldKind::Tool);
        let mut names: Vec<Arc<str>> = tools.map(|held| held.text.clone()).collect();
        let search = self.trials.search.as_ref();
        let search = search.filter(|_| self.trials.form == AskForm::WithoutTools);
        if let Some(ToolStep::Found(found)) = search.map(|search| search.step()) {
            names.extend(found);
        }
        names
    }

    pub(in crate::life) fn learnt_bytes(&self) -> Option<usize> {
        let most = self.lessons(HeldKind::Size).next()?.text.parse::<usize>();
        Some(most.ok()?.max(MIN_BUDGET_BYTES))
    }

    /// The messages and tools of a request, in the form that is asked for or was learnt.
    pub(in crate::life) fn in_form(
        &self,
        mut messages: Vec<ChatMessage>,
    ) -> (Arc<[ChatMessage]>, ToolOffer) {
        let form = self.trials.form;
        if form.is_bare() {
            let search = self.trials.search.as_ref();
            let step = search.filter(|_| form == AskForm::Tools);
            let tools = match step.map(|search| search.step()) {
                Some(ToolStep::Ask(names)) => self.offer_of(&names),
                Some(ToolStep::Found(_)) | None => self.offer_of(&[]),
            };
            return (fixed_text(), tools);
        }
        if form == AskForm::WithNotice {
            messages.extend(unread_call());
        }
        let messages = match form == AskForm::Calls || self.writes_calls_as_words() {
            true => calls_as_words(&messages),
            false => messages,
        };
        (messages.into(), self.session.offer.clone())
    }

    fn offer_of(&self, names: &[Arc<str>]) -> ToolOffer {
        let selection = ToolSelection {
            // The list may become known only when the request leaves.
            only: Some(names.to_vec()),
            ..self.session.offer.selection().clone()
        };
        ToolOffer::choose(&self.session.tools, &self.tool_permit(), selection)
    }

    /// The size up to which requests are served belongs to the model, and no longer to this life. It is
    /// that of the request that was served, which may have been smaller than it was allowed to be.
    pub(super) fn learn_size(&mut self, whom: &Recipient, said: &str) {
        let served = self.asked_bytes().max(MIN_BUDGET_BYTES);
        if let Some(most) = self.most_bytes.take().map(|most| most.min(served)) {
            self.learn((HeldKind::Size, most.to_string().into()), whom, said);
        }
    }

    pub(super) fn learn_of_tools(&mut self, found: &[Arc<str>], whom: &Recipient, said: &str) {
        for name in found {
            self.learn((HeldKind::Tool, name.clone()), whom, said);
        }
        if !found.is_empty() {
            self.emit_list_news(ListNews::Refused);
        }
    }

    pub(super) fn learn(
        &mut self,
        (kind, text): (HeldKind, Arc<str>),
        whom: &Recipient,
        said: &str,
    ) {
        let mut draft = WriteDraft::default();
        if kind == HeldKind::Size {
            let before = self.held.lessons_of((&whom.provider, &whom.model));
            let before = before.filter(|held| held.kind == kind).cloned();
            draft.writes.extend(before.map(Write::ReleaseText));
        }
        let held = HeldText {
            kind,
            provider: whom.provider.clone(),
            model: whom.model.clone(),
            text,
            mysis: self.id,
            // Its own notice.
            seq: self.conversation.last_seq().next(),
            is_local: false,
            said: said.into(),
            proof: "a request with it failed, one without it was served".into(),
            at: self.now.wall,
            // A server that fails may have had another reason.
            doubted_at: match said.starts_with("HTTP 5") {
                true => HeldText::soon_doubted(self.now.wall),
                false => self.now.wall,
            },
        };
        let text = format!(
            "{} {} refuses {}, so it gets none from now on, also from other Myses: {said}",
            held.provider,
            held.model,
            held.shown()
        );
        self.add_host_notice(&mut draft, Severity::Warn, "learnt", &text);
        self.keep_held(&mut draft, Arc::new(held));
        self.record_draft(draft);
    }

    /// A lesson that is to be put to the proof again, if the next request would not keep to it.
    pub(super) fn doubted_lesson(&self) -> Option<Arc<HeldText>> {
        let whom = self.recipient();
        let known = self.held.lessons_of((&whom.provider, &whom.model));
        let mut due = known.filter(|held| HeldTexts::is_doubted(held, self.now.wall));
        let bytes = self.asked_bytes();
        due.find(|held| match held.kind {
            HeldKind::Tool => self.session.allowed.get(&held.text).is_some(),
            // The last request was about as long as it may be.
            HeldKind::Size => self
                .learnt_bytes()
                .is_some_and(|most| bytes >= most / 10 * 9),
            HeldKind::Calls => self.conversation.last_utterance().is_some(),
            HeldKind::Text => false,
        })
        .cloned()
    }
}
