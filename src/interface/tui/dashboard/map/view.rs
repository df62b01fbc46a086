//! Draws the map: the lanes on ratatui's canvas, the systems as text over it.
//!
//! The canvas would write texts itself, but cut none and leave out none that another one covers, so
//! the painter writes them where `labels` found room.

use std::collections::BTreeMap;
use std::sync::Arc;

use actors::domain::system_map::{MappedSystem, SystemMap};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Color;
use ratatui::symbols::Marker;
use ratatui::widgets::canvas::{Canvas, Line as CanvasLine};
use zoea_text::names::plural;

use super::MapView;
use super::labels::{Label, place_labels};
use super::ships::{SystemShips, ships_by_system};
use super::viewport::Viewport;
use crate::dashboard::appearance::Letters;
use crate::dashboard::facts::Facts;
use crate::dashboard::layout::ScreenLayout;
use crate::dashboard::money::signed_credits;
use crate::dashboard::text::figures;
use crate::dashboard::text::tone::{StyledLine, Tone};
use crate::dashboard::text::width;
use crate::dashboard::toolkit::page::{begin_page, say_all, with_complaint};
use crate::painter::Painter;
use crate::theme::Ground;

/// From this width on, the selected system has a pane at the side.
const MIN_COLUMNS_WITH_PANE: u16 = 100;
const PANE_COLUMNS: u16 = 36;
/// From this height on, the selected system has several lines below a narrow map.
const MIN_ROWS_WITH_LINES: u16 = 14;
const FOOTER_LINES: u16 = 4;

type ShipsBySystem = BTreeMap<Arc<str>, SystemShips>;

pub(super) fn areas(page: Rect) -> [Rect; 2] {
    if page.width >= MIN_COLUMNS_WITH_PANE {
        let pane = Constraint::Length(PANE_COLUMNS);
        return Layout::horizontal([Constraint::Min(0), pane]).areas(page);
    }
    let lines = if page.height >= MIN_ROWS_WITH_LINES {
        FOOTER_LINES
    } else {
        1
    };
    Layout::vertical([Constraint::Min(0), Constraint::Length(lines)]).areas(page)
}

pub(crate) fn paint(
    facts: &Facts,
    view: &MapView,
    layout: &ScreenLayout,
    painter: &mut Painter<'_>,
) {
    let Some(map) = view.map().filter(|map| !map.systems.is_empty()) else {
        let page = begin_page(layout, &StyledLine::of(" MAP", Tone::Brand), painter);
        return say_all(page, &why_empty(facts, view), painter);
    };
    let ships = ships_by_system(&facts.roster, facts.now);
    let [area, pane] = areas(layout.page());
    let viewport = Viewport::new(view, map, area);
    let selected = view.selected();
    let labels = place_labels(map, &ships, selected, &viewport);
    let period = facts.money_period();
    let title = title((map, &ships), &period, labels.hidden, view.zoom);
    begin_page(
        layout,
        &with_complaint(title, view.map.complaint()),
        painter,
    );
    paint_lanes(facts, map, selected, &viewport, painter);
    for label in &labels.labels {
        paint_label(label, area, painter);
    }
    if let Some(place) = selected {
        let told = SelectedSystem {
            facts,
            map,
            place,
            ships: map.systems.get(place).and_then(|it| ships.get(&it.id)),
        };
        told.paint(pane, painter);
    }
}

/// Why there is no map, and what brings one.
fn why_empty(facts: &Facts, view: &MapView) -> [(String, Tone); 2] {
    let (first, second) = match (view.map.complaint(), view.map()) {
        (Some(why), _) => (format!("the map cannot be read: {why}"), ""),
        (None, None) => ("reading the map …".to_string(), ""),
        (None, Some(_)) if !facts.roster.may_tell_facts() => {
            ("these tools tell of no places".to_string(), "")
        }
        (None, Some(_)) => (
            "no Mysis has seen a system yet".to_string(),
            "get_system and get_map bring systems and lanes here",
        ),
    };
    [first, second.to_string()].map(|words| (words, Tone::Dim))
}

