//! Handling: what keys, pasted text and the mouse do.

use crate::domain::ids::MysisId;
use crate::domain::order::Order;

use super::compose::{Composed, Target};
use super::form::{Filled, Form};
use super::keys::{
    self, ANYWHERE, Anywhere, IN_FOCUS, IN_HAND, IN_TABLE, InFocus, InHand, InTable,
};
use super::press::{Did, Input, Key, Mouse, Press};
use super::question::Said;
use super::transcript::Transcript;
use super::transcript::finding::Way;
use super::transcript::pages::Load;
use super::wish::{Act, Wish};
use super::{Dashboard, Layer};

/// Lines that the wheel moves.
const WHEEL: usize = 3;

impl Dashboard {
    /// Takes what comes from the terminal.
    pub fn input(&mut self, input: Input) {
        self.settle_table();
        match input {
            Input::Press(press) => self.press(press),
            Input::Paste(text) => self.paste(&text),
            Input::Mouse(mouse) => self.mouse(mouse),
            Input::Resized(columns, rows) => self.size = (columns, rows),
            Input::Attention(attention) => self.attention = attention,
            Input::Resumed => self.wishes.push(Wish::Act(Act::Redraw)),
            Input::Performed(result) => self.performed(result),
            Input::Gone => self.close(),
        }
    }

    fn press(&mut self, press: Press) {
        if let Some(layer) = self.layers.pop() {
            return self.press_in_layer(layer, press);
        }
        self.press_in_view(press);
    }

    fn press_in_view(&mut self, press: Press) {
        if let Some(gesture) = keys::find(ANYWHERE, press) {
            return self.anywhere(gesture);
        }
        if let Some(gesture) = keys::find(IN_HAND, press) {
            return self.in_hand_do(gesture);
        }
        if self.focus.is_some() {
            if let Some(gesture) = keys::find(IN_FOCUS, press) {
                self.in_focus(gesture);
            }
        } else if let Some(gesture) = keys::find(IN_TABLE, press) {
            self.in_table(gesture);
        }
    }

    /// The topmost layer has the key; it goes back where it was unless the key ended it.
    fn press_in_layer(&mut self, layer: Layer, press: Press) {
        match layer {
            Layer::Compose(mut composer) => match composer.press(press, &self.history) {
                Composed::Used => {
                    self.drafts.keep(&composer.target, composer.field.text());
                    self.layers.push(Layer::Compose(composer));
                }
                Composed::Send(text) => self.send(composer.target, &text),
                Composed::Leave => {}
                Composed::Unused => {
                    self.press_behind(press);
                    self.layers.insert(0, Layer::Compose(composer));
                }
            },
            Layer::Form(mut form) => match form.press(press) {
                Filled::Used => self.layers.push(Layer::Form(form)),
                Filled::Give(order) => {
                    self.send_form(&mut form, order);
                    self.layers.push(Layer::Form(form));
                }
                Filled::Leave => {}
            },
            Layer::Question(question) => match question.press(press) {
                Said::Yes => self.confirmed(question.about),
                Said::No => {}
                Said::Nothing => self.layers.push(Layer::Question(question)),
            },
            Layer::Help(top) => self.press_in_help(top, press),
        }
    }

    /// A key that a text has no use for may scroll what is behind it.
    fn press_behind(&mut self, press: Press) {
        match press.key {
            Key::PageUp | Key::PageDown => self.press_in_view(press),
            Key::Char('z' | 'l') if press.ctrl => self.press_in_view(press),
            Key::Char(_)
            | Key::Enter
            | Key::Esc
            | Key::Tab
            | Key::Backspace
            | Key::Delete
            | Key::Up
            | Key::Down
            | Key::Left
            | Key::Right
            | Key::Home
            | Key::End
            | Key::Function(_) => {}
        }
    }

    fn press_in_help(&mut self, top: usize, press: Press) {
        let page = usize::from(self.size.1.saturating_sub(6)).max(1);
        let top = match press.key {
            Key::Up | Key::Char('k') => top.saturating_sub(1),
            Key::Down | Key::Char('j') => top + 1,
            Key::PageUp => top.saturating_sub(page),
            Key::PageDown | Key::Char(' ') => top + page,
            Key::Home | Key::Char('g') => 0,
            Key::Char(_)
            | Key::Enter
            | Key::Esc
            | Key::Tab
            | Key::Backspace
            | Key::Delete
            | Key::Left
            | Key::Right
            | Key::End
            | Key::Function(_) => return,
        };
        let last = self.help_lines().saturating_sub(page);
        self.layers.push(Layer::Help(top.min(last)));
    }

    fn anywhere(&mut self, gesture: Anywhere) {
        match gesture {
            Anywhere::Broadcast => self.compose(Target::Swarm),
            Anywhere::Help => self.layers.push(Layer::Help(0)),
            Anywhere::Quit => self.quit(),
            Anywhere::Suspend => self.wishes.push(Wish::Act(Act::Suspend)),
            Anywhere::Redraw => self.wishes.push(Wish::Act(Act::Redraw)),
        }
    }

    fn in_hand_do(&mut self, gesture: InHand) {
        let Some(id) = self.in_hand().map(|standing| standing.id) else {
            return;
        };
        match gesture {
            InHand::Message => self.compose(Target::Myses(vec![id])),
            InHand::Start => {
                self.order_each("start", &[id], |name| Order::Start { name });
            }
            InHand::Stop => {
                self.order_each("stop", &[id], |name| Order::Stop { name });
            }
            InHand::Delete => self.ask_to_delete(vec![id]),
            InHand::Configure => self.configure(id),
        }
    }

