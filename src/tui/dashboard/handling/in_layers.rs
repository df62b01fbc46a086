//! In layers: what keys do in what lies over the view.

use crate::dashboard::Dashboard;
use crate::dashboard::composer::Composed;
use crate::dashboard::form::Filled;
use crate::dashboard::input_event::{Key, Press};
use crate::dashboard::inspector::Inspector;
use crate::dashboard::keys::{
    self, ANYWHERE, Anywhere, GOING, Going, IN_ENTRY, IN_LIST, InEntry, InList,
};
use crate::dashboard::overlay::{LogView, Overlay};
use crate::dashboard::palette::{Chosen, Palette};
use crate::dashboard::query::{Queried, Query, Within};
use crate::dashboard::question::Said;
use crate::dashboard::transcript::finding::Way;

impl Dashboard {
    /// The topmost layer has the key; it goes back where it was unless the key ended it.
    pub(super) fn press_in_layer(&mut self, layer: Overlay, press: Press) {
        match layer {
            Overlay::Compose(mut composer) => match composer.press(press, &self.history) {
                Composed::Used => {
                    self.drafts.keep(&composer.target, composer.field.text());
                    self.layers.push(Overlay::Compose(composer));
                }
                Composed::Send(text) => self.send(composer.target, &text),
                Composed::Leave => {}
                Composed::Unused => {
                    self.press_behind(press);
                    self.layers.push(Overlay::Compose(composer));
                }
            },
            Overlay::Form(mut form) => match form.press(press) {
                Filled::Used => self.layers.push(Overlay::Form(form)),
                Filled::Give(order) => {
                    self.send_form(&mut form, order);
                    self.layers.push(Overlay::Form(form));
                }
                Filled::Leave => {}
            },
            Overlay::Question(question) => match question.press(press) {
                Said::Yes => self.confirmed(question.about),
                Said::No => {}
                Said::Nothing => self.layers.push(Overlay::Question(question)),
            },
            Overlay::Palette(palette) => self.press_in_palette(palette, press),
            Overlay::Query(query) => self.press_in_query(query, press),
            Overlay::Inspect(inspector) => self.press_in_entry(inspector, press),
            Overlay::Log(view) => self.press_in_log(view, press),
            Overlay::Help(top) => self.press_in_help(top, press),
        }
    }

    /// A key that a text has no use for may scroll what is behind it.
    fn press_behind(&mut self, press: Press) {
        let scrolls = matches!(press.key, Key::PageUp | Key::PageDown);
        let is_program = press.ctrl && matches!(press.key, Key::Char('z' | 'l'));
        if scrolls || is_program {
            self.press_in_view(press);
        }
    }

    fn press_in_palette(&mut self, mut palette: Box<Palette>, press: Press) {
        match palette.press(press, &self.known(), &self.commands) {
            Chosen::Used => self.layers.push(Overlay::Palette(palette)),
            Chosen::Leave => {}
            Chosen::Press(press) => self.press_in_view(press),
            Chosen::Run(line) => {
                if let Err(why) = self.run(&line) {
                    palette.complain(&why);
                    return self.layers.push(Overlay::Palette(palette));
                }
                self.commands.add(&line);
            }
        }
    }

    fn press_in_query(&mut self, mut query: Query, press: Press) {
        let queried = query.press(press);
        let text = query.field.text().to_string();
        match (queried, query.within) {
            (Queried::Changed, Within::Table) => {
                self.table.change_filter(|filter| filter.write(&text));
                self.layers.push(Overlay::Query(query));
            }
            (Queried::Changed, Within::Conversation | Within::Entry) => {
                self.layers.push(Overlay::Query(query));
            }
            (Queried::Unused, _) => {
                if matches!(press.key, Key::Up | Key::Down | Key::PageUp | Key::PageDown) {
                    self.press_in_view(press);
                }
                self.layers.push(Overlay::Query(query));
            }
            (Queried::Done, Within::Table) => {}
            (Queried::Leave, Within::Table) => {
                self.table.change_filter(|filter| filter.write(""));
            }
            (Queried::Done, Within::Conversation) => self.find(&text),
            (Queried::Leave, Within::Conversation) => self.find(""),
            (Queried::Done, Within::Entry) => self.find_in_entry(&text),
            (Queried::Leave, Within::Entry) => self.find_in_entry(""),
        }
    }

