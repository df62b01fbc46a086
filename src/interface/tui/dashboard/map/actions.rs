//! What opens, feeds and steers the map.

use std::sync::Arc;

use actors::domain::ids::MysisId;
use actors::domain::screen::{ReadId, StoreAnswer, StoreQuery};
use actors::domain::system_map::{MappedSystem, SystemMap, SystemMapQuery};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseEvent};
use ratatui::layout::Rect;

use super::ships::ships_by_system;
use super::viewport::Viewport;
use super::{MapDirection, MapView, view};
use crate::dashboard::facts::Facts;
use crate::dashboard::input_event::{key, letter};
use crate::dashboard::keys::{Binding, KeyTable, bind};
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::outbox::Request;
use crate::dashboard::overlay::composer::ComposeTarget;
use crate::dashboard::toolkit::view::{Opening, Pointed, Pressed, View, ViewContext, ViewSpec};
use crate::painter::Painter;

/// The part of the area by which the map is moved.
const PAN_PART: f64 = 0.25;

pub const SPEC: ViewSpec = ViewSpec {
    opening: Some(
        bind(
            "map",
            &[letter('M')],
            Opening::View(|_, _| Box::new(MapView::default())),
            "map",
            "show the map: who is where, gains by place",
        )
        .without_game(""),
    ),
    keys: || KeyTable::of("The map", MAP_KEYS),
    moves: false,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MapAction {
    Step(MapDirection),
    Pan(MapDirection),
    Nearer,
    Farther,
    NextShips,
    PreviousShips,
    Filter,
    Message,
    Back,
}

const fn shift(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::SHIFT)
}

#[rustfmt::skip]
pub(super) const MAP_KEYS: &[Binding<MapAction>] = &[
    bind("map_back", &[key(KeyCode::Esc), letter('q'), letter('M')], MapAction::Back, "back", "back to the previous view"),
    bind("map_filter", &[key(KeyCode::Enter)], MapAction::Filter, "Myses here", "show the Myses of the system in the table"),
    bind("map_message", &[letter('m')], MapAction::Message, "message", "write to all Myses of the system"),
    bind("map_next_ships", &[key(KeyCode::Tab)], MapAction::NextShips, "next Myses", "to the next system with Myses"),
    bind("map_previous_ships", &[key(KeyCode::BackTab)], MapAction::PreviousShips, "", "to the previous system with Myses"),
    bind("map_zoom_in", &[letter('+'), letter('=')], MapAction::Nearer, "nearer", "magnify"),
    bind("map_zoom_out", &[letter('-')], MapAction::Farther, "farther", "show more of the map"),
    bind("map_left", &[key(KeyCode::Left), letter('h')], MapAction::Step(MapDirection::Left), "", "to the next system to the left"),
    bind("map_down", &[key(KeyCode::Down), letter('j')], MapAction::Step(MapDirection::Down), "", "to the next system below"),
    bind("map_up", &[key(KeyCode::Up), letter('k')], MapAction::Step(MapDirection::Up), "", "to the next system above"),
    bind("map_right", &[key(KeyCode::Right), letter('l')], MapAction::Step(MapDirection::Right), "", "to the next system to the right"),
    bind("map_pan_left", &[shift(KeyCode::Left)], MapAction::Pan(MapDirection::Left), "", "show the part to the left"),
    bind("map_pan_down", &[shift(KeyCode::Down)], MapAction::Pan(MapDirection::Down), "", "show the part below"),
    bind("map_pan_up", &[shift(KeyCode::Up)], MapAction::Pan(MapDirection::Up), "", "show the part above"),
    bind("map_pan_right", &[shift(KeyCode::Right)], MapAction::Pan(MapDirection::Right), "", "show the part to the right"),
];

