//! A list with a selected line, which is in sight. The line is known by its key, so that it stays
//! selected when others come, go or change places.

use crate::dashboard::keys::Movement;

pub trait Listed {
    type Key: Clone + PartialEq;

    fn key(&self) -> &Self::Key;
}

#[derive(Clone, Debug)]
pub struct Selection<K> {
    /// The selected line; `None` for the first one.
    key: Option<K>,
    /// Where the selected line was. When it disappears, its neighbour there is selected.
    place: usize,
    /// The first line in sight, and how many fit.
    top: usize,
    height: usize,
}

impl<K> Default for Selection<K> {
    fn default() -> Self {
        Selection {
            key: None,
            place: 0,
            top: 0,
            height: 0,
        }
    }
}

impl<K: Clone + PartialEq> Selection<K> {
    pub fn place<L: Listed<Key = K>>(&self, list: &[L]) -> usize {
        let Some(key) = &self.key else {
            return 0;
        };
        let last = list.len().saturating_sub(1);
        // Most often it is where it was.
        if list.get(self.place).is_some_and(|line| line.key() == key) {
            return self.place;
        }
        let place = list.iter().position(|line| line.key() == key);
        place.unwrap_or(self.place).min(last)
    }

    pub fn line<'a, L: Listed<Key = K>>(&self, list: &'a [L]) -> Option<&'a L> {
        list.get(self.place(list))
    }

    /// The key of the selected line, also while the list does not have it; `None` for the first line.
    pub fn key(&self) -> Option<&K> {
        self.key.as_ref()
    }

    pub fn select(&mut self, key: Option<K>) {
        self.key = key;
    }

    /// Selects the line at a place, or the last one, and brings it in sight.
    pub fn go_to<L: Listed<Key = K>>(&mut self, place: usize, list: &[L]) {
        self.place = place.min(list.len().saturating_sub(1));
        self.key = list.get(self.place).map(|line| line.key().clone());
        self.scroll_to_selection(list, self.height);
    }

    pub fn go<L: Listed<Key = K>>(&mut self, movement: Movement, list: &[L]) {
        let last = list.len().saturating_sub(1);
        self.go_to(
            movement.lead_from(self.place(list), last, self.height),
            list,
        );
    }

    /// Scrolls so that the selected line is within so many lines.
    pub fn scroll_to_selection<L: Listed<Key = K>>(&mut self, list: &[L], height: usize) {
        self.height = height;
        self.place = self.place(list);
        let rows = height.max(1);
        let last_top = list.len().saturating_sub(rows);
        let least = (self.place + 1).saturating_sub(rows);
        self.top = self.top.clamp(least, self.place.max(least)).min(last_top);
    }

    /// The number of lines above those in sight, and these.
    pub fn visible<'a, L>(&self, list: &'a [L]) -> (usize, &'a [L]) {
        let end = self.top.saturating_add(self.height).min(list.len());
        (self.top, list.get(self.top..end).unwrap_or_default())
    }

    /// How many lines fit.
    pub fn height(&self) -> usize {
        self.height
    }
}

/// The next or the previous one, in a circle.
pub fn step_in<T: Copy + PartialEq>(all: &[T], one: T, forth: bool) -> T {
    let place = all.iter().position(|other| *other == one).unwrap_or(0);
    all[beside(place, all.len(), forth)]
}

/// The next or the previous of so many places, in a circle.
pub fn beside(place: usize, count: usize, forth: bool) -> usize {
    let count = count.max(1);
    let step = if forth { 1 } else { count - 1 };
    (place + step) % count
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Line(char);

    impl Listed for Line {
        type Key = char;

        fn key(&self) -> &char {
            &self.0
        }
    }

    fn list(keys: &str) -> Vec<Line> {
        keys.chars().map(Line).collect()
    }

    fn shown(selection: &Selection<char>, list: &[Line]) -> (Option<char>, String) {
        let (_, lines) = selection.visible(list);
        let line = selection.line(list).map(|line| line.0);
        (line, lines.iter().map(|line| line.0).collect())
    }

    #[test]
    fn the_selected_line_stays_selected_and_in_sight() {
        let lines = list("abcdefgh");
        let mut selection = Selection::default();
        selection.scroll_to_selection(&lines, 3);
        assert_eq!(shown(&selection, &lines), (Some('a'), "abc".to_string()));
        selection.go(Movement::Last, &lines);
        assert_eq!(shown(&selection, &lines), (Some('h'), "fgh".to_string()));
        let turned = list("hgfedcba");
        selection.scroll_to_selection(&turned, 3);
        assert_eq!(shown(&selection, &turned), (Some('h'), "hgf".to_string()));
        selection.go(Movement::PageDown, &turned);
        assert_eq!(selection.line(&turned).map(|line| line.0), Some('f'));
        selection.go(Movement::Up, &turned);
        assert_eq!(selection.line(&turned).map(|line| line.0), Some('g'));
    }

    #[test]
    fn where_a_selected_line_was_its_neighbour_is_selected() {
        let mut selection = Selection::default();
        let lines = list("abc");
        selection.go(Movement::Last, &lines);
        selection.scroll_to_selection(&list("ab"), 2);
        assert_eq!(
            shown(&selection, &list("ab")),
            (Some('b'), "ab".to_string())
        );
        selection.scroll_to_selection(&list(""), 2);
        assert_eq!(shown(&selection, &list("")), (None, String::new()));
    }
}