fn title(
    (map, ships): (&SystemMap, &ShipsBySystem),
    period: &str,
    hidden: usize,
    zoom: i32,
) -> StyledLine {
    let seen = map.systems.iter().filter(|it| it.seen_at.is_some()).count();
    let flying: usize = ships.values().map(|ships| ships.myses.len()).sum();
    let systems = map.systems.len();
    let mut line = StyledLine::of(" MAP  ", Tone::Brand).with(
        format!("{flying} ships in {} systems", ships.len()),
        Tone::Strong,
    );
    if hidden > 0 {
        line.push(format!("  {hidden} hidden: + shows them"), Tone::Warning);
    }
    if zoom > 0 {
        line.push(format!("  zoom {zoom}"), Tone::Accent);
    }
    line.push(format!("  earned there {period}: "), Tone::Dim);
    for (text, tone) in [
        ("● best ", Tone::Success),
        ("● good ", Tone::Accent),
        ("● some ", Tone::Warning),
        ("● none ", Tone::Dim),
        ("● loss", Tone::Fault),
    ] {
        line.push(text, tone);
    }
    line.with(
        format!("  {seen} of {systems} known systems seen"),
        Tone::Dim,
    )
}

fn paint_lanes(
    facts: &Facts,
    map: &SystemMap,
    selected: Option<usize>,
    viewport: &Viewport,
    painter: &mut Painter<'_>,
) {
    let paint = painter.paint();
    let colour = |tone| paint.text(tone).fg.unwrap_or(Color::Reset);
    let (usual, chosen) = (colour(Tone::Faint), colour(Tone::Brand));
    let marker = match facts.appearance.letters {
        Letters::Unicode => Marker::Braille,
        Letters::Ascii => Marker::Custom('.'),
    };
    let is_of_selected =
        |lane: &(usize, usize)| Some(lane.0) == selected || Some(lane.1) == selected;
    let line = |lane: &(usize, usize), colour| -> Option<CanvasLine> {
        let (from, to) = (
            map.systems.get(lane.0)?.position,
            map.systems.get(lane.1)?.position,
        );
        Some(CanvasLine::new(from.0, from.1, to.0, to.1, colour))
    };
    let (x_bounds, y_bounds) = viewport.canvas_bounds();
    // The canvas gives each of its cells a background.
    let ground = paint.ground(Ground::Base).bg.unwrap_or(Color::Reset);
    let canvas = Canvas::default()
        .background_color(ground)
        .marker(marker)
        .x_bounds(x_bounds)
        .y_bounds(y_bounds)
        .paint(|context| {
            let others = map.lanes.iter().filter(|lane| !is_of_selected(lane));
            for line in others.filter_map(|lane| line(lane, usual)) {
                context.draw(&line);
            }
            context.layer();
            let own = map.lanes.iter().filter(|lane| is_of_selected(lane));
            for line in own.filter_map(|lane| line(lane, chosen)) {
                context.draw(&line);
            }
        });
    painter.render(canvas, viewport.area);
}

fn paint_label(label: &Label, area: Rect, painter: &mut Painter<'_>) {
    if label.is_selected {
        let columns = u16::try_from(width::of(&label.text)).unwrap_or(u16::MAX);
        let (x, y) = (area.x + label.column, area.y + label.row);
        painter.fill(Rect::new(x, y, columns, 1), Ground::Selected);
    }
    painter.write(area, label.row, label.column, &label.text, label.tone);
}

struct SelectedSystem<'a> {
    facts: &'a Facts,
    map: &'a SystemMap,
    place: usize,
    ships: Option<&'a SystemShips>,
}

