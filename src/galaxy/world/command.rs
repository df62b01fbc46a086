//! The commands that are played for real, and how each of them is answered.

use super::{
    Answer, PlayerId, Refusal, World,
    act::{self, Act},
    arguments::Arguments,
    look,
    player::Player,
    write,
};
use crate::tools;

/// How a command is answered.
pub(super) enum Play {
    /// From what never changes; needs no login.
    Reference(fn(&World, Arguments) -> Answer),
    /// From the world as it stands.
    Look(fn(&World, &Player, Arguments) -> Answer),
    /// From the world, which notes what was read; nothing that a restart would have to keep.
    Read(fn(&mut World, PlayerId, Arguments) -> Answer),
    /// By changing the world at once, without a tick.
    Write(fn(&mut World, PlayerId, Arguments) -> Answer),
    /// In a tick: a mutation. Here its arguments are read.
    Act(fn(Arguments) -> Result<Act, Refusal>),
}

/// What a caller of the world has to know about a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// Needs no login: [`World::reference`].
    Reference,
    /// Changes nothing that lasts: [`World::query`].
    Look,
    /// Changes the world at once: [`World::query`], and has to be recorded.
    Write,
    /// Takes a tick: [`World::submit`].
    Act,
}

/// The nature of a command; none of a name that is no command, nor of register, login, logout and
/// session, which concern whoever keeps the sessions.
#[must_use]
pub fn nature(command: &str) -> Option<CommandKind> {
    match find(command) {
        Some(Play::Reference(_)) => Some(CommandKind::Reference),
        Some(Play::Look(_) | Play::Read(_)) => Some(CommandKind::Look),
        Some(Play::Write(_)) => Some(CommandKind::Write),
        Some(Play::Act(_)) => Some(CommandKind::Act),
        None if ["register", "login", "logout", "session"].contains(&command) => None,
        None => tools::find(command).map(|tool| {
            if tool.mutation {
                CommandKind::Act
            } else {
                CommandKind::Look
            }
        }),
    }
}

pub(super) fn find(command: &str) -> Option<&'static Play> {
    let at = PLAYED.binary_search_by(|(name, _)| (*name).cmp(command));
    at.ok().map(|at| &PLAYED[at].1)
}

static PLAYED: &[(&str, Play)] = &[
    ("abandon_mission", Play::Write(write::missions::abandon)),
    ("accept_mission", Play::Act(act::missions::read_accept)),
    ("analyze_market", Play::Look(look::market::analyze)),
    ("buy", Play::Act(act::trade::read_buy)),
    ("captains_log_add", Play::Write(write::log::add)),
    ("captains_log_get", Play::Look(look::log::get)),
    ("captains_log_list", Play::Look(look::log::list)),
    ("catalog", Play::Reference(look::catalog::catalog)),
    ("chat", Play::Write(write::chat::chat)),
    ("claim", Play::Write(write::profile::claim)),
    ("complete_mission", Play::Act(act::missions::read_complete)),
    ("completed_missions", Play::Look(look::missions::completed)),
    ("craft", Play::Act(act::craft::read)),
    ("decline_mission", Play::Look(look::missions::decline)),
    ("deposit_items", Play::Act(act::storage::read_deposit)),
    ("dock", Play::Act(act::dock::read_dock)),
    ("estimate_purchase", Play::Look(look::market::estimate)),
    ("faction_get_invites", Play::Look(look::empty::invites)),
    ("faction_list", Play::Look(look::empty::factions)),
    ("find_route", Play::Look(look::map::find_route)),
    ("forum_list", Play::Reference(look::empty::forum)),
    ("get_active_missions", Play::Look(look::missions::active)),
    ("get_base", Play::Look(look::place::base)),
    ("get_cargo", Play::Look(look::status::cargo)),
    ("get_chat_history", Play::Read(look::chat::history)),
    ("get_commands", Play::Reference(look::help::commands)),
    ("get_guide", Play::Reference(look::guide::guide)),
    ("get_map", Play::Look(look::map::map)),
    ("get_missions", Play::Look(look::missions::offered)),
    ("get_nearby", Play::Look(look::place::nearby)),
    ("get_notes", Play::Look(look::empty::notes)),
    ("get_notifications", Play::Read(look::chat::notifications)),
    ("get_poi", Play::Look(look::place::poi)),
    ("get_ship", Play::Look(look::status::ship)),
    ("get_skills", Play::Look(look::status::skills)),
    ("get_status", Play::Look(look::status::status)),
    ("get_system", Play::Look(look::place::system)),
    ("get_trades", Play::Look(look::empty::trades)),
    ("get_version", Play::Reference(look::version::version)),
    ("get_wrecks", Play::Look(look::empty::wrecks)),
    ("help", Play::Reference(look::help::help)),
    ("jettison", Play::Act(act::storage::read_jettison)),
    ("jump", Play::Act(act::travel::read_jump)),
    ("list_ships", Play::Look(look::status::ships)),
    ("mine", Play::Act(act::mine::read)),
    ("refuel", Play::Act(act::service::read_refuel)),
    ("repair", Play::Act(act::service::read_repair)),
    ("scan", Play::Act(act::scan::read)),
    ("search_systems", Play::Look(look::map::search)),
    ("self_destruct", Play::Act(act::self_destruct::read)),
    ("sell", Play::Act(act::trade::read_sell)),
    ("set_anonymous", Play::Write(write::profile::anonymous)),
    ("set_colors", Play::Write(write::profile::colors)),
    ("set_status", Play::Write(write::profile::status)),
    ("travel", Play::Act(act::travel::read_travel)),
    ("undock", Play::Act(act::dock::read_undock)),
    ("use_item", Play::Act(act::service::read_use_item)),
    ("view_market", Play::Look(look::market::view)),
    ("view_orders", Play::Look(look::empty::orders)),
    ("view_storage", Play::Look(look::status::storage)),
    ("withdraw_items", Play::Act(act::storage::read_withdraw)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn played_commands_are_in_order_and_agree_with_the_tool_table() {
        assert!(PLAYED.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for (name, play) in PLAYED {
            let tool = tools::find(name).unwrap();
            assert_eq!(matches!(play, Play::Act(_)), tool.mutation, "{name}");
            assert_eq!(!matches!(play, Play::Reference(_)), tool.auth, "{name}");
            assert!(
                !(tool.read_only && matches!(play, Play::Write(_))),
                "{name}"
            );
        }
    }

    #[test]
    fn every_tool_has_a_nature_but_those_that_concern_sessions() {
        for tool in tools::all() {
            let is_session =
                ["login", "logout", "register", "session"].contains(&tool.name.as_str());
            assert_eq!(nature(&tool.name).is_none(), is_session, "{}", tool.name);
        }
        assert_eq!(nature("game<|channel|>analysis"), None);
    }
}
