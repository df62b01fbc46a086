//! Commands that are listed but not simulated. They are refused as the game refuses a command that
//! cannot be done now; none is ever answered with success.

use super::{GameRefusal, World, arguments::CommandArguments, player::PlayerAccount};
use crate::tools;

/// Refuses an unimplemented command that takes no tick.
pub(super) fn refuse_query(
    world: &World,
    player: &PlayerAccount,
    command: &str,
    arguments: CommandArguments,
) -> GameRefusal {
    match check_required(command, arguments) {
        Ok(name) => refusal_for(world, player, name),
        Err(refusal) => refusal,
    }
}

/// The command's name in the tool table, if all required parameters were given.
pub(super) fn check_required(
    command: &str,
    arguments: CommandArguments,
) -> Result<&'static str, GameRefusal> {
    let tool = tools::find(command).ok_or_else(|| GameRefusal::unknown_command(command))?;
    for name in tool.required_parameters() {
        if !arguments.has(name) {
            return Err(GameRefusal::invalid_payload(format!(
                "Must specify '{name}'."
            )));
        }
    }
    Ok(&tool.name)
}

/// The reason why this player cannot do the command now.
pub(super) fn refusal_for(world: &World, player: &PlayerAccount, command: &str) -> GameRefusal {
    let known = REFUSAL_REASONS
        .iter()
        .find(|(names, _)| names.contains(&command));
    let reason = match known {
        Some((_, reason)) => reason,
        None if command.contains("faction") => &NO_FACTION,
        None => &UNAVAILABLE,
    };
    let base = player.docked_at().map(|base| &world.atlas.base(base).name);
    match (reason, base) {
        (RefusalReason::Here(..), None) => GameRefusal::not_docked(),
        (RefusalReason::Here(code, words), Some(base)) => {
            GameRefusal::new(code, words.replace("{base}", base))
        }
        (RefusalReason::Anywhere(code, words), _) => GameRefusal::new(code, *words),
    }
}

/// The code and the words of a refusal.
#[derive(Debug, PartialEq, Eq)]
enum RefusalReason {
    /// A refusal for docked players; an undocked one is told to dock first. `{base}` stands for the
    /// station's name.
    Here(&'static str, &'static str),
    Anywhere(&'static str, &'static str),
}

const NO_FACTION: RefusalReason =
    RefusalReason::Anywhere("no_faction", "You are not in a faction.");
const UNAVAILABLE: RefusalReason =
    RefusalReason::Anywhere("unavailable", "This command cannot be used right now.");