impl SelectedSystem<'_> {
    fn paint(&self, area: Rect, painter: &mut Painter<'_>) {
        painter.fill(area, Ground::Panel);
        let Some(system) = self.map.systems.get(self.place) else {
            return;
        };
        if area.height == 1 {
            let mut line = self.heading(system);
            line.push("  ", Tone::Text);
            line.spans.extend(self.earnings().spans);
            painter.line(area, 0, &line);
            return;
        }
        let mut lines = vec![self.heading(system), self.earnings(), self.seen(system)];
        lines.extend(self.points(system));
        lines.push(self.lanes());
        if area.height <= FOOTER_LINES {
            // In few lines the ships come before the points.
            lines.truncate(2);
            lines.push(self.names());
            lines.push(self.lanes());
            return painter.lines(area, &lines);
        }
        lines.push(StyledLine::default());
        let room = usize::from(area.height).saturating_sub(lines.len());
        lines.extend(self.rows_of_ships(room));
        painter.lines(area, &lines);
    }

    fn heading(&self, system: &MappedSystem) -> StyledLine {
        let line = StyledLine::of(" ", Tone::Text).with(&*system.name, Tone::Strong);
        match system.name == system.id {
            true => line,
            false => line.with(format!("  {}", system.id), Tone::Dim),
        }
    }

    fn earnings(&self) -> StyledLine {
        let Some(ships) = self.ships else {
            return StyledLine::of(" no ships", Tone::Dim);
        };
        let count = ships.myses.len();
        let noun = plural(count as u64, "ship");
        let line = StyledLine::of(format!(" {count} {noun}"), Tone::Text);
        match ships.earned {
            Some(earned) => {
                let period = self.facts.money_period();
                line.with(
                    format!("  {} {period}", signed_credits(earned)),
                    Tone::Number,
                )
            }
            None => line.with("  credits not known", Tone::Dim),
        }
    }

    fn seen(&self, system: &MappedSystem) -> StyledLine {
        let Some(at) = system.seen_at else {
            return StyledLine::of(" only named, not seen yet", Tone::Dim);
        };
        let seen = figures::seen(self.facts.now.since(at));
        StyledLine::of(format!(" {seen}"), Tone::Dim)
    }

    /// The known points, bases first.
    fn points(&self, system: &MappedSystem) -> Vec<StyledLine> {
        let mut points: Vec<_> = system.points.iter().collect();
        points.sort_by_key(|point| !point.has_base);
        let lines = points.iter().map(|point| {
            let tone = if point.has_base {
                Tone::Accent
            } else {
                Tone::Text
            };
            let kind = point.kind.as_deref().unwrap_or_default().replace('_', " ");
            StyledLine::of(format!("   {}", point.name), tone).with(format!("  {kind}"), Tone::Dim)
        });
        lines.take(12).collect()
    }

    fn lanes(&self) -> StyledLine {
        let others = self.map.lanes.iter().filter_map(|(from, to)| {
            let other = match (*from == self.place, *to == self.place) {
                (true, _) => to,
                (_, true) => from,
                (false, false) => return None,
            };
            Some(&*self.map.systems.get(*other)?.name)
        });
        let others: Vec<&str> = others.collect();
        match others.is_empty() {
            true => StyledLine::of(" no lane is known", Tone::Dim),
            false => StyledLine::of(format!(" to {}", others.join(", ")), Tone::Dim),
        }
    }

    fn names(&self) -> StyledLine {
        let myses = self.ships.map_or(&[][..], |ships| &ships.myses);
        let names: Vec<String> = myses
            .iter()
            .take(40)
            .map(|id| self.facts.name_of(*id).to_string())
            .collect();
        StyledLine::of(format!(" {}", names.join(" ")), Tone::Text)
    }

    /// A row for each ship, as many as fit; the last one says how many more there are.
    fn rows_of_ships(&self, room: usize) -> Vec<StyledLine> {
        let myses = self.ships.map_or(&[][..], |ships| &ships.myses);
        let fits = if myses.len() > room {
            room.saturating_sub(1)
        } else {
            room
        };
        let now = self.facts.now;
        let mut lines: Vec<StyledLine> = myses
            .iter()
            .take(fits)
            .filter_map(|id| self.facts.roster.get(*id))
            .map(|member| {
                let figures = &member.status.figures;
                let earned = figures
                    .earned_last_hour(now)
                    .map(signed_credits)
                    .unwrap_or_default();
                let poi = figures.facts.poi.as_deref().unwrap_or_default();
                let name = width::clip(&member.status.name, 14).to_string();
                StyledLine::of(format!(" {name:<14}"), Tone::Text)
                    .with(format!(" {earned:>7}"), Tone::Number)
                    .with(format!("  {poi}"), Tone::Dim)
            })
            .collect();
        if myses.len() > fits && room > 0 {
            let more = myses.len() - fits;
            lines.push(StyledLine::of(
                format!(" and {more} more: Enter lists them"),
                Tone::Dim,
            ));
        }
        lines
    }
}