    fn configure(&mut self, id: MysisId) {
        if let (Some(rules), Some(member)) = (&self.rules, self.roster.get(id)) {
            let form = Form::configure(rules, &member.standing);
            self.layers.push(Layer::Form(Box::new(form)));
        }
    }

    fn in_table(&mut self, gesture: InTable) {
        let page = self.table.rows().max(1).cast_signed();
        match gesture {
            InTable::Up => self.table.step(-1),
            InTable::Down => self.table.step(1),
            InTable::PageUp => self.table.step(-page),
            InTable::PageDown => self.table.step(page),
            InTable::First => self.table.go_to(0),
            InTable::Last => self.table.go_to(usize::MAX),
            InTable::Open => {
                if let Some(id) = self.table.selected() {
                    self.open(id);
                }
            }
            InTable::New => {
                if let Some(rules) = &self.rules {
                    self.layers.push(Layer::Form(Box::new(Form::create(rules))));
                }
            }
            InTable::Back => {
                self.dismiss();
            }
        }
    }

    fn dismiss(&mut self) -> bool {
        std::sync::Arc::make_mut(&mut self.log).dismiss()
    }

    /// Opens the conversation of a Mysis.
    pub(super) fn open(&mut self, id: MysisId) {
        let name = self.name_of(id);
        self.table.select(id);
        self.focus = Some(Transcript::of(id, name, self.appearance.offset));
    }

    fn in_focus(&mut self, gesture: InFocus) {
        let page = usize::from(self.layout().body.height).max(2) - 1;
        let Some(transcript) = &mut self.focus else {
            return;
        };
        let mut load = None;
        match gesture {
            InFocus::Up => transcript.scroll(1, Way::Back),
            InFocus::Down => transcript.scroll(1, Way::Forth),
            InFocus::PageUp => transcript.scroll(page, Way::Back),
            InFocus::PageDown => transcript.scroll(page, Way::Forth),
            InFocus::Top => load = transcript.go_to_top(),
            InFocus::Bottom => load = transcript.go_to_bottom(),
            InFocus::EntryUp => transcript.select_next(Way::Back),
            InFocus::EntryDown => transcript.select_next(Way::Forth),
            InFocus::Turn => match transcript.selected() {
                Some(seq) => transcript.turn(seq),
                None => transcript.select_next(Way::Back),
            },
            InFocus::TurnAll => transcript.turn_all(),
            InFocus::Reasoning => transcript.turn_reasoning(),
            InFocus::Previous => self.open_beside(-1),
            InFocus::Next => self.open_beside(1),
            InFocus::Back => {
                if !self.dismiss() {
                    self.focus = None;
                }
            }
        }
        self.load(load);
    }

    fn open_beside(&mut self, by: isize) {
        self.table.step(by);
        if let Some(id) = self.table.selected() {
            self.open(id);
        }
    }

    fn paste(&mut self, text: &str) {
        match self.layers.last_mut() {
            Some(Layer::Compose(composer)) => {
                composer.field.insert(text);
                self.drafts.keep(&composer.target, composer.field.text());
            }
            Some(Layer::Form(form)) => form.paste(text),
            Some(Layer::Question(_) | Layer::Help(_)) | None => {}
        }
    }

    fn mouse(&mut self, mouse: Mouse) {
        let has_layer = self.layers.iter().any(|layer| layer.composer().is_none());
        let body = self.layout().body;
        if has_layer || !body.holds(mouse.x, mouse.y) {
            return;
        }
        let row = usize::from(mouse.y - body.y);
        match &mut self.focus {
            Some(transcript) => match mouse.did {
                Did::WheelUp => transcript.scroll(WHEEL, Way::Back),
                Did::WheelDown => transcript.scroll(WHEEL, Way::Forth),
                Did::Click => {
                    let clicked = transcript.entry_at(row).map(|entry| entry.seq);
                    match clicked {
                        Some(seq) if transcript.selected() == Some(seq) => transcript.turn(seq),
                        clicked => transcript.select(clicked),
                    }
                }
            },
            None => match mouse.did {
                Did::WheelUp => self.table.step(-1),
                Did::WheelDown => self.table.step(1),
                Did::Click => self.click_row(row),
            },
        }
    }

    /// A first click selects, a second one opens.
    fn click_row(&mut self, row: usize) {
        let (_, in_sight) = self.table.in_sight();
        let Some(id) = in_sight.get(row).copied() else {
            return;
        };
        if self.table.selected() == Some(id) {
            self.open(id);
        } else {
            self.table.select(id);
        }
    }

    pub(super) fn load(&mut self, load: Option<Load>) {
        use crate::domain::reading::Page;
        let (Some(load), Some(transcript)) = (load, &mut self.focus) else {
            return;
        };
        self.stamps += 1;
        let stamp = super::transcript::pages::Stamp(self.stamps);
        transcript.expect(stamp, load);
        self.wishes.push(Wish::Load {
            stamp,
            page: Page {
                mysis: transcript.mysis,
                from: load.from,
                limit: super::transcript::pages::PAGE,
                kinds: Vec::new(),
            },
        });
    }
}
