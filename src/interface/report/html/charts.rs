//! The curves of a page. The drawing is stretched to the width of the page; its texts stand beside
//! it, so that they have the same size on a phone.

use crate::interface::report::PeriodReport;
use crate::interface::report::curves::{CurveKind, Curves, time_ticks, value_ticks};
use crate::interface::report::figures::{duration, short_number};
use crate::interface::report::timeline::{ReportTimeline, Span};

use super::markup::escape_html;

/// The size of a drawing in units of its own.
const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 100.0;
/// The most times below a curve; as many fit beside each other on a phone.
const MAX_TIMES: usize = 6;
/// Marks that are nearer to each other than this share of the width have one flag.
const FLAG_WIDTH: f64 = 0.12;

pub(super) fn timeline_section(report: &PeriodReport) -> String {
    let curves = &report.curves;
    let listed = timeline_list(report);
    if curves.steps.is_empty() && listed.is_empty() {
        return String::new();
    }
    let charts = match curves.steps.is_empty() {
        true => String::new(),
        false => CurveKind::of_report(report)
            .into_iter()
            .map(|kind| chart(report, kind))
            .collect(),
    };
    format!(
        "<section class=\"card\"><h2>Over time</h2><div class=\"two\">{charts}</div>{listed}</section>"
    )
}

fn colour(kind: CurveKind) -> &'static str {
    match kind {
        CurveKind::Credits | CurveKind::Earned => "gain",
        CurveKind::Cost => "cost",
        CurveKind::Tokens => "tokens",
    }
}

fn chart(report: &PeriodReport, kind: CurveKind) -> String {
    let (curves, timeline) = (&report.curves, &report.timeline);
    let values = curves.values(kind);
    let title = escape_html(&kind.title(report));
    if let Some(absence) = kind.absence(curves) {
        return format!("<figure><h3>{title}</h3><figcaption>{absence}</figcaption></figure>");
    }
    let words = kind.words(curves);
    let ticks = value_ticks(&values);
    let height = |value: f64| -> f64 {
        let (bottom, top) = (ticks.first(), ticks.last());
        let (bottom, top) = (bottom.copied().unwrap_or(0.0), top.copied().unwrap_or(1.0));
        HEIGHT * (1.0 - (value - bottom) / (top - bottom))
    };
    let grid = ticks.iter().map(|tick| {
        let y = height(*tick);
        format!("<line class=\"grid\" x1=\"0\" x2=\"{WIDTH}\" y1=\"{y:.2}\" y2=\"{y:.2}\"/>")
    });
    let numbers = ticks.iter().map(|tick| {
        let (y, number) = (height(*tick), short_number(*tick));
        format!("<span class=\"axis y\" style=\"top:{y:.2}%\">{number}</span>")
    });
    let zero = height(0.0);
    let heights: Vec<Option<f64>> = values.iter().map(|value| value.map(height)).collect();
    let (line, area) = (step_line(&heights, None), step_line(&heights, Some(zero)));
    let colour = colour(kind);
    format!(
        "<figure><h3>{title}</h3><figcaption>{words}</figcaption>\
         <div class=\"plot\" role=\"img\" aria-label=\"{title}: {words}\">\
         <svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         {bands}{grid}<path class=\"area {colour}\" d=\"{area}\"/>\
         <path class=\"{colour} curve\" d=\"{line}\"/>{lines}</svg>{numbers}{times}{flags}</div></figure>",
        bands = bands(curves, timeline),
        grid = grid.collect::<String>(),
        lines = mark_lines(curves, timeline),
        numbers = numbers.collect::<String>(),
        times = times(report),
        flags = flags(curves, timeline),
    )
}

/// The path of a curve: each step is a level line, and unknown steps are gaps. With a base it is the
/// area down to it.
fn step_line(heights: &[Option<f64>], base: Option<f64>) -> String {
    let count = u32::try_from(heights.len().max(1)).map_or(1.0, f64::from);
    let mut path = String::new();
    let mut x = 0.0;
    for (place, run) in heights
        .chunk_by(|one, other| one.is_some() == other.is_some())
        .enumerate()
    {
        let length = u32::try_from(run.len()).map_or(0.0, f64::from);
        let width = WIDTH / count;
        let first = run.first().copied().flatten();
        if let Some(first) = first {
            let gap = if place > 0 { " " } else { "" };
            path += &match base {
                Some(base) => format!("{gap}M{x:.1} {base:.2}V{first:.2}"),
                None => format!("{gap}M{x:.1} {first:.2}"),
            };
            let mut right = x;
            for height in run.iter().flatten() {
                right += width;
                path += &format!("V{height:.2}H{right:.1}");
            }
            if let Some(base) = base {
                path += &format!("V{base:.2}Z");
            }
        }
        x += width * length;
    }
    path
}

