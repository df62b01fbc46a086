//! Commands that are listed but not played: refused as the game refuses what cannot be done now,
//! never answered with a success that did not happen.

use super::{Refusal, World, act::Act, arguments::Arguments, player::Player};
use crate::galaxy::tools;

/// Refuses an unplayed command that takes no tick.
pub(super) fn refuse(
    world: &World,
    player: &Player,
    command: &str,
    arguments: Arguments,
) -> Refusal {
    match check(command, arguments) {
        Ok(name) => refusal(world, player, name),
        Err(refusal) => refusal,
    }
}

/// Reads an unplayed mutation, which will be refused when its tick comes.
pub(super) fn act(command: &str, arguments: Arguments) -> Result<Act, Refusal> {
    check(command, arguments).map(Act::Unplayed)
}

/// The command's name in the tool table, if what it requires was given.
fn check(command: &str, arguments: Arguments) -> Result<&'static str, Refusal> {
    let tool = tools::find(command).ok_or_else(|| Refusal::unknown_command(command))?;
    for name in tool.required() {
        if !arguments.has(name) {
            return Err(Refusal::payload(format!("Must specify '{name}'.")));
        }
    }
    Ok(&tool.name)
}

/// Why the command cannot be done by this player now.
pub(super) fn refusal(world: &World, player: &Player, command: &str) -> Refusal {
    let (needs_base, code, message) = words(command);
    if needs_base && player.docked_at().is_none() {
        return Refusal::not_docked();
    }
    let base = player
        .docked_at()
        .map(|base| world.atlas.base(base).name.as_str());
    Refusal::new(
        code,
        message.replace("{base}", base.unwrap_or("This station")),
    )
}

/// Whether it needs a base first, then code and words.
fn words(command: &str) -> (bool, &'static str, &'static str) {
    match command {
        "agentlogs" => (false, "gone", "Agent logs are no longer accepted."),
        "attack" => (
            false,
            "invalid_target",
            "Target not found at your location.",
        ),
        "battle" | "get_battle_status" => (false, "not_in_battle", "You are not in a battle."),
        "browse_ships" | "buy_listed_ship" | "cancel_ship_listing" => {
            (true, "not_found", "No ship is listed for sale here.")
        }
        "buy_insurance" | "claim_insurance" | "get_insurance_quote" => {
            (true, "no_insurance", "{base} offers no insurance.")
        }
        "buy_ship" | "cancel_commission" | "claim_commission" | "commission_quote"
        | "commission_ship" | "commission_status" | "shipyard_showroom" | "supply_commission" => {
            (true, "no_shipyard", "{base} has no shipyard.")
        }
        "cancel_order" | "modify_order" => (
            true,
            "order_not_found",
            "You have no such order here. Use 'view_orders' to see yours.",
        ),
        "cloak" => (false, "no_cloak", "No cloaking device equipped."),
        "create_buy_order" | "create_sell_order" => (
            true,
            "no_exchange",
            "{base} takes no standing orders at the moment. Use 'buy' and 'sell' to trade at \
             market price.",
        ),
        "create_faction" => (
            true,
            "insufficient_credits",
            "Need 1000000 credits to found a faction.",
        ),
        "create_note" => (
            true,
            "no_terminal",
            "The note terminal of {base} is out of order.",
        ),
        "deposit_credits" | "withdraw_credits" => {
            (true, "no_bank", "{base} keeps items, not credits.")
        }
        "distress_signal" => (
            false,
            "no_responders",
            "Nobody in range answers. If you are stranded, 'self_destruct' returns you to your \
             home base.",
        ),
        "facility" => (true, "no_facilities", "{base} has no room for facilities."),
        "faction_decline_invite" | "join_faction" => (
            false,
            "not_found",
            "You have no invitation from that faction.",
        ),
        "faction_info" => (false, "faction_not_found", "Faction not found."),
        "forum_create_thread"
        | "forum_reply"
        | "forum_upvote"
        | "forum_delete_thread"
        | "forum_delete_reply"
        | "forum_get_thread" => (
            false,
            "not_found",
            "Thread not found. The forum is read-only at the moment.",
        ),
        "get_action_log" => (
            false,
            "unavailable",
            "The action log is being archived. Try later.",
        ),
        "inspect_cargo" => (true, "no_customs", "{base} has no customs office."),
        "install_mod" | "repair_module" | "uninstall_mod" => (
            true,
            "module_not_found",
            "No such module in your cargo or on your ship.",
        ),
        "list_ship_for_sale" | "sell_ship" | "switch_ship" => {
            (true, "ship_not_found", "You have no such ship stored here.")
        }
        "loot_wreck" | "salvage_wreck" | "tow_wreck" => {
            (false, "wreck_not_found", "No such wreck at your location.")
        }
        "name_ship" => (true, "no_registry", "{base} has no ship registry."),
        "read_note" | "write_note" => (false, "note_not_found", "You have no such note."),
        "release_tow" | "scrap_wreck" | "sell_wreck" => (false, "not_towing", "You tow no wreck."),
        "reload" => (false, "invalid_weapon", "No such weapon on your ship."),
        "send_gift" => (true, "not_tradeable", "{base} forwards no gifts."),
        "set_home_base" => (true, "no_cloning", "{base} has no cloning service."),
        "survey_system" => (
            false,
            "no_scanner",
            "No survey scanner equipped. You need a module with survey capability, such as a \
             Survey Scanner I.",
        ),
        "trade_accept" | "trade_cancel" | "trade_decline" => {
            (false, "trade_expired", "Trade offer expired.")
        }
        "trade_offer" => (
            false,
            "player_not_here",
            "That player is not at your location.",
        ),
        "view_completed_mission" => (
            false,
            "mission_not_found",
            "No record of that mission is kept.",
        ),
        faction if faction.contains("faction") => {
            (false, "no_faction", "You are not in a faction.")
        }
        _ => (
            false,
            "unavailable",
            "This command cannot be used right now.",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::galaxy::world::command;

    #[test]
    fn every_unplayed_tool_has_words_of_its_own() {
        for tool in tools::all() {
            let is_session =
                ["login", "logout", "register", "session"].contains(&tool.name.as_str());
            if command::find(&tool.name).is_none() && !is_session && tool.name != "get_action_log" {
                assert_ne!(words(&tool.name).1, "unavailable", "{}", tool.name);
            }
        }
    }
}
