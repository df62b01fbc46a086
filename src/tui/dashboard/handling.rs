//! Handling: what keys, pasted text and the mouse do.

mod commanding;
mod in_focus;
mod in_layers;
mod in_table;
mod pointing;

use actors::domain::event::State;
use actors::domain::ids::MysisId;
use actors::domain::order::Order;

use super::Dashboard;
use super::action::TerminalAction;
use super::appearance::MouseUse;
use super::composer::Target;
use super::form::Form;
use super::input_event::{Input, Press};
use super::keys::{self, ANYWHERE, Anywhere, GOING, IN_FOCUS, IN_HAND, IN_TABLE, InHand};
use super::overlay::{LogView, Overlay};
use super::palette::{Known, Palette};
use super::query::Within;
use super::tone::Tone;

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
            Input::Resumed => self.actions.push(TerminalAction::Redraw),
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
        let going = keys::find(GOING, press);
        if self.focus.is_some() {
            going.inspect(|going| self.go_in_focus(*going));
            if let Some(gesture) = keys::find(IN_FOCUS, press) {
                self.in_focus(gesture);
            }
        } else {
            going.inspect(|going| self.go_in_table(*going));
            if let Some(gesture) = keys::find(IN_TABLE, press) {
                self.in_table(gesture);
            }
        }
    }

    /// What is read and not written to leaves alone the keys that only have to do with the screen.
    fn press_over_layer(&mut self, press: Press) {
        let Some(gesture) = keys::find(ANYWHERE, press) else {
            return;
        };
        match gesture {
            Anywhere::Log
            | Anywhere::Dump
            | Anywhere::Mouse
            | Anywhere::Help
            | Anywhere::Quit
            | Anywhere::Suspend
            | Anywhere::Redraw => self.anywhere(gesture),
            Anywhere::Broadcast | Anywhere::Palette | Anywhere::Resume | Anywhere::Undo => {}
        }
    }

    fn anywhere(&mut self, gesture: Anywhere) {
        match gesture {
            Anywhere::Broadcast => self.compose(Target::Swarm),
            Anywhere::Palette => {
                let palette = Palette::new(&self.known());
                self.layers.push(Overlay::Palette(Box::new(palette)));
            }
            Anywhere::Resume => self.resume(),
            Anywhere::Log => self.layers.push(Overlay::Log(LogView::default())),
            Anywhere::Undo => self.take_back(),
            Anywhere::Dump => self.actions.push(TerminalAction::Dump),
            Anywhere::Mouse => self.turn_mouse(),
            Anywhere::Help => self.layers.push(Overlay::Help(0)),
            Anywhere::Quit => self.quit(),
            Anywhere::Suspend => self.actions.push(TerminalAction::Suspend),
            Anywhere::Redraw => self.actions.push(TerminalAction::Redraw),
        }
    }

    fn in_hand_do(&mut self, gesture: InHand) {
        let ids = self.targets();
        if ids.is_empty() {
            return;
        }
        match gesture {
            InHand::Message => self.compose(Target::Myses(ids)),
            InHand::Note => self.compose(Target::Notes(ids)),
            InHand::Start => {
                self.order_each("start", &ids, |name| Order::Start { name });
            }
            InHand::Stop => self.stop(ids),
            InHand::Delete => self.ask_to_delete(ids),
            InHand::Configure => self.configure(),
            InHand::Request => self.look_into_request(),
        }
    }

    /// Starts those that ran when the program ended.
    pub(super) fn resume(&mut self) {
        let members = self.roster.members().values();
        let interrupted = members.filter(|member| member.standing.is_interrupted());
        let ids: Vec<MysisId> = interrupted.map(|member| member.standing.id).collect();
        if ids.is_empty() {
            return self.say("nobody was interrupted: there is none to resume");
        }
        self.order_each("resume", &ids, |name| Order::Start { name });
    }

    /// Stops one at once, and asks before it stops many.
    fn stop(&mut self, ids: Vec<MysisId>) {
        if ids.len() > 1 {
            return self.ask_to_stop(ids);
        }
        self.order_each("stop", &ids, |name| Order::Stop { name });
    }

    fn configure(&mut self) {
        let Some(standing) = self.target() else {
            return;
        };
        if let Some(rules) = &self.rules {
            let form = Form::configure(rules, standing);
            self.layers.push(Overlay::Form(Box::new(form)));
        }
    }

    fn turn_mouse(&mut self) {
        let (mouse, words) = match self.appearance.mouse {
            MouseUse::Ours => (
                MouseUse::Terminals,
                "the terminal has the mouse: select text with it; M takes it back",
            ),
            MouseUse::Terminals => (MouseUse::Ours, "the mouse selects and scrolls here"),
        };
        self.appearance.mouse = mouse;
        self.say(words);
    }

    /// Tells the operator something that asks for nothing.
    pub(super) fn say(&mut self, text: &str) {
        self.note(self.now, Tone::Hint, None, "said", text);
    }

    fn dismiss(&mut self) -> bool {
        std::sync::Arc::make_mut(&mut self.log).dismiss()
    }

    fn paste(&mut self, text: &str) {
        let known = self.known();
        match self.layers.last_mut() {
            Some(Overlay::Compose(composer)) => {
                composer.field.insert(text);
                self.drafts.keep(&composer.target, composer.field.text());
            }
            Some(Overlay::Form(form)) => form.paste(text),
            Some(Overlay::Palette(palette)) => palette.paste(text, &known),
            Some(Overlay::Query(query)) => {
                query.field.insert(&text.replace('\n', " "));
                let text = query.field.text().to_string();
                if query.within == Within::Table {
                    self.table.change_filter(|filter| filter.write(&text));
                }
            }
            Some(
                Overlay::Question(_) | Overlay::Inspect(_) | Overlay::Log(_) | Overlay::Help(_),
            )
            | None => {}
        }
    }

    /// What the palette completes from.
    fn known(&self) -> Known {
        let names = self.roster.members().values();
        let mut myses: Vec<String> = names
            .map(|member| member.standing.name.to_string())
            .collect();
        myses.sort_by(|a, b| super::sorting::natural(a, b));
        let providers = self.rules.iter().flat_map(|rules| rules.providers.keys());
        let view = if self.focus.is_some() {
            keys::gestures(IN_FOCUS)
        } else {
            keys::gestures(IN_TABLE)
        };
        let shared = keys::gestures(IN_HAND).chain(keys::gestures(ANYWHERE));
        Known {
            myses,
            providers: providers.map(ToString::to_string).collect(),
            gestures: view.chain(shared).collect(),
        }
    }

    /// Those in one state.
    fn in_state(&self, state: State) -> Vec<MysisId> {
        let members = self.roster.members().values();
        members
            .filter(|member| member.standing.state == state)
            .map(|member| member.standing.id)
            .collect()
    }
}
