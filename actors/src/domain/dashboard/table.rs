//! The table of Myses: who is shown, in which order, and who is selected.

use std::sync::Arc;

use crate::domain::ids::MysisId;

use super::roster::Roster;

/// The table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    order: Arc<Vec<MysisId>>,
    selected: Option<MysisId>,
    /// Where the selected one was last; its neighbour follows it when it goes.
    place: usize,
    top: usize,
    rows: usize,
    is_stale: bool,
}

impl Table {
    /// Those that are shown, in order.
    #[must_use]
    pub fn order(&self) -> &[MysisId] {
        &self.order
    }

    /// The one that keys act upon.
    #[must_use]
    pub fn selected(&self) -> Option<MysisId> {
        self.selected
    }

    /// Where the selected one is.
    #[must_use]
    pub fn place(&self) -> usize {
        self.place
    }

    /// Those in sight, and the first one's place.
    #[must_use]
    pub fn in_sight(&self) -> (usize, &[MysisId]) {
        let end = (self.top + self.rows).min(self.order.len());
        (self.top, &self.order[self.top.min(end)..end])
    }

    /// Its rows on the screen.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Something changed that order or selection may depend on.
    pub fn doubt(&mut self) {
        self.is_stale = true;
    }

    /// The table has so many rows on the screen.
    pub fn resize(&mut self, rows: usize) {
        self.rows = rows;
    }

    /// Puts the Myses in order and keeps the selection.
    pub fn settle(&mut self, roster: &Roster) {
        if std::mem::take(&mut self.is_stale) {
            let mut order: Vec<_> = roster.members().values().collect();
            order.sort_by(|a, b| a.standing.name.cmp(&b.standing.name));
            let order = order.into_iter().map(|member| member.standing.id);
            self.order = Arc::new(order.collect());
        }
        let known = self
            .selected
            .and_then(|id| self.order.iter().position(|other| *other == id));
        self.place = known
            .unwrap_or(self.place)
            .min(self.order.len().saturating_sub(1));
        self.selected = self.order.get(self.place).copied();
        self.scroll_to_selected();
    }

    /// Selects the one so many places further down.
    pub fn step(&mut self, by: isize) {
        self.go_to(self.place.saturating_add_signed(by));
    }

    /// Selects the one at a place, or the last one.
    pub fn go_to(&mut self, place: usize) {
        self.place = place.min(self.order.len().saturating_sub(1));
        self.selected = self.order.get(self.place).copied();
        self.scroll_to_selected();
    }

    /// Selects a Mysis.
    pub fn select(&mut self, id: MysisId) {
        self.selected = Some(id);
        if let Some(place) = self.order.iter().position(|other| *other == id) {
            self.go_to(place);
        }
    }

    fn scroll_to_selected(&mut self) {
        let rows = self.rows.max(1);
        let last_top = self.order.len().saturating_sub(rows);
        let least = (self.place + 1).saturating_sub(rows);
        self.top = self.top.clamp(least, self.place.max(least)).min(last_top);
    }
}
