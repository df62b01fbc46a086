//! In focus: what keys do in a conversation.

use crate::dashboard::Dashboard;
use crate::dashboard::action::TerminalAction;
use crate::dashboard::appearance::Panel;
use crate::dashboard::focus::{Found, Sought};
use crate::dashboard::inspector::{Inspector, whole_text};
use crate::dashboard::keys::{Going, InFocus};
use crate::dashboard::overlay::Overlay;
use crate::dashboard::query::{Query, Within};
use crate::dashboard::transcript::Transcript;
use crate::dashboard::transcript::finding::Way;
use crate::dashboard::transcript::pages::{Load, PAGE};
use actors::domain::message::Row;
use actors::domain::reading::Page;
use actors::domain::screen::{ReadId, UiEffect};

use std::sync::Arc;

impl Dashboard {
    pub(super) fn in_focus(&mut self, gesture: InFocus) {
        match gesture {
            InFocus::EntryUp => self.change_transcript(|it| it.select_next(Way::Back)),
            InFocus::EntryDown => self.change_transcript(|it| it.select_next(Way::Forth)),
            InFocus::Turn => self.change_transcript(|it| match it.selected() {
                Some(seq) => it.turn(seq),
                None => it.select_next(Way::Back),
            }),
            InFocus::TurnAll => self.change_transcript(Transcript::turn_all),
            InFocus::Reasoning => self.change_transcript(Transcript::turn_reasoning),
            InFocus::Inspect => self.inspect(),
            InFocus::Copy => self.copy_selected(),
            InFocus::Find => self.ask_what_to_find(),
            InFocus::NextMatch => self.go_to_match(Way::Forth),
            InFocus::MatchBefore => self.go_to_match(Way::Back),
            InFocus::ErrorBefore => self.seek(Sought::Error, Way::Back),
            InFocus::NextError => self.seek(Sought::Error, Way::Forth),
            InFocus::OrderBefore => self.seek(Sought::Order, Way::Back),
            InFocus::NextOrder => self.seek(Sought::Order, Way::Forth),
            InFocus::Panel => self.turn_panel(),
            InFocus::Previous => self.open_beside(-1),
            InFocus::Next => self.open_beside(1),
            InFocus::Back => self.back_in_focus(),
        }
    }

    pub(super) fn go_in_focus(&mut self, going: Going) {
        let page = usize::from(self.layout().body.height).max(2) - 1;
        match going {
            Going::Up => self.scroll(1, Way::Back),
            Going::Down => self.scroll(1, Way::Forth),
            Going::PageUp => self.scroll(page, Way::Back),
            Going::PageDown => self.scroll(page, Way::Forth),
            Going::First => self.go(Transcript::go_to_top),
            Going::Last => self.go(Transcript::go_to_bottom),
        }
    }

    fn change_transcript(&mut self, change: impl FnOnce(&mut Transcript)) {
        if let Some(focus) = &mut self.focus {
            change(&mut focus.transcript);
        }
    }

    pub(super) fn scroll(&mut self, lines: usize, way: Way) {
        self.change_transcript(|transcript| transcript.scroll(lines, way));
    }

    /// Goes somewhere, and reads what is there.
    pub(in crate::dashboard) fn go(&mut self, go: impl FnOnce(&mut Transcript) -> Option<Load>) {
        let load = self
            .focus
            .as_mut()
            .and_then(|focus| go(&mut focus.transcript));
        self.load(load);
    }

    /// Reads a piece of the conversation.
    pub(in crate::dashboard) fn load(&mut self, load: Option<Load>) {
        let stamp = self.next_stamp();
        let (Some(load), Some(focus)) = (load, &mut self.focus) else {
            return;
        };
        focus.transcript.expect(stamp, load);
        self.effects.push(UiEffect::Load {
            id: stamp,
            page: Page {
                mysis: focus.mysis(),
                from: load.from,
                limit: PAGE,
                kinds: Vec::new(),
            },
        });
    }

