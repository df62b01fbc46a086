//! What opens, feeds and steers the map.

use std::sync::Arc;

use actors::domain::ids::MysisId;
use actors::domain::screen::{ReadId, UiEffect};
use actors::domain::system_map::{SystemMap, SystemMapQuery};
use crossterm::event::KeyEvent;

use super::keys::{MAP_KEYS, MapAction};
use super::ships::ships_by_system;
use super::viewport::Viewport;
use super::{MapDirection, MapView};
use crate::dashboard::Dashboard;
use crate::dashboard::overlay::Overlay;
use crate::dashboard::overlay::composer::ComposeTarget;

/// The part of the area by which the map is moved.
const PAN_PART: f64 = 0.25;

impl Dashboard {
    /// Opens the map. One that is open already, behind a list, comes to the front.
    pub(in crate::dashboard) fn open_map(&mut self) {
        let mut layers = self.overlays.iter();
        if let Some(place) = layers.position(|layer| matches!(layer, Overlay::Map(_))) {
            return self.overlays.truncate(place + 1);
        }
        self.overlays.push(Overlay::Map(Box::default()));
        self.refresh_map();
    }

    pub(in crate::dashboard) fn press_in_map(&mut self, mut view: Box<MapView>, press: KeyEvent) {
        let Some(action) = self.keymap.find(MAP_KEYS, press) else {
            self.overlays.push(Overlay::Map(view));
            return self.press_over_layer(press);
        };
        match action {
            MapAction::Back => return,
            MapAction::Filter => return self.filter_by_system(view),
            MapAction::Message => return self.message_system(view),
            MapAction::Step(direction) => {
                view.step(direction);
                self.follow_selected(&mut view);
            }
            MapAction::NextShips | MapAction::PreviousShips => {
                self.step_to_ships(&mut view, action == MapAction::NextShips);
                self.follow_selected(&mut view);
            }
            MapAction::Nearer => {
                view.magnify(1);
                self.follow_selected(&mut view);
            }
            MapAction::Farther => {
                view.magnify(-1);
                self.follow_selected(&mut view);
            }
            MapAction::Pan(direction) => self.pan_map(&mut view, direction),
        }
        self.overlays.push(Overlay::Map(view));
    }

    /// Shows the selected system in the middle if it is out of sight.
    fn follow_selected(&self, view: &mut MapView) {
        let Some(map) = view.map().cloned() else {
            return;
        };
        let shown = Viewport::new(view, &map, self.map_area());
        let position = view.selected_position();
        if position.is_some_and(|position| shown.cell(position).is_none()) {
            view.centre = position;
        }
    }

    /// Shows another part of the map. The system in its middle is selected, so that the selected one is in sight.
    fn pan_map(&self, view: &mut MapView, direction: MapDirection) {
        let Some(map) = view.map().cloned() else {
            return;
        };
        let shown = Viewport::new(view, &map, self.map_area());
        let centre = shown.moved(direction.unit(), PAN_PART);
        let distance = |place: &usize| {
            let (x, y) = map.systems[*place].position;
            (x - centre.0).hypot(y - centre.1)
        };
        let nearest = (0..map.systems.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        view.centre = Some(centre);
        let shown = Viewport::new(view, &map, self.map_area());
        let is_shown = |place: usize| shown.cell(map.systems[place].position).is_some();
        if view.selected().is_some_and(is_shown) {
            return;
        }
        if let Some(nearest) = nearest {
            view.select(nearest);
            self.follow_selected(view);
        }
    }

    /// Selects the next system with ships, the one with most of them first.
    fn step_to_ships(&self, view: &mut MapView, forth: bool) {
        let systems = self.systems_with_ships();
        let Some(map) = view.map().cloned() else {
            return;
        };
        let places = systems.iter().filter_map(|id| map.find(id));
        let places: Vec<usize> = places.collect();
        let now = view.selected();
        let at = places.iter().position(|place| Some(*place) == now);
        let next = match (at, forth) {
            (None, _) => 0,
            (Some(at), true) => at + 1,
            (Some(at), false) => at + places.len() - 1,
        };
        if let Some(place) = places.get(next % places.len().max(1)) {
            view.select(*place);
        }
    }

    /// The systems with ships, those with most of them first.
    fn systems_with_ships(&self) -> Vec<Arc<str>> {
        let ships = ships_by_system(&self.roster, self.now);
        let mut systems: Vec<(usize, Arc<str>)> = ships
            .into_iter()
            .map(|(id, ships)| (ships.myses.len(), id))
            .collect();
        systems.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        systems.into_iter().map(|(_, id)| id).collect()
    }

    /// The Myses in the selected system; says so if there are none.
    fn myses_of_selected(&mut self, view: &MapView) -> Option<(Arc<str>, Vec<MysisId>)> {
        let system = view.map()?.systems.get(view.selected()?)?;
        let mut ships = ships_by_system(&self.roster, self.now);
        match ships.remove(&system.id) {
            Some(ships) => Some((system.id.clone(), ships.myses)),
            None => {
                self.show_notice(&format!("nobody of the swarm is in {}", system.name));
                None
            }
        }
    }

    /// Shows the Myses of the selected system in the table.
    fn filter_by_system(&mut self, view: Box<MapView>) {
        let Some((system, _)) = self.myses_of_selected(&view) else {
            return self.overlays.push(Overlay::Map(view));
        };
        // The name of the system alone, as a regex: a word would fit texts in which it occurs, too.
        let text = format!("~^{}$", system.replace('.', r"\."));
        self.overlays.clear();
        self.focus = None;
        self.table.change_filter(|filter| {
            filter.set_text(&text);
            filter.state = None;
        });
        self.show_notice(&format!("in {system}; Esc shows all"));
    }

    /// Opens the composer to all Myses of the selected system.
    fn message_system(&mut self, view: Box<MapView>) {
        let there = self.myses_of_selected(&view);
        self.overlays.push(Overlay::Map(view));
        if let Some((_, myses)) = there {
            self.compose(ComposeTarget::Myses(myses));
        }
    }

    /// Reads the open map if it is time.
    pub(in crate::dashboard) fn refresh_map(&mut self) {
        let moment = self.moment;
        let lacks_any = |map: &SystemMap| {
            let mut members = self.roster.members().values();
            members.any(|member| {
                let system = member.status.figures.facts.system.as_ref();
                let is_seen = |place: usize| map.systems[place].seen_at.is_some();
                system.is_some_and(|system| !map.find(system).is_some_and(is_seen))
            })
        };
        let is_due =
            |layer: &Overlay| matches!(layer, Overlay::Map(view) if view.is_due(moment, lacks_any));
        if !self.overlays.iter().any(is_due) {
            return;
        }
        let id = self.next_read_id();
        let query = SystemMapQuery {
            occupied: self.systems_with_ships(),
        };
        if let Some(view) = self.overlays.iter_mut().find_map(Overlay::map) {
            view.ask(id, moment);
            self.effects.push(UiEffect::ReadSystemMap { id, query });
        }
    }

    /// Takes the map that was read, or the error of the store.
    pub fn on_system_map(&mut self, id: ReadId, read: Result<SystemMap, String>) {
        let fullest = self.systems_with_ships().into_iter().next();
        if let Some(view) = self.overlays.iter_mut().find_map(Overlay::map) {
            view.take(id, read, || fullest);
        }
    }
}