    fn find_in_entry(&mut self, text: &str) {
        if let Some(Overlay::Inspect(inspector)) = self.layers.last_mut() {
            inspector.find(text);
        }
    }

    fn press_in_entry(&mut self, mut inspector: Box<Inspector>, press: Press) {
        let Some(gesture) = keys::find(IN_ENTRY, press) else {
            if let Some(going) = keys::find(GOING, press) {
                inspector.go(going);
            }
            self.layers.push(Overlay::Inspect(inspector));
            return self.press_over_layer(press);
        };
        match gesture {
            InEntry::Turn => inspector.turn(),
            InEntry::Open => inspector.open(),
            InEntry::Close => inspector.close(),
            InEntry::TurnAll => inspector.turn_all(),
            InEntry::NextMatch => inspector.next_match(Way::Forth),
            InEntry::MatchBefore => inspector.next_match(Way::Back),
            InEntry::Copy => self.copy(&inspector.text()),
            InEntry::Write => self.write(&inspector),
            InEntry::CopyAll => self.copy(&inspector.whole_text()),
            InEntry::Find => {
                let text = inspector.finding.as_ref().map(|it| it.text().to_string());
                let query = Query::new(Within::Entry, &text.unwrap_or_default());
                self.layers.push(Overlay::Inspect(inspector));
                return self.layers.push(Overlay::Query(query));
            }
            InEntry::Back => return,
        }
        self.layers.push(Overlay::Inspect(inspector));
    }

    fn press_in_log(&mut self, view: LogView, press: Press) {
        let page = self.page_of_list();
        let least = view.least;
        let all = self.log.messages().iter();
        let count = all.filter(|message| least.shows(message.tone)).count();
        let last = count.saturating_sub(page);
        if keys::find(ANYWHERE, press) == Some(Anywhere::Log) {
            return;
        }
        let Some(going) = going_in_list(press) else {
            let (back, least) = match keys::find(IN_LIST, press) {
                Some(InList::Back) => return,
                Some(InList::Severity) => (0, least.next()),
                Some(InList::PageDown) | None => (view.back, least),
            };
            self.layers.push(Overlay::Log(LogView { back, least }));
            return self.press_over_list(press);
        };
        let back = match going {
            Going::Up => view.back + 1,
            Going::Down => view.back.saturating_sub(1),
            Going::PageUp => view.back + page,
            Going::PageDown => view.back.saturating_sub(page),
            Going::First => last,
            Going::Last => 0,
        };
        let back = back.min(last);
        self.layers.push(Overlay::Log(LogView { back, ..view }));
    }

    /// The key that opened a list closes it.
    fn press_in_help(&mut self, top: usize, press: Press) {
        let page = self.page_of_list();
        let last = self.help_lines().saturating_sub(page);
        let is_back = keys::find(IN_LIST, press) == Some(InList::Back);
        if is_back || keys::find(ANYWHERE, press) == Some(Anywhere::Help) {
            return;
        }
        let top = match going_in_list(press) {
            None => top,
            Some(Going::Up) => top.saturating_sub(1),
            Some(Going::Down) => top + 1,
            Some(Going::PageUp) => top.saturating_sub(page),
            Some(Going::PageDown) => top + page,
            Some(Going::First) => 0,
            Some(Going::Last) => last,
        };
        self.layers.push(Overlay::Help(top.min(last)));
        self.press_over_list(press);
    }

    /// Only what is for the screen goes through a list, and no second list over the first.
    fn press_over_list(&mut self, press: Press) {
        let gesture = keys::find(ANYWHERE, press);
        let is_list = matches!(gesture, Some(Anywhere::Log | Anywhere::Help));
        if !is_list && keys::find(IN_LIST, press).is_none() {
            self.press_over_layer(press);
        }
    }

    fn page_of_list(&self) -> usize {
        usize::from(self.size.1.saturating_sub(4)).max(1)
    }
}

/// Where a key goes in a list, which has one more for the next page.
fn going_in_list(press: Press) -> Option<Going> {
    if keys::find(IN_LIST, press) == Some(InList::PageDown) {
        return Some(Going::PageDown);
    }
    keys::find(GOING, press)
}
