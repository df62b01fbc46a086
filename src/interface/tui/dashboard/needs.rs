//! The needs in the order of the screen, and the key that helps with each.

pub(crate) mod view;

use actors::domain::needs::NeedRemedy;

use zoea_text::clean::one_line;

use super::facts::Facts;
use super::keys::{GLOBAL_KEYS, GlobalAction, Keymap, TARGET_KEYS, TargetAction};
use super::table::keys::{TABLE_KEYS, TableAction};
use super::text::figures;
use super::text::tone::{StyledLine, Tone};
use super::text::width;

/// The key of a remedy; empty if there is none.
pub fn key_of(remedy: NeedRemedy, keymap: &Keymap) -> String {
    match remedy {
        NeedRemedy::Relaunch => keymap.key_of(TARGET_KEYS, TargetAction::Start),
        NeedRemedy::ResumeAll => keymap.key_of(GLOBAL_KEYS, GlobalAction::Resume),
        NeedRemedy::Message => keymap.key_of(TARGET_KEYS, TargetAction::Message),
        NeedRemedy::Stop => keymap.key_of(TARGET_KEYS, TargetAction::Stop),
        NeedRemedy::Answer => keymap.key_of(TARGET_KEYS, TargetAction::Answer),
        NeedRemedy::TryNow => keymap.key_of(TABLE_KEYS, TableAction::TryNow),
        NeedRemedy::Raise => keymap.key_of(TABLE_KEYS, TableAction::RaiseBudget),
        NeedRemedy::Nothing => String::new(),
    }
}

/// The most lines that a condition of the whole program takes among the needs.
const MAX_STANDING_LINES: usize = 2;
const AGE_COLUMNS: usize = 7;

/// The lines of those conditions of the whole program that are not in the banner.
pub fn standing_need_lines(facts: &Facts) -> Vec<StyledLine> {
    let (width, _) = facts.size;
    let room = usize::from(width).saturating_sub(AGE_COLUMNS + 1);
    let lasting = facts.standing.iter();
    let lasting = lasting.filter(|(kind, _)| !kind.is_in_band());
    let mut all = Vec::new();
    for (_, condition) in lasting {
        let ago = figures::ago(facts.now.since(condition.since));
        let mut before = format!(" {ago:>4}  ");
        let text = format!("zoea: {}", one_line(&condition.text));
        for line in width::wrap(&text, room).at_most(MAX_STANDING_LINES) {
            let line = width::clip(line, room);
            all.push(StyledLine::of(before, Tone::Dim).with(line, Tone::Warning));
            before = " ".repeat(AGE_COLUMNS);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use actors::domain::event::{Elsewhere, LinkState, MysisStatus};
    use actors::domain::ids::{Now, Timestamp};
    use actors::domain::state::LifeState;

    use crate::dashboard::action::TerminalAction;
    use crate::dashboard::tests::{Desk, status};
    use crossterm::event::KeyCode;

    #[test]
    fn the_bell_rings_for_a_mysis_of_any_process_and_once() {
        let mut desk = Desk::new();
        desk.types(":notify bell");
        desk.key(KeyCode::Enter);
        desk.board.take_actions();
        let bells = |desk: &mut Desk| {
            let actions = desk.board.take_actions().into_iter();
            actions
                .filter(|action| *action == TerminalAction::Bell)
                .count()
        };
        let with_link = |link, is_gone| {
            let place = Elsewhere {
                process: "box-2".into(),
                is_gone,
            };
            Arc::new(MysisStatus {
                link,
                link_since: Timestamp(1_000_000),
                elsewhere: Some(Arc::new(place)),
                ..MysisStatus::clone(&status(4, "drift", LifeState::Running))
            })
        };
        desk.reports(with_link(LinkState::Ok, false));
        assert_eq!(bells(&mut desk), 0);
        desk.reports(with_link(LinkState::Down, false));
        assert_eq!(bells(&mut desk), 0, "it may be back in seconds");
        desk.board.tick(Now::from_timestamp(Timestamp(1_061_000)));
        desk.board.prepare_frame();
        assert_eq!(bells(&mut desk), 1);
        // Its process is gone, or another one runs it: the need is the same.
        desk.reports(with_link(LinkState::Down, true));
        desk.reports(with_link(LinkState::Down, false));
        assert_eq!(bells(&mut desk), 0);
    }
}
