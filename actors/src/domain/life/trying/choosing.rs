//! Which trial comes next: the one whose cause is the most likely, then the others.

use std::sync::Arc;

use crate::compose::MIN_BUDGET_BYTES;
use crate::held::Recipient;
use crate::life::Life;
use crate::message::{Row, RowKind};
use crate::model::RefusalHint;

use super::tools::{ToolSearch, ToolStep};
use super::{AskForm, NewTexts, PATIENT_FAILURES, Trials};

/// The most requests for one cause, with those that failed before the first trial. A search for a tool
/// that has begun is finished.
const MAX_REQUESTS: usize = 8;
/// After so many failures of the whole request nothing that others find out makes it be asked again.
const MAX_WHOLE: u32 = 3;
/// The parts of its size at which a request is tried.
const PARTS: [u8; 3] = [2, 4, 8];

impl Life {
    /// How much all conversations found out about what servers refuse.
    pub(super) fn known_of_server(&self) -> usize {
        self.held.all().len() + self.held.lessons().len()
    }

    /// Whether more is known than when the whole request was composed. It is asked again then, since a
    /// trial that differs from it in two ways proves neither.
    pub(super) fn is_more_known(&self) -> bool {
        self.trials.known != self.known_of_server() && self.trials.failures <= MAX_WHOLE
    }

    pub(in crate::life) fn note_what_is_known(&mut self) {
        self.trials.asked = Some(self.recipient());
        if self.trials.form.is_bare() {
            return;
        }
        self.trials.runtime_texts = self.runtime_texts().collect();
        if self.trials.form == AskForm::Whole {
            self.trials.known = self.known_of_server();
        }
    }

    /// Whether the next request asks another provider or model than the last one did. What one refuses says
    /// nothing of the other.
    pub(super) fn asks_another(&self) -> bool {
        let whom = self.recipient();
        let is_other =
            |asked: &Recipient| (&asked.provider, &asked.model) != (&whom.provider, &whom.model);
        self.trials.asked.as_ref().is_some_and(is_other)
    }

    pub(super) fn drop_trials_of_another(&mut self) {
        if !self.asks_another() {
            return;
        }
        self.end_judging();
        self.most_bytes = None;
        self.trials = Trials::default();
    }

    /// The next form that was not tried yet.
    pub(super) fn choose_trial(&mut self) -> Option<AskForm> {
        let trials = &mut self.trials;
        match std::mem::take(&mut trials.hint) {
            RefusalHint::Nothing => {}
            RefusalHint::Tools(tools) => trials.search = ToolSearch::named(tools),
            RefusalHint::Ended if trials.tried.contains(&AskForm::WithNotice) => {}
            RefusalHint::Ended => return Some(AskForm::WithNotice),
        }
        if let Some(form) = self.next_of_search() {
            return Some(form);
        }
        let failures = self.trials.failures.min(PATIENT_FAILURES) as usize;
        if failures + self.trials.tried.len() >= MAX_REQUESTS {
            return None;
        }
        let tried = self.trials.tried.clone();
        let mut forms = self.trials_in_order().into_iter();
        let form = forms.find(|form| !tried.contains(form) && self.changes_request(*form))?;
        if form == AskForm::Tools {
            self.trials.search = ToolSearch::among(self.suspected_tools());
            return self.next_of_search();
        }
        Some(form)
    }

    /// Whether a trial would be another request than those before.
    fn changes_request(&mut self, form: AskForm) -> bool {
        let AskForm::Without(texts) = form else {
            return true;
        };
        let before = match texts == NewTexts::All {
            true => AskForm::Without(NewTexts::Others),
            false => AskForm::Whole,
        };
        let mut messages_in = |form| {
            self.trials.left_out = self.rows_left_out(form);
            self.trials.form = form;
            self.next_messages()
        };
        let is_other = messages_in(form) != messages_in(before);
        self.trials.form = AskForm::Whole;
        is_other
    }

    /// All forms that say something of this request, the most likely cause first. What the server never
    /// took is more likely than what it took before.
    fn trials_in_order(&self) -> Vec<AskForm> {
        let new = self.new_rows();
        let is_bare_served = self.trials.is_bare_served;
        let parts = PARTS.into_iter().filter(|part| self.is_smaller(*part));
        let parts: Vec<AskForm> = parts.map(AskForm::Part).collect();
        let first = usize::from(self.is_bulky(&new)).min(parts.len());
        let has_suspects = is_bare_served && !self.suspected_tools().is_empty();
        let tools = has_suspects.then_some(AskForm::Tools);
        let calls = self.sends_calls().then_some(AskForm::Calls);
        let bare = (!is_bare_served).then_some(AskForm::Bare);
        let mut forms: Vec<AskForm> = Vec::new();
        forms.extend(calls.filter(|_| !self.served.has_calls));
        forms.extend(tools.filter(|_| self.served.tools.is_none()));
        forms.extend(&parts[..first]);
        forms.extend(self.trials_of_texts(&new));
        forms.extend(&parts[first..]);
        forms.extend(bare);
        forms.extend(tools);
        forms.extend(calls);
        forms
    }

