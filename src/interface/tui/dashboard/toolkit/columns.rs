//! Columns that give way: where there is no room, the less important ones are left out.

use ratatui::layout::{Alignment, Rect};

use super::list::{Listed, Selection};
use crate::dashboard::layout::{row_of, without_left};
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::painter::Painter;
use crate::theme::Ground;

/// The columns of the screen that a column of a table wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WidthRequest {
    pub gap: u16,
    pub least: u16,
    /// These it gets before others get more than their least.
    pub good: u16,
    /// More than these are of no use.
    pub wide: u16,
}

/// Shares the room out among columns that stand by importance. Returns the width of each, `None` if
/// it is left out, and the room that is left. The first `kept` are cut rather than left out.
pub fn share_room(room: u16, kept: usize, requests: &[WidthRequest]) -> (Vec<Option<u16>>, u16) {
    let mut left = room;
    let mut widths = Vec::with_capacity(requests.len());
    for (place, request) in requests.iter().enumerate() {
        let needed = request.least.saturating_add(request.gap);
        let width = match needed <= left {
            true => Some(request.least),
            false if place < kept && left > 0 => Some(left.saturating_sub(request.gap)),
            false => None,
        };
        left = left.saturating_sub(width.map_or(0, |width| width + request.gap));
        widths.push(width);
    }
    for enough in [
        |request: &WidthRequest| request.good,
        |request: &WidthRequest| request.wide,
    ] {
        for (width, request) in widths.iter_mut().zip(requests) {
            if let Some(width) = width {
                let more = enough(request).saturating_sub(*width).min(left);
                *width += more;
                left -= more;
            }
        }
    }
    (widths, left)
}

/// What a column says of a line, in so many columns of the screen.
type CellText<'a, L> = Box<dyn Fn(&L, usize) -> StyledLine + 'a>;

pub struct ListColumn<'a, L> {
    title: &'static str,
    side: Alignment,
    /// The less, the sooner it gives way.
    worth: u8,
    request: WidthRequest,
    cell: CellText<'a, L>,
}

impl<'a, L> ListColumn<'a, L> {
    /// A column of text that is at least and at most so wide.
    pub fn text(
        title: &'static str,
        worth: u8,
        (least, wide): (u16, u16),
        cell: impl Fn(&L, usize) -> StyledLine + 'a,
    ) -> ListColumn<'a, L> {
        let request = WidthRequest {
            gap: 2,
            least,
            good: least,
            wide,
        };
        ListColumn {
            title,
            side: Alignment::Left,
            worth,
            request,
            cell: Box::new(cell),
        }
    }

    /// A column of figures, which are aligned to the right.
    pub fn figure(
        title: &'static str,
        worth: u8,
        columns: u16,
        cell: impl Fn(&L) -> StyledLine + 'a,
    ) -> ListColumn<'a, L> {
        ListColumn {
            side: Alignment::Right,
            ..ListColumn::text(title, worth, (columns, columns), move |line, _| cell(line))
        }
    }
}

#[cfg(test)]
impl<L> ListColumn<'_, L> {
    /// Whether its head is whole where it has the least room.
    pub fn has_whole_head(&self) -> bool {
        self.title.len() <= usize::from(self.request.least)
    }
}

/// The area of the lines of a list: all but the titles, which give way first.
pub fn lines_area(area: Rect) -> Rect {
    let titles = u16::from(area.height >= 2);
    Rect {
        y: area.y + titles,
        height: area.height - titles,
        ..area
    }
}

