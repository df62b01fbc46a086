//! The needs in the order of the screen, and the key that helps with each.

pub(crate) mod view;

use std::collections::BTreeMap;

use actors::domain::ids::MysisId;
use actors::domain::needs::{Need, NeedRemedy, operator_need};

use zoea_text::clean::one_line;

use super::Dashboard;
use super::keys::{GLOBAL_KEYS, GlobalAction, Keymap, TARGET_KEYS, TargetAction};
use super::roster::Roster;
use super::text::figures;
use super::text::tone::{StyledLine, Tone};
use super::text::width;

/// The key of a remedy; empty if there is none.
#[must_use]
pub fn key_of(remedy: NeedRemedy, keymap: &Keymap) -> String {
    match remedy {
        NeedRemedy::Relaunch => keymap.key_of(TARGET_KEYS, TargetAction::Start),
        NeedRemedy::ResumeAll => keymap.key_of(GLOBAL_KEYS, GlobalAction::Resume),
        NeedRemedy::Message => keymap.key_of(TARGET_KEYS, TargetAction::Message),
        NeedRemedy::Stop => keymap.key_of(TARGET_KEYS, TargetAction::Stop),
        NeedRemedy::Answer => keymap.key_of(TARGET_KEYS, TargetAction::Answer),
        NeedRemedy::Nothing => String::new(),
    }
}

/// The needs of all Myses, newest first.
#[must_use]
pub fn list_needs(roster: &Roster) -> Vec<Need> {
    let mut needs: Vec<Need> = roster
        .members()
        .values()
        .filter_map(|member| operator_need(&member.status))
        .collect();
    needs.sort_by(|a, b| b.since.cmp(&a.since).then_with(|| a.name.cmp(&b.name)));
    needs
}

/// The most lines that a condition of the whole program takes among the needs.
const MAX_STANDING_LINES: usize = 2;
/// The columns before its text.
const AGE_COLUMNS: usize = 7;

impl Dashboard {
    /// The lines of those conditions of the whole program that are not in the banner.
    #[must_use]
    pub fn standing_need_lines(&self) -> Vec<StyledLine> {
        let (width, _) = self.size();
        let room = usize::from(width).saturating_sub(AGE_COLUMNS + 1);
        let lasting = self
            .standing()
            .iter()
            .filter(|(kind, _)| !kind.is_in_band());
        let mut all = Vec::new();
        for (_, condition) in lasting {
            let ago = figures::ago(self.now().since(condition.since));
            let mut before = format!(" {ago:>4}  ");
            let text = format!("zoea: {}", one_line(&condition.text));
            let mut lines = width::wrap(&text, room);
            for place in 1..=MAX_STANDING_LINES {
                let rest = lines.rest();
                let Some(line) = lines.next() else {
                    break;
                };
                let line = match place {
                    MAX_STANDING_LINES => width::clip(rest, room),
                    _ => line.into(),
                };
                all.push(StyledLine::of(before, Tone::Dim).with(line, Tone::Warning));
                before = " ".repeat(AGE_COLUMNS);
            }
        }
        all
    }
}

/// The Myses with the same need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeedGroup {
    /// The index of the newest one in the list of needs.
    pub newest: usize,
    pub myses: Vec<MysisId>,
}

/// Groups the needs by cause, newest first.
#[must_use]
pub fn group_needs(needs: &[Need]) -> Vec<NeedGroup> {
    let mut groups: Vec<NeedGroup> = Vec::new();
    let mut known: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (newest, need) in needs.iter().enumerate() {
        let place = *known.entry((need.what, &need.why)).or_insert_with(|| {
            let myses = Vec::new();
            groups.push(NeedGroup { newest, myses });
            groups.len() - 1
        });
        groups[place].myses.push(need.mysis);
    }
    groups
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use actors::domain::event::{Elsewhere, EventKind, LinkState, MysisStatus};
    use actors::domain::ids::Timestamp;
    use actors::domain::progress::{StallKind, Stuck};
    use actors::domain::state::LifeState;

    use super::*;
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
        let told = |link, is_gone| {
            let place = Elsewhere {
                process: "box-2".into(),
                is_gone,
            };
            EventKind::StatusChanged(Arc::new(MysisStatus {
                link,
                elsewhere: Some(Arc::new(place)),
                ..MysisStatus::clone(&status(4, "drift", LifeState::Running))
            }))
        };
        let who = Some((4, "drift"));
        desk.happens(who, told(LinkState::Ok, false));
        assert_eq!(bells(&mut desk), 0);
        desk.happens(who, told(LinkState::Down, false));
        assert_eq!(bells(&mut desk), 1);
        // Its process is gone, or another one runs it: the need is the same.
        desk.happens(who, told(LinkState::Down, true));
        desk.happens(who, told(LinkState::Down, false));
        assert_eq!(bells(&mut desk), 0);
    }

    #[test]
    fn whoever_gets_nowhere_needs_the_operator_the_newest_first() {
        let stuck = |tool: Option<&str>, since| {
            Some(Stuck {
                since: Timestamp(since),
                turns: 5,
                tool: tool.map(Into::into),
                way: if tool.is_some() {
                    StallKind::Repeats
                } else {
                    StallKind::Talks
                },
            })
        };
        let [repeats, talks] = [stuck(Some("mine"), 10), stuck(None, 30)];
        let mut roster = Roster::default();
        for (id, stuck) in [(1, repeats), (2, talks)] {
            let mut one = MysisStatus::clone(&status(id, &format!("m{id}"), LifeState::Running));
            one.stuck = stuck;
            roster.update_member(&Arc::new(one));
        }
        let mut down = MysisStatus::clone(&status(3, "m3", LifeState::Running));
        down.link = LinkState::Down;
        down.link_since = Timestamp(20);
        roster.update_member(&Arc::new(down));
        let needs = list_needs(&roster);
        let keymap = Keymap::default();
        let seen: Vec<_> = needs
            .iter()
            .map(|need| (need.what, key_of(need.remedy, &keymap), &*need.why))
            .collect();
        assert_eq!(
            seen,
            [
                (
                    "only talks",
                    "m".to_string(),
                    "called no tool in its last 5 turns"
                ),
                (
                    "no tools",
                    "s".to_string(),
                    "the game server cannot be reached; it waits until it can"
                ),
                (
                    "repeats",
                    "m".to_string(),
                    "mine failed in each of its last 5 turns"
                ),
            ]
        );
    }
}