    fn open_beside(&mut self, by: isize) {
        self.table.step(by);
        let next = self.table.selected();
        let is_other = next != self.focus.as_ref().map(super::super::focus::Focus::mysis);
        if let Some(id) = next
            && is_other
        {
            self.open(id);
        }
    }

    fn turn_panel(&mut self) {
        let is_shown = self.layout().panel.width > 0;
        self.appearance.panel = if is_shown {
            Panel::Hidden
        } else {
            Panel::Shown
        };
    }

    fn selected_row(&mut self) -> Option<Arc<Row>> {
        let transcript = &self.focus.as_ref()?.transcript;
        let newest = transcript.shown().last().map(|line| line.entry.seq);
        let seq = transcript.selected().or(newest)?;
        transcript.pages().row(seq).cloned()
    }

    fn inspect(&mut self) {
        if let Some(row) = self.selected_row() {
            let inspector = Inspector::of(row, self.appearance.offset);
            self.layers.push(Overlay::Inspect(Box::new(inspector)));
        }
    }

    fn copy_selected(&mut self) {
        if let Some(row) = self.selected_row() {
            self.copy(&whole_text(&row));
        }
    }

    pub(super) fn copy(&mut self, text: &str) {
        let lines = text.lines().count().max(1);
        self.actions.push(TerminalAction::Copy(text.into()));
        self.say(&format!(
            "{lines} line{} handed to the terminal for pasting",
            if lines == 1 { "" } else { "s" }
        ));
    }

    /// Writes an entry to a file.
    pub(super) fn write(&mut self, inspector: &Inspector) {
        let act = TerminalAction::Write {
            name: inspector.file_name(),
            text: inspector.whole_text().into(),
        };
        self.actions.push(act);
    }

    fn ask_what_to_find(&mut self) {
        let finding = self
            .focus
            .as_ref()
            .and_then(|focus| focus.transcript.finding.as_ref());
        let text = finding.map_or("", |finding| finding.text());
        self.layers
            .push(Overlay::Query(Query::new(Within::Conversation, text)));
    }

    /// Looks for a text in the open conversation.
    pub(super) fn find(&mut self, text: &str) {
        let stamps = [self.next_stamp(), self.next_stamp()];
        let Some(focus) = &mut self.focus else {
            return self.say("open a conversation first");
        };
        let questions = focus.find(text, stamps);
        for (stamp, search) in questions {
            self.effects.push(UiEffect::Search { id: stamp, search });
        }
        self.go_to_match(Way::Back);
    }

    fn go_to_match(&mut self, way: Way) {
        let Some(focus) = &mut self.focus else {
            return;
        };
        let transcript = &mut focus.transcript;
        let Some(finding) = &mut transcript.finding else {
            return self.say("nothing is looked for; / does");
        };
        if let Some(next) = finding.next(finding.current, way) {
            finding.current = Some(next);
            self.go(|transcript| transcript.go_to(next));
        }
    }

    fn seek(&mut self, what: Sought, way: Way) {
        let stamp = self.next_stamp();
        let Some(focus) = &mut self.focus else {
            return;
        };
        let found = focus.seek(what, way, stamp);
        self.sought(found, what, stamp);
    }

    /// Goes where something was found, or seeks further.
    pub(in crate::dashboard) fn sought(&mut self, found: Found, what: Sought, stamp: ReadId) {
        match found {
            Found::Here(seq) => self.go(|transcript| transcript.go_to(seq)),
            Found::Ask(page) => self.effects.push(UiEffect::Load { id: stamp, page }),
            Found::Nowhere => self.say(&format!("there is no other {} that way", what.as_str())),
            Found::Stale => {}
        }
    }

    fn back_in_focus(&mut self) {
        let Some(focus) = &mut self.focus else {
            return;
        };
        if focus.stop_seeking() {
            return;
        }
        if focus.transcript.finding.is_some() {
            focus.transcript.find(None);
            return focus.transcript.select(None);
        }
        if focus.transcript.selected().is_some() {
            return focus.transcript.select(None);
        }
        if !self.dismiss() {
            self.focus = None;
        }
    }
}
