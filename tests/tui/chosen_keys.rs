//! Keys and colours of the operator's own.

use std::collections::BTreeMap;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::style::Color;
use zoea_tui::dashboard::appearance::{Appearance, ChosenColour, ColourChoices, Theme, ThemePart};
use zoea_tui::dashboard::input_event::{ctrl, key, letter};
use zoea_tui::dashboard::keys::Keymap;
use zoea_tui::dashboard::{Dashboard, DashboardOptions};
use zoea_tui::theme::Depth;
use zoea_tui::view;

use crate::operator::Operator;
use crate::snapshots::{normal, troubled};

fn with_options(options: DashboardOptions) -> Operator {
    let mut operator = Operator::at(troubled(), (120, 40));
    let snapshot = operator.snapshot();
    operator.board = Dashboard::new(options);
    operator.restore(snapshot);
    operator
}

fn chosen(keys: &[(&str, KeyEvent)]) -> DashboardOptions {
    let keys = keys
        .iter()
        .map(|(name, key)| ((*name).to_string(), vec![*key]));
    DashboardOptions {
        size: (120, 40),
        keymap: Keymap::new(keys.collect::<BTreeMap<_, _>>()),
        ..DashboardOptions::default()
    }
}

#[test]
fn a_chosen_key_acts_and_stands_in_hints_help_and_palette() {
    let f5 = key(KeyCode::F(5));
    let mut operator = with_options(chosen(&[
        ("graphs", f5),
        ("next_need", letter('W')),
        ("help", ctrl('g')),
    ]));
    let text = operator.text();
    assert!(text.contains("W goes to the next"), "{text}");
    assert!(text.contains("Ctrl-G help"), "{text}");
    operator.keys(":show tokens");
    let text = operator.text();
    assert!(
        text.contains("show tokens, costs and gains over time") && text.contains("F5"),
        "{text}"
    );
    operator.keys("<esc>");
    operator.input(ctrl('g').into());
    let mut lines = operator
        .board
        .help()
        .into_iter()
        .flat_map(|chapter| chapter.lines);
    let graphs = lines.find(|line| line.help.contains("show tokens"));
    assert_eq!(graphs.map(|line| line.keys), Some("F5".to_string()));
    operator.input(ctrl('g').into());
    assert!(operator.board.overlays().is_empty());
    operator.keys("g?");
    assert!(
        operator.board.overlays().is_empty(),
        "the usual keys do nothing"
    );
    operator.input(f5.into());
    assert_eq!(operator.board.overlays().len(), 1);
}

#[test]
fn the_key_that_quits_insists() {
    let mut operator = with_options(chosen(&[("quit", ctrl('q'))]));
    operator.keys("q");
    assert!(!operator.board.asks_about_program());
    operator.input(ctrl('q').into());
    assert!(operator.board.asks_about_program());
    operator.input(ctrl('q').into());
    assert!(operator.board.facts().closing_since.is_some());
}

#[test]
fn a_chosen_colour_is_painted_on_top_of_its_theme_only() {
    let mut colours = ColourChoices::default().on_top_of(Theme::Dark);
    colours.choose(ThemePart::Brand, ChosenColour::Rgb(0x12_3456));
    let mut operator = with_options(DashboardOptions {
        size: (120, 40),
        appearance: Appearance {
            colours,
            ..Appearance::default()
        },
        ..DashboardOptions::default()
    });
    let has_colour = |operator: &Operator| {
        let buffer = view::paint(&operator.board, Depth::True).buffer;
        buffer
            .content
            .iter()
            .any(|cell| cell.fg == Color::Rgb(0x12, 0x34, 0x56))
    };
    assert!(has_colour(&operator));
    operator.keys(":theme light<enter>");
    assert!(!has_colour(&operator));
    operator.keys(":theme dark<enter>");
    assert!(has_colour(&operator));
    assert!(!has_colour(&Operator::at(normal(), (120, 40))));
}
