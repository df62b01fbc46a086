//! The viewport: the part of the map that an area of the screen shows.

use actors::domain::system_map::SystemMap;
use ratatui::layout::Rect;

use super::MapView;

const ZOOM_STEP: f64 = 1.4;
/// The rows at each edge that the whole map leaves free.
const MARGIN_ROWS: f64 = 1.0;
/// The columns at each edge that the whole map leaves free, for names.
const MARGIN_COLUMNS: f64 = 5.0;
/// How many columns are as wide as a row is high.
const COLUMNS_OF_ROW: f64 = 2.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Viewport {
    pub(super) area: Rect,
    centre: (f64, f64),
    /// The columns of a unit of the map.
    scale: f64,
}

impl Viewport {
    pub(super) fn new(view: &MapView, map: &SystemMap, area: Rect) -> Viewport {
        let (low, high) = bounds(map);
        let (width, height) = (high.0 - low.0, high.1 - low.1);
        let columns = (f64::from(area.width) - 1.0 - 2.0 * MARGIN_COLUMNS).max(0.5);
        let rows = (f64::from(area.height) - 1.0 - 2.0 * MARGIN_ROWS).max(0.5);
        let fit = |room: f64, size: f64| if size > 0.0 { room / size } else { f64::MAX };
        let whole = fit(columns, width).min(fit(rows * COLUMNS_OF_ROW, height));
        let whole = if whole == f64::MAX { 1.0 } else { whole };
        let middle = ((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0);
        Viewport {
            area,
            centre: view.centre.unwrap_or(middle),
            scale: whole * ZOOM_STEP.powi(view.zoom),
        }
    }

    /// The cell of a point of the map, relative to the area; `None` outside of it.
    pub(super) fn cell(&self, (x, y): (f64, f64)) -> Option<(u16, u16)> {
        let column = ((x - self.centre.0) * self.scale + self.middle().0).round();
        let row = ((self.centre.1 - y) * self.scale / COLUMNS_OF_ROW + self.middle().1).round();
        let is_inside = (0.0..f64::from(self.area.width)).contains(&column)
            && (0.0..f64::from(self.area.height)).contains(&row);
        is_inside.then_some((column as u16, row as u16))
    }

    fn middle(&self) -> (f64, f64) {
        let middle = |length: u16| (f64::from(length) - 1.0) / 2.0;
        (middle(self.area.width), middle(self.area.height))
    }

    /// The least and the greatest first and second value that a canvas over the area has, whose dots then agree with
    /// [`Viewport::cell`].
    pub(super) fn canvas_bounds(&self) -> ([f64; 2], [f64; 2]) {
        let x = |column: f64| self.centre.0 + (column - self.middle().0) / self.scale;
        let y = |row: f64| self.centre.1 + (self.middle().1 - row) * COLUMNS_OF_ROW / self.scale;
        // A cell has two dots side by side and four below each other; its middle is between them.
        let (columns, rows) = (f64::from(self.area.width), f64::from(self.area.height));
        ([x(-0.25), x(columns - 0.75)], [y(rows - 0.625), y(-0.375)])
    }

    /// The middle after a move by a part of the area, to the right and upwards.
    pub(super) fn moved(&self, (right, up): (f64, f64), part: f64) -> (f64, f64) {
        let columns = f64::from(self.area.width) * part;
        let rows = f64::from(self.area.height) * part;
        (
            self.centre.0 + right * columns / self.scale,
            self.centre.1 + up * rows * COLUMNS_OF_ROW / self.scale,
        )
    }
}

/// The least and the greatest coordinates of a map.
fn bounds(map: &SystemMap) -> ((f64, f64), (f64, f64)) {
    let mut positions = map.systems.iter().map(|system| system.position);
    let first = positions.next().unwrap_or_default();
    positions.fold((first, first), |(low, high), (x, y)| {
        ((low.0.min(x), low.1.min(y)), (high.0.max(x), high.1.max(y)))
    })
}