fn bands(curves: &Curves, timeline: &ReportTimeline) -> String {
    let visible = timeline.spans.iter();
    let visible = visible.filter(|span| span.until > curves.first && span.from < curves.end());
    let bands = visible.map(|span| {
        let from = curves.place_of(span.from).unwrap_or(0.0) * WIDTH;
        let until = curves.place_of(span.until).unwrap_or(1.0) * WIDTH;
        // A short outage must not vanish.
        let width = (until - from).max(4.0);
        let kind = span.kind.class();
        format!(
            "<rect class=\"band {kind}\" x=\"{from:.1}\" y=\"0\" width=\"{width:.1}\" height=\"{HEIGHT}\"/>"
        )
    });
    bands.collect()
}

fn mark_places(curves: &Curves, timeline: &ReportTimeline) -> Vec<(usize, f64)> {
    let numbered = timeline.marks.iter().enumerate();
    let placed = numbered.filter_map(|(place, mark)| Some((place + 1, curves.place_of(mark.at)?)));
    placed.collect()
}

fn mark_lines(curves: &Curves, timeline: &ReportTimeline) -> String {
    let lines = mark_places(curves, timeline).into_iter().map(|(_, place)| {
        let x = place * WIDTH;
        format!("<line class=\"mark\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"0\" y2=\"{HEIGHT}\"/>")
    });
    lines.collect()
}

/// The numbers of the marks above the curve; near ones share a flag.
fn flags(curves: &Curves, timeline: &ReportTimeline) -> String {
    let mut groups: Vec<(usize, usize, f64)> = Vec::new();
    for (number, place) in mark_places(curves, timeline) {
        match groups.last_mut() {
            Some((_, last, start)) if place - *start < FLAG_WIDTH => *last = number,
            _ => groups.push((number, number, place)),
        }
    }
    let flags = groups.into_iter().map(|(first, last, place)| {
        let left = place * 100.0;
        let number = match first == last {
            true => first.to_string(),
            false => format!("{first}–{last}"),
        };
        format!("<span class=\"flag\" style=\"left:{left:.2}%\">{number}</span>")
    });
    flags.collect()
}

fn times(report: &PeriodReport) -> String {
    let times = time_ticks(report, MAX_TIMES).into_iter().filter_map(|at| {
        let left = report.curves.place_of(at)? * 100.0;
        let time = report.time(at);
        Some(format!(
            "<span class=\"axis x\" style=\"left:{left:.2}%\">{time}</span>"
        ))
    });
    times.collect()
}

fn timeline_list(report: &PeriodReport) -> String {
    let timeline = &report.timeline;
    let marks = timeline.marks.iter().enumerate().map(|(place, mark)| {
        let (number, at, text) = (place + 1, report.time(mark.at), escape_html(&mark.text));
        format!(
            "<li><span><b class=\"flag\">{number}</b></span><time>{at}</time><span>{text}</span></li>"
        )
    });
    let mut items: String = marks.collect();
    items += &timeline
        .spans
        .iter()
        .map(|span| span_item(report, span))
        .collect::<String>();
    let mut list = match items.is_empty() {
        true => String::new(),
        false => format!("<ul class=\"marks\">{items}</ul>"),
    };
    if timeline.left_out > 0 {
        let earlier = timeline.left_out;
        list +=
            &format!("<p><small>{earlier} earlier orders and outages are left out.</small></p>");
    }
    if report.are_events_cut {
        list += "<p><small>Only the newest 10,000 events are stored; earlier ones may be missing.</small></p>";
    }
    list
}

fn span_item(report: &PeriodReport, span: &Span) -> String {
    let (kind, title) = (span.kind.class(), span.kind.title());
    let (from, until) = (report.time(span.from), report.time(span.until));
    let until = if span.is_open { "…" } else { &until };
    let (time, text) = (
        duration(span.until.since(span.from)),
        escape_html(&span.text),
    );
    format!(
        "<li><span><i class=\"swatch {kind}\"></i></span><time>{from}–{until}</time>\
         <span>{title}, {time}: {text}</span></li>"
    )
}