impl View for MapView {
    fn spec(&self) -> &'static ViewSpec {
        &SPEC
    }

    fn press(&mut self, context: &mut ViewContext<'_>, press: KeyEvent) -> Pressed {
        let page = context.layout.page();
        let Some(action) = context.facts.keymap.find(MAP_KEYS, press) else {
            return Pressed::Passes;
        };
        match action {
            MapAction::Back => return Pressed::Closes,
            MapAction::Filter | MapAction::Message => {
                if let Some((system, myses)) = self.myses_of_selected(context) {
                    context.outbox.request(match action == MapAction::Filter {
                        true => Request::ShowSystem(system),
                        false => Request::Compose(ComposeTarget::Myses(myses)),
                    });
                }
                return Pressed::Stays;
            }
            MapAction::Step(direction) => self.step(direction),
            MapAction::NextShips | MapAction::PreviousShips => {
                self.step_to_ships(context.facts, action == MapAction::NextShips);
            }
            MapAction::Nearer => self.magnify(1),
            MapAction::Farther => self.magnify(-1),
            MapAction::Pan(direction) => self.pan(direction, page),
        }
        self.follow_selected(page);
        Pressed::Stays
    }

    fn paint(&self, facts: &Facts, layout: &ScreenLayout, painter: &mut Painter<'_>) {
        view::paint(facts, self, layout, painter);
    }

    fn poll(&mut self, context: &mut ViewContext<'_>, _: Rect) {
        let lacks_any = |map: &SystemMap| {
            let mut members = context.facts.roster.members().values();
            members.any(|member| {
                let system = member.status.figures.facts.system.as_ref();
                let is_seen = |place: usize| map.systems[place].seen_at.is_some();
                system.is_some_and(|system| !map.find(system).is_some_and(is_seen))
            })
        };
        let every = self.refresh_interval(lacks_any);
        if self.map.is_due(context.facts.moment, every) {
            let occupied = systems_with_ships(context.facts);
            let id = context
                .outbox
                .read(StoreQuery::SystemMap(SystemMapQuery { occupied }));
            self.map.ask(id, context.facts.moment);
        }
    }

    fn awaits(&self, id: ReadId) -> bool {
        self.map.awaits(id)
    }

    fn take(
        &mut self,
        context: &mut ViewContext<'_>,
        id: ReadId,
        read: Result<StoreAnswer, String>,
    ) {
        self.take_map(id, read, || {
            systems_with_ships(context.facts).into_iter().next()
        });
    }

    fn forget_reads(&mut self) {
        self.map.forget_read();
    }

    fn point(&mut self, _: MouseEvent, _: Rect) -> Pointed {
        Pointed::Used
    }
}

impl MapView {
    /// Shows the selected system in the middle if it is out of sight.
    fn follow_selected(&mut self, page: Rect) {
        let position = self.selected_position();
        if position.is_some_and(|position| !self.is_shown(position, page)) {
            self.centre = position;
        }
    }

    fn viewport(&self, page: Rect) -> Option<Viewport> {
        Some(Viewport::new(self, self.map()?, view::areas(page)[0]))
    }

    fn is_shown(&self, position: (f64, f64), page: Rect) -> bool {
        let viewport = self.viewport(page);
        viewport.is_some_and(|shown| shown.cell(position).is_some())
    }

    /// Shows another part of the map. The system in its middle is selected, so that the selected one is in sight.
    fn pan(&mut self, direction: MapDirection, page: Rect) {
        let (Some(map), Some(shown)) = (self.map().cloned(), self.viewport(page)) else {
            return;
        };
        let centre = shown.moved(direction.unit(), PAN_PART);
        self.centre = Some(centre);
        let position = self.selected_position();
        if position.is_some_and(|position| self.is_shown(position, page)) {
            return;
        }
        let distance = |system: &MappedSystem| {
            let (x, y) = system.position;
            (x - centre.0).hypot(y - centre.1)
        };
        let systems = map.systems.iter();
        let nearest = systems.min_by(|a, b| distance(a).total_cmp(&distance(b)));
        self.selected = nearest
            .map(|system| system.id.clone())
            .or(self.selected.take());
    }

    /// Selects the next system with ships, the one with most of them first.
    fn step_to_ships(&mut self, facts: &Facts, forth: bool) {
        let systems = systems_with_ships(facts);
        let Some(map) = self.map().cloned() else {
            return;
        };
        let places = systems.iter().filter_map(|id| map.find(id));
        let places: Vec<usize> = places.collect();
        let now = self.selected();
        let at = places.iter().position(|place| Some(*place) == now);
        let next = match (at, forth) {
            (None, _) => 0,
            (Some(at), true) => at + 1,
            (Some(at), false) => at + places.len() - 1,
        };
        if let Some(place) = places.get(next % places.len().max(1)) {
            self.select(*place);
        }
    }

    /// The Myses in the selected system; says so if there are none.
    fn myses_of_selected(&self, context: &mut ViewContext<'_>) -> Option<(Arc<str>, Vec<MysisId>)> {
        let system = self.map()?.systems.get(self.selected()?)?;
        let mut ships = ships_by_system(&context.facts.roster, context.facts.now);
        match ships.remove(&system.id) {
            Some(ships) => Some((system.id.clone(), ships.myses)),
            None => {
                context
                    .outbox
                    .say(&format!("no Mysis is in {}", system.name));
                None
            }
        }
    }
}

/// The systems with ships, those with most of them first.
fn systems_with_ships(facts: &Facts) -> Vec<Arc<str>> {
    let ships = ships_by_system(&facts.roster, facts.now);
    let mut systems: Vec<(usize, Arc<str>)> = ships
        .into_iter()
        .map(|(id, ships)| (ships.myses.len(), id))
        .collect();
    systems.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    systems.into_iter().map(|(_, id)| id).collect()
}
