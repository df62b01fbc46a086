//! The map: the systems and lanes that the swarm's looks tell of, where its ships are, and what is earned there.

mod actions;
mod labels;
mod ships;
mod view;
mod viewport;

pub use actions::SPEC;

use std::sync::Arc;
use std::time::Duration;

use actors::domain::screen::{ReadId, StoreAnswer};
use actors::domain::system_map::SystemMap;

use super::toolkit::polled::Polled;

/// How often an open map is read again.
const REFRESH: Duration = Duration::from_secs(60);
/// How soon a map is read again that is empty, or on which nobody has looked at the system of a ship yet.
const REFRESH_INCOMPLETE: Duration = Duration::from_secs(5);
/// The strongest magnification, in steps.
const MAX_ZOOM: i32 = 12;

#[derive(Clone, Debug, Default)]
pub struct MapView {
    map: Polled<SystemMap>,
    selected: Option<Arc<str>>,
    /// The middle of what is shown, on the map; `None` for the middle of the whole map.
    centre: Option<(f64, f64)>,
    /// The magnification in steps; 0 shows the whole map.
    zoom: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapDirection {
    Left,
    Right,
    Up,
    Down,
}

impl MapDirection {
    /// The direction on the map, where the second value grows upwards.
    fn unit(self) -> (f64, f64) {
        match self {
            MapDirection::Left => (-1.0, 0.0),
            MapDirection::Right => (1.0, 0.0),
            MapDirection::Up => (0.0, 1.0),
            MapDirection::Down => (0.0, -1.0),
        }
    }
}

impl MapView {
    pub fn map(&self) -> Option<&Arc<SystemMap>> {
        self.map.value()
    }

    pub fn selected(&self) -> Option<usize> {
        self.map()?.find(self.selected.as_ref()?)
    }

    /// How soon it is read again. One that lacks something is read again soon.
    fn refresh_interval(&self, lacks_any: impl FnOnce(&SystemMap) -> bool) -> Duration {
        let lacks = |map: &Arc<SystemMap>| map.systems.is_empty() || lacks_any(map);
        match self.map().is_some_and(lacks) {
            true => REFRESH_INCOMPLETE,
            false => REFRESH,
        }
    }

    /// Takes what was read. `preferred` is selected unless a system is.
    fn take_map(
        &mut self,
        id: ReadId,
        read: Result<StoreAnswer, String>,
        preferred: impl FnOnce() -> Option<Arc<str>>,
    ) {
        self.map.take(id, read, StoreAnswer::try_as_system_map);
        if self.selected().is_none() {
            let first = || Some(self.map()?.systems.first()?.id.clone());
            let preferred =
                preferred().filter(|id| self.map().is_some_and(|map| map.find(id).is_some()));
            self.selected = preferred.or_else(first);
        }
    }

    fn select(&mut self, place: usize) {
        let system = self.map().and_then(|map| map.systems.get(place));
        if let Some(id) = system.map(|system| system.id.clone()) {
            self.selected = Some(id);
        }
    }

    /// Selects the next system in a direction. One that is straight ahead comes before one aside.
    fn step(&mut self, direction: MapDirection) {
        let (Some(map), Some(from)) = (self.map(), self.selected()) else {
            return;
        };
        let (x, y) = map.systems[from].position;
        let (unit_x, unit_y) = direction.unit();
        let cost = |place: usize| -> Option<f64> {
            let (there_x, there_y) = map.systems.get(place)?.position;
            let (dx, dy) = (there_x - x, there_y - y);
            let ahead = dx * unit_x + dy * unit_y;
            let aside = (dx * unit_y + dy * unit_x).abs();
            // What is more aside than ahead lies in another direction.
            (ahead > 0.0 && aside <= ahead * 2.0).then_some(ahead + aside * 2.0)
        };
        let costs = (0..map.systems.len()).filter_map(|place| Some((place, cost(place)?)));
        let next = costs.min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((next, _)) = next {
            self.select(next);
        }
    }

    /// Magnifies by so many steps, around the selected system.
    fn magnify(&mut self, steps: i32) {
        self.zoom = (self.zoom + steps).clamp(0, MAX_ZOOM);
        if self.zoom == 0 {
            self.centre = None;
        } else if self.centre.is_none() {
            self.centre = self.selected_position();
        }
    }

    fn selected_position(&self) -> Option<(f64, f64)> {
        let place = self.selected()?;
        Some(self.map()?.systems.get(place)?.position)
    }
}

#[cfg(test)]
mod tests;
