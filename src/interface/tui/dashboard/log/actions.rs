//! What opens, feeds and steers the log.

use actors::domain::reading::{EVENT_PAGE, EventQuery};
use actors::domain::screen::{ReadId, StoreAnswer, StoreQuery};
use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::layout::{Position, Rect};

use super::keys::{LOG_KEYS, LogAction, WHOLE_KEYS, WholeAction};
use super::lines::LineRules;
use super::list::LogView;
use super::view;
use crate::dashboard::conversation::transcript::text_search::{Direction, text_of};
use crate::dashboard::facts::Facts;
use crate::dashboard::handling::wheel_direction;
use crate::dashboard::input_event::letter;
use crate::dashboard::keys::{KeyTable, Movement, bind};
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::outbox::Request;
use crate::dashboard::overlay::query::QueryScope;
use crate::dashboard::toolkit::view::{Opening, Pointed, Pressed, View, ViewContext, ViewSpec};
use crate::painter::Painter;

pub const SPEC: ViewSpec = ViewSpec {
    opening: Some(bind(
        "log",
        &[letter('L')],
        Opening::View(|facts, _| Box::new(new_log(facts))),
        "log",
        "show the event log",
    )),
    keys: || KeyTable::of("The log", LOG_KEYS),
    moves: true,
};

pub const WHOLE_SPEC: ViewSpec = ViewSpec {
    opening: None,
    keys: || KeyTable::of("An event of the log, whole", WHOLE_KEYS),
    moves: true,
};

fn new_log(facts: &Facts) -> LogView {
    let offset = facts.appearance.offset;
    LogView::new(LineRules {
        looked: facts.looked.rule(),
        offset,
        today: offset.day(facts.now),
        ..LineRules::default()
    })
}

impl View for LogView {
    fn spec(&self) -> &'static ViewSpec {
        match self.whole {
            Some(_) => &WHOLE_SPEC,
            None => &SPEC,
        }
    }

    fn press(&mut self, context: &mut ViewContext<'_>, press: KeyEvent) -> Pressed {
        if self.whole.is_some() {
            return self.press_in_whole(context, press);
        }
        let Some(action) = context.facts.keymap.find(LOG_KEYS, press) else {
            return Pressed::Passes;
        };
        match action {
            LogAction::Back if self.text_search.is_some() => self.find_text(""),
            LogAction::Back => {
                context.outbox.request(Request::LookedAtLog);
                return Pressed::Closes;
            }
            LogAction::Whole => self.show_whole(),
            LogAction::Turn => self.toggle_fold(),
            LogAction::TurnAll => self.toggle_folds(),
            LogAction::Filter => self.rules.filter = self.rules.filter.next(),
            LogAction::Only => self.toggle_only(),
            LogAction::Wrap => self.wraps = !self.wraps,
            LogAction::Find => {
                let text = text_of(self.text_search.as_ref());
                (context.outbox).request(Request::WriteLine(QueryScope::Log, text));
            }
            LogAction::NextMatch => self.step_to_match(context, Direction::Forth),
            LogAction::MatchBefore => self.step_to_match(context, Direction::Back),
            LogAction::Copy => {
                if let Some(event) = self.event_in_hand() {
                    context.outbox.copy(&event.text);
                }
            }
        }
        Pressed::Stays
    }

    fn go(&mut self, context: &mut ViewContext<'_>, movement: Movement) {
        let page = context.layout.page();
        match &mut self.whole {
            Some(whole) => {
                let offset = context.facts.appearance.offset;
                let lines = whole.lines(offset, usize::from(page.width)).len();
                whole.scroll(movement, lines, usize::from(page.height));
            }
            None => {
                self.complaint = None;
                self.move_to(movement);
            }
        }
    }

    fn paint(&self, facts: &Facts, layout: &ScreenLayout, painter: &mut Painter<'_>) {
        view::paint_log(facts, self, layout, painter);
    }

    /// Brings the lines up to date, and reads older events if the oldest is in sight.
    fn poll(&mut self, context: &mut ViewContext<'_>, page: Rect) {
        let offset = context.facts.appearance.offset;
        (self.rules.offset, self.rules.today) = (offset, offset.day(context.facts.now));
        self.update_lines(&context.facts.log, page);
        if let Some(before) = self.wants_older(&context.facts.log) {
            self.awaited = Some(context.outbox.read(StoreQuery::Events(EventQuery {
                before: Some(before),
                limit: EVENT_PAGE,
            })));
        }
    }

    fn awaits(&self, id: ReadId) -> bool {
        self.awaited == Some(id)
    }

    fn take(
        &mut self,
        context: &mut ViewContext<'_>,
        _: ReadId,
        read: Result<StoreAnswer, String>,
    ) {
        self.awaited = None;
        if let Err(why) = read {
            (self.seeks, self.complaint) = (false, Some(why.into()));
            return;
        }
        self.update_lines(&context.facts.log, context.layout.page());
        if std::mem::take(&mut self.seeks) {
            self.step_to_match(context, Direction::Back);
        }
    }

    /// Looks for a text, from the line in hand to older ones.
    fn take_line(&mut self, context: &mut ViewContext<'_>, text: Option<&str>) {
        let text = text.unwrap_or_default();
        self.find_text(text);
        if !text.is_empty() && !self.is_at_match() {
            self.step_to_match(context, Direction::Back);
        }
    }

    /// The first click takes a line in hand. A second one shows it whole.
    fn point(&mut self, mouse: MouseEvent, page: Rect) -> Pointed {
        if wheel_direction(mouse).is_some() {
            return Pointed::AsKeys;
        }
        if page.contains(Position::new(mouse.column, mouse.row)) {
            self.click(usize::from(mouse.row - page.y));
        }
        Pointed::Used
    }
}

impl LogView {
    fn press_in_whole(&mut self, context: &mut ViewContext<'_>, press: KeyEvent) -> Pressed {
        let action = context.facts.keymap.find(WHOLE_KEYS, press);
        let (Some(whole), Some(action)) = (&self.whole, action) else {
            return Pressed::Passes;
        };
        match action {
            WholeAction::Back => self.whole = None,
            WholeAction::Open => match whole.place() {
                Some((mysis, row)) if context.facts.roster.get(mysis).is_some() => {
                    context.outbox.request(Request::LookedAtLog);
                    context.outbox.request(Request::Open(mysis, row));
                    return Pressed::Closes;
                }
                Some(_) => context.outbox.say("that Mysis is no longer there"),
                None => (context.outbox).say("this is about the swarm; it has no conversation"),
            },
            WholeAction::Copy => context.outbox.copy(whole.text()),
        }
        Pressed::Stays
    }

    /// Goes to the next line with the searched text. Older events are read until one has it.
    fn step_to_match(&mut self, context: &mut ViewContext<'_>, way: Direction) {
        let Some(text) = self.text_search.as_ref().map(|known| known.text()) else {
            let key = context.facts.keymap.key_of(LOG_KEYS, LogAction::Find);
            let words = format!("no search is active; {key} begins one");
            return context.outbox.say(&words);
        };
        let text = text.to_string();
        if self.go_to_match(way) {
            return;
        }
        if way == Direction::Back && context.facts.log.has_older() {
            self.seeks = true;
            return;
        }
        let side = match way {
            Direction::Back => "before this",
            Direction::Forth => "after this",
        };
        context.outbox.say(&format!("no match for `{text}` {side}"));
    }
}
