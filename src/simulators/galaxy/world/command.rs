//! The commands that are simulated, and the function that answers each of them.

use serde_json::json;

use self::CommandHandler::{Act, Look, Read, Reference, Write};
use super::{
    GameAnswer, GameRefusal, PlayerId, World,
    act::{self, Mutation},
    arguments::CommandArguments,
    look,
    player::PlayerAccount,
    write,
};
use crate::tools;

pub(super) enum CommandHandler {
    /// Answers from data that never changes. Needs no login.
    Reference(fn(&World, CommandArguments) -> GameAnswer),
    Look(fn(&World, &PlayerAccount, CommandArguments) -> GameAnswer),
    /// Answers from the present world, and notes what was read. A restart may lose the note.
    Read(fn(&mut World, PlayerId, CommandArguments) -> GameAnswer),
    /// Changes the world at once, without a tick.
    Write(fn(&mut World, PlayerId, CommandArguments) -> GameAnswer),
    /// Takes a tick: a mutation. This function reads its arguments.
    Act(fn(CommandArguments) -> Result<Mutation, GameRefusal>),
}

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

/// The commands that concern sessions. The keeper of the sessions answers them.
pub(super) const SESSION_COMMANDS: [&str; 6] = [
    "login",
    "login_link",
    "login_link_poll",
    "logout",
    "register",
    "session",
];

/// The kind of a command. A name that is no command has none, nor have those of sessions.
pub fn command_kind(command: &str) -> Option<CommandKind> {
    match find_handler(command) {
        Some(CommandHandler::Reference(_)) => Some(CommandKind::Reference),
        Some(CommandHandler::Look(_) | CommandHandler::Read(_)) => Some(CommandKind::Look),
        Some(CommandHandler::Write(_)) => Some(CommandKind::Write),
        Some(CommandHandler::Act(_)) => Some(CommandKind::Act),
        None if SESSION_COMMANDS.contains(&command) => None,
        None => tools::find(command).map(|tool| {
            if tool.mutation {
                CommandKind::Act
            } else {
                CommandKind::Look
            }
        }),
    }
}

pub(super) fn find_handler(command: &str) -> Option<&'static CommandHandler> {
    let at = COMMAND_HANDLERS.binary_search_by(|(name, _)| (*name).cmp(command));
    at.ok().map(|at| &COMMAND_HANDLERS[at].1)
}

static COMMAND_HANDLERS: &[(&str, CommandHandler)] = &[
    ("abandon_mission", Write(write::abandon_mission)),
    ("accept_mission", Act(act::missions::read_accept)),
    ("analyze_market", Look(look::market::analyze_market)),
    ("buy", Act(act::trade::read_buy)),
    ("captains_log_add", Write(write::captains_log_add)),
    ("captains_log_get", Look(look::log::captains_log_get)),
    ("captains_log_list", Look(look::log::captains_log_list)),
    ("catalog", Reference(look::catalog::show_catalog)),
    ("chat", Write(write::chat::send_chat)),
    ("claim", Write(write::profile::claim_player)),
    ("complete_mission", Act(act::missions::read_complete)),
    (
        "completed_missions",
        Look(look::missions::completed_missions),
    ),
    ("craft", Act(act::craft::read_craft)),
    ("decline_mission", Look(look::missions::decline_mission)),
    ("deposit_items", Act(act::storage::read_deposit)),
    ("dock", Act(|_| Ok(Mutation::Dock))),
    ("estimate_purchase", Look(look::market::estimate_purchase)),
    (
        "faction_get_invites",
        Look(|_, _, _| Ok(json!({ "invites": [], "count": 0 }))),
    ),
    ("faction_list", Look(look::empty::faction_list)),
    ("find_route", Look(look::map::find_route)),
    ("forum_list", Reference(look::empty::forum_list)),
    (
        "get_active_missions",
        Look(look::missions::get_active_missions),
    ),
    ("get_base", Look(look::place::get_base)),
    ("get_cargo", Look(look::status::get_cargo)),
    ("get_chat_history", Read(look::chat::get_chat_history)),
    ("get_commands", Reference(look::help::get_commands)),
    ("get_guide", Reference(look::guide::get_guide)),
    ("get_map", Look(look::map::get_map)),
    ("get_missions", Look(look::missions::get_missions)),
    ("get_nearby", Look(look::place::get_nearby)),
    (
        "get_notes",
        Look(|_, _, _| Ok(json!({ "count": 0, "notes": [] }))),
    ),
    ("get_notifications", Read(look::chat::get_notifications)),
    ("get_poi", Look(look::place::get_poi)),
    ("get_ship", Look(look::status::get_ship)),
    ("get_skills", Look(look::status::get_skills)),
    ("get_state", Look(look::state::get_state)),
    ("get_status", Look(look::status::get_status)),
    ("get_system", Look(look::place::get_system)),
    (
        "get_trades",
        Look(|_, _, _| Ok(json!({ "incoming": [], "outgoing": [] }))),
    ),
    ("get_version", Reference(look::version::get_version)),
    (
        "get_wrecks",
        Look(|_, _, _| Ok(json!({ "count": 0, "wrecks": [] }))),
    ),
    ("help", Reference(look::help::help)),
    ("jettison", Act(act::storage::read_jettison)),
    ("jump", Act(act::travel::read_jump)),
    ("list_ships", Look(look::status::list_ships)),
    ("mine", Act(|_| Ok(Mutation::Mine))),
    ("refuel", Act(act::service::read_refuel)),
    ("repair", Act(|_| Ok(Mutation::Repair))),
    ("scan", Act(act::scan::read_scan)),
    ("search_systems", Look(look::map::search_systems)),
    ("self_destruct", Act(|_| Ok(Mutation::SelfDestruct))),
    ("sell", Act(act::trade::read_sell)),
    ("set_anonymous", Write(write::profile::set_anonymous)),
    ("set_colors", Write(write::profile::set_colors)),
    ("set_status", Write(write::profile::set_status)),
    ("travel", Act(act::travel::read_travel)),
    ("undock", Act(|_| Ok(Mutation::Undock))),
    ("use_item", Act(act::service::read_use_item)),
    ("view_market", Look(look::market::view_market)),
    ("view_orders", Look(look::empty::view_orders)),
    ("view_storage", Look(look::status::view_storage)),
    ("withdraw_items", Act(act::storage::read_withdraw)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn played_commands_are_in_order_and_agree_with_the_tool_table() {
        assert!(
            COMMAND_HANDLERS
                .windows(2)
                .all(|pair| pair[0].0 < pair[1].0)
        );
        for (name, play) in COMMAND_HANDLERS {
            if *name == crate::grouped::STATE_COMMAND {
                // The second interface's translation alone gives it.
                continue;
            }
            let tool = tools::find(name).unwrap();
            assert_eq!(
                matches!(play, CommandHandler::Act(_)),
                tool.mutation,
                "{name}"
            );
            assert_eq!(
                !matches!(play, CommandHandler::Reference(_)),
                tool.auth,
                "{name}"
            );
            assert!(
                !(tool.read_only && matches!(play, CommandHandler::Write(_))),
                "{name}"
            );
        }
    }

    #[test]
    fn every_tool_has_a_nature_but_those_that_concern_sessions() {
        for tool in tools::all() {
            let is_session = SESSION_COMMANDS.contains(&tool.name.as_str());
            assert_eq!(
                command_kind(&tool.name).is_none(),
                is_session,
                "{}",
                tool.name
            );
        }
        assert_eq!(command_kind("game<|channel|>analysis"), None);
    }
}