    fn trials_of_texts(&self, new: &[Arc<Row>]) -> Vec<AskForm> {
        let has = |texts: NewTexts| new.iter().any(|row| texts.takes(row));
        let is_newest_result = new.last().is_some_and(|row| NewTexts::Results.takes(row));
        let mut kinds = [NewTexts::Messages, NewTexts::Results, NewTexts::Notices];
        if is_newest_result {
            kinds.swap(0, 1);
        }
        let mut texts: Vec<NewTexts> = kinds.into_iter().filter(|texts| has(*texts)).collect();
        if texts.len() > 1 {
            texts.push(NewTexts::Others);
        }
        let has_own = self.own_row().is_some();
        texts.extend(has_own.then_some(NewTexts::Own));
        if !self.standing_rows().is_empty() {
            texts.push(NewTexts::Standing);
        }
        texts.extend((has_own && !new.is_empty()).then_some(NewTexts::All));
        texts.into_iter().map(AskForm::Without).collect()
    }

    fn next_of_search(&self) -> Option<AskForm> {
        let step = self.trials.search.as_ref()?.step();
        Some(match step {
            ToolStep::Ask(_) => AskForm::Tools,
            ToolStep::Found(_) => AskForm::WithoutTools,
        })
    }

    fn suspected_tools(&self) -> Vec<Arc<str>> {
        let (served, taken) = (self.served.tools.as_ref(), &self.trials.taken);
        let offered = self.session.offer.tools().tools().iter();
        let new = offered.filter(|tool| {
            let same = served.and_then(|served| served.get(&tool.name));
            same != Some(*tool) && !taken.contains(&tool.name) && !self.is_tool_refused(&tool.name)
        });
        new.map(|tool| tool.name.clone()).collect()
    }

    pub(super) fn sends_calls(&self) -> bool {
        let mut rows = self.conversation.rows();
        !self.writes_calls_as_words() && rows.any(|row| row.kind() == Some(RowKind::Call))
    }

    /// Takes what came of a fixed text with tools.
    pub(super) fn on_tools_tried(&mut self, is_served: bool) {
        let trials = &mut self.trials;
        let Some(search) = &mut trials.search else {
            return;
        };
        if let ToolStep::Ask(asked) = search.step() {
            if !search.on_tried(&asked, is_served) {
                trials.search = None;
            }
            if is_served {
                trials.taken.extend(asked);
            }
        }
    }

    /// Takes that the conversation was refused without the tools that were found, too. If one of them is
    /// at fault all the same, the search goes on among the others.
    pub(super) fn end_tool_search(&mut self, said: &str) {
        let trials = &mut self.trials;
        let Some(search) = trials.search.take().filter(ToolSearch::is_proven) else {
            return;
        };
        let is_of_search = |form: &AskForm| matches!(form, AskForm::Tools | AskForm::WithoutTools);
        trials.tried.retain(|form| !is_of_search(form));
        let asked = trials.asked.clone();
        if let (ToolStep::Found(found), Some(whom)) = (search.step(), asked) {
            self.learn_of_tools(&found, &whom, said);
        }
    }

    pub(super) fn asked_bytes(&self) -> usize {
        self.stage.turn().map_or(0, |turn| turn.asked_bytes)
    }

    /// Whether the new rows are so large that their size may be the reason.
    fn is_bulky(&self, new: &[Arc<Row>]) -> bool {
        // What the runtime tells has a room of its own, which is small.
        let rows = new.iter().filter(|row| row.kind() != Some(RowKind::Host));
        let bytes: usize = rows.map(|row| row.text().len()).sum();
        bytes > self.trials.whole_bytes / 4
    }

    fn size_of_part(&self, part: u8) -> usize {
        (self.trials.whole_bytes / usize::from(part)).max(MIN_BUDGET_BYTES)
    }

    fn is_smaller(&self, part: u8) -> bool {
        let whole = self.trials.whole_bytes;
        self.size_of_part(part) < self.size_of_part(part / 2).min(whole)
    }

    pub(super) fn begin_part_of_size(&mut self, part: u8) {
        let (size, before) = (self.size_of_part(part), self.most_bytes);
        self.trials.bytes_before = Some(before);
        self.most_bytes = Some(before.map_or(size, |before| before.min(size)));
    }

    pub(super) fn end_part_of_size(&mut self) {
        if let Some(before) = self.trials.bytes_before.take() {
            self.most_bytes = before;
        }
    }
}