/// Draws a list with the titles of its columns, the selected line and a scrollbar.
pub fn paint_list<L: Listed>(
    columns: &[ListColumn<'_, L>],
    list: &[L],
    selection: &Selection<L::Key>,
    area: Rect,
    painter: &mut Painter<'_>,
) {
    let placed = place(columns, area.width);
    let lines = lines_area(area);
    if lines.y > area.y {
        for (column, x, width) in &placed {
            let cell = StyledLine::of(column.title, Tone::Dim);
            paint_cell(area, 0, (*x, *width, column.side), cell, painter);
        }
    }
    let place = selection.place(list);
    let (above, visible) = selection.visible(list);
    for (row, (at, line)) in (0..lines.height).zip((above..).zip(visible)) {
        if at == place {
            painter.fill(row_of(lines, row), Ground::Selected);
            painter.text(lines, row, "▌", Tone::Accent);
        }
        for (column, x, width) in &placed {
            let cell = (column.cell)(line, usize::from(*width));
            paint_cell(lines, row, (*x, *width, column.side), cell, painter);
        }
    }
    painter.scrollbar(lines, above, visible.len(), list.len());
}

fn paint_cell(
    area: Rect,
    row: u16,
    (x, columns, side): (u16, u16, Alignment),
    mut cell: StyledLine,
    painter: &mut Painter<'_>,
) {
    cell.clip(usize::from(columns));
    let cut = Rect {
        width: area.width.min(x + columns),
        ..area
    };
    let room = without_left(cut, x);
    match side {
        Alignment::Right => painter.line_at_right(room, row, &cell),
        Alignment::Left | Alignment::Center => drop(painter.line(room, row, &cell)),
    }
}

type PlacedListColumn<'c, 'a, L> = (&'c ListColumn<'a, L>, u16, u16);

/// The columns that fit, each with its place and its width, between the mark and the scrollbar.
fn place<'c, 'a, L>(
    columns: &'c [ListColumn<'a, L>],
    room: u16,
) -> Vec<PlacedListColumn<'c, 'a, L>> {
    let mut by_worth: Vec<usize> = (0..columns.len()).collect();
    by_worth.sort_by_key(|place| std::cmp::Reverse(columns[*place].worth));
    let requests: Vec<WidthRequest> = by_worth
        .iter()
        .map(|place| columns[*place].request)
        .collect();
    // The scrollbar has a column of its own, and a gap before it.
    let (widths, _) = share_room(room.saturating_sub(2), 1, &requests);
    let mut shown: Vec<(usize, u16)> = by_worth
        .into_iter()
        .zip(widths)
        .filter_map(|(place, width)| Some((place, width?)))
        .collect();
    shown.sort_unstable();
    let mut x = 0;
    let mut placed = Vec::with_capacity(shown.len());
    for (place, width) in shown {
        x += columns[place].request.gap;
        placed.push((&columns[place], x, width));
        x += width;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(least: u16, good: u16, wide: u16) -> WidthRequest {
        WidthRequest {
            gap: 1,
            least,
            good,
            wide,
        }
    }

    #[test]
    fn what_does_not_fit_is_left_out_and_less_important_ones_may_still_fit() {
        let requests = [request(5, 5, 8), request(20, 20, 20), request(3, 6, 6)];
        assert_eq!(
            share_room(40, 1, &requests),
            (vec![Some(8), Some(20), Some(6)], 3)
        );
        assert_eq!(share_room(30, 1, &requests).0, [Some(8), Some(20), None]);
        assert_eq!(share_room(14, 1, &requests).0, [Some(6), None, Some(6)]);
        assert_eq!(share_room(4, 1, &requests).0, [Some(3), None, None]);
        assert_eq!(share_room(0, 1, &requests).0, [None; 3]);
    }

    #[test]
    fn columns_of_every_width_stand_side_by_side() {
        let columns: Vec<ListColumn<'_, ()>> = [(3, 4, 9), (9, 10, 30), (5, 5, 5)]
            .into_iter()
            .map(|(worth, least, wide)| {
                ListColumn::text("", worth, (least, wide), |(), _| StyledLine::default())
            })
            .collect();
        for room in 0..80 {
            let mut end = 0;
            for (_, x, width) in place(&columns, room) {
                assert!(x >= end && x + width <= room.max(2), "{room}");
                end = x + width;
            }
        }
    }
}