static REFUSAL_REASONS: &[(&[&str], RefusalReason)] = &[
    (
        &["agentlogs"],
        RefusalReason::Anywhere("gone", "Agent logs are no longer accepted."),
    ),
    (
        &["attack"],
        RefusalReason::Anywhere("invalid_target", "Target not found at your location."),
    ),
    (
        &["battle", "get_battle_status"],
        RefusalReason::Anywhere("not_in_battle", "You are not in a battle."),
    ),
    (
        &["browse_ships", "buy_listed_ship", "cancel_ship_listing"],
        RefusalReason::Here("not_found", "No ship is listed for sale here."),
    ),
    (
        &["buy_insurance", "claim_insurance", "get_insurance_quote"],
        RefusalReason::Here("no_insurance", "{base} offers no insurance."),
    ),
    (
        &[
            "buy_ship",
            "cancel_commission",
            "claim_commission",
            "commission_quote",
            "commission_ship",
            "commission_status",
            "shipyard_showroom",
            "supply_commission",
        ],
        RefusalReason::Here("no_shipyard", "{base} has no shipyard."),
    ),
    (
        &["cancel_order", "modify_order"],
        RefusalReason::Here(
            "order_not_found",
            "You have no such order here. Use 'view_orders' to see yours.",
        ),
    ),
    (
        &["cloak"],
        RefusalReason::Anywhere("no_cloak", "No cloaking device equipped."),
    ),
    (
        &["create_buy_order", "create_sell_order"],
        RefusalReason::Here(
            "no_exchange",
            "{base} takes no standing orders at the moment. Use 'buy' and 'sell' to trade at market \
             price.",
        ),
    ),
    (
        &["create_faction"],
        RefusalReason::Anywhere(
            "insufficient_credits",
            "Need 1000000 credits to found a faction.",
        ),
    ),
    (
        &["create_note"],
        RefusalReason::Here(
            "no_terminal",
            "The note terminal of {base} is out of order.",
        ),
    ),
    (
        &["deposit_credits", "withdraw_credits"],
        RefusalReason::Here("no_bank", "{base} keeps items, not credits."),
    ),
    (
        &["distress_signal"],
        RefusalReason::Anywhere(
            "no_responders",
            "Nobody in range answers. If you are stranded, 'self_destruct' returns you to your home \
             base.",
        ),
    ),
    (
        &["facility"],
        RefusalReason::Here("no_facilities", "{base} has no room for facilities."),
    ),
    (
        &["faction_decline_invite", "join_faction"],
        RefusalReason::Anywhere("not_found", "You have no invitation from that faction."),
    ),
    (
        &["faction_info"],
        RefusalReason::Anywhere("faction_not_found", "Faction not found."),
    ),
    (
        &[
            "forum_create_thread",
            "forum_delete_reply",
            "forum_delete_thread",
            "forum_get_thread",
            "forum_reply",
            "forum_upvote",
        ],
        RefusalReason::Anywhere(
            "not_found",
            "Thread not found. The forum is read-only at the moment.",
        ),
    ),
    (
        &["get_action_log"],
        RefusalReason::Anywhere("no_action_log", "No action log is kept for this player."),
    ),
    (
        &["inspect_cargo"],
        RefusalReason::Here("no_customs", "{base} has no customs office."),
    ),
    (
        &["install_mod", "repair_module", "uninstall_mod"],
        RefusalReason::Here(
            "module_not_found",
            "No such module in your cargo or on your ship.",
        ),
    ),
    (
        &["list_ship_for_sale", "sell_ship", "switch_ship"],
        RefusalReason::Here("ship_not_found", "You have no such ship stored here."),
    ),
    (
        &["loot_wreck", "salvage_wreck", "tow_wreck"],
        RefusalReason::Anywhere("wreck_not_found", "No such wreck at your location."),
    ),
    (
        &["name_ship"],
        RefusalReason::Here("no_registry", "{base} has no ship registry."),
    ),
    (
        &["read_note", "write_note"],
        RefusalReason::Anywhere("note_not_found", "You have no such note."),
    ),
    (
        &["release_tow", "scrap_wreck", "sell_wreck"],
        RefusalReason::Anywhere("not_towing", "You tow no wreck."),
    ),
    (
        &["reload"],
        RefusalReason::Anywhere("invalid_weapon", "No such weapon on your ship."),
    ),
    (
        &["send_gift"],
        RefusalReason::Here("not_tradeable", "{base} forwards no gifts."),
    ),
    (
        &["set_home_base"],
        RefusalReason::Here("no_cloning", "{base} has no cloning service."),
    ),
    (
        &["survey_system"],
        RefusalReason::Anywhere(
            "no_scanner",
            "No survey scanner equipped. You need a module with survey capability, such as a Survey \
             Scanner I.",
        ),
    ),
    (
        &["trade_accept", "trade_cancel", "trade_decline"],
        RefusalReason::Anywhere("trade_expired", "Trade offer expired."),
    ),
    (
        &["trade_offer"],
        RefusalReason::Anywhere("player_not_here", "That player is not at your location."),
    ),
    (
        &["view_completed_mission"],
        RefusalReason::Anywhere("mission_not_found", "No record of that mission is kept."),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::command;

    #[test]
    fn every_unplayed_tool_has_words_of_its_own() {
        for tool in tools::all() {
            let name = tool.name.as_str();
            let has_words = REFUSAL_REASONS
                .iter()
                .any(|(names, _)| names.contains(&name));
            let is_played =
                command::find_handler(name).is_some() || command::SESSION_COMMANDS.contains(&name);
            assert_eq!(
                has_words || name.contains("faction"),
                !is_played || name.contains("faction"),
                "{name}"
            );
        }
        for name in REFUSAL_REASONS.iter().flat_map(|(names, _)| *names) {
            assert!(
                command::find_handler(name).is_none() && tools::find(name).is_some(),
                "{name}"
            );
        }
    }
}
