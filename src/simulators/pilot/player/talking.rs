//! Words: reports made of the facts of the conversation, and the short reply that ends a turn.

use serde_json::json;

use crate::identity;
use crate::orders::StandingOrder;
use crate::situation::{AccountStanding, Situation};

use super::player_view::PlayerView;
use super::step::{PlayerStep, WantedCall};

const MAX_CHAT_CHARACTERS: usize = 500;

/// Answers a question. It queries first if no facts are known.
pub(super) fn answer_question(view: &PlayerView<'_>) -> PlayerStep {
    let may_look = view.situation.account.standing != AccountStanding::Missing
        && !view.has_called("get_status");
    if !view.situation.is_clear() && may_look && view.offers("get_status") {
        return PlayerStep::calls(
            vec![WantedCall::without_arguments("get_status")],
            "I am asked how things stand. I look before I answer.",
        );
    }
    PlayerStep::say(
        format!(
            "{} {}",
            describe_facts(&view.situation),
            describe_plan(view)
        ),
        "I am asked something, and this is what I know from the conversation.",
    )
}

/// Talks when the request offers no tools to play with.
pub(super) fn chat_without_tools(view: &PlayerView<'_>, rng: &mut fastrand::Rng) -> PlayerStep {
    let name = identity::agent_name(view.request).unwrap_or_else(|| "the pilot".to_owned());
    let openings = ["Understood.", "Ready.", "At your service."];
    PlayerStep::say(
        format!(
            "{} I am {name}. I have no tools at the moment, so all I can do is talk. {}",
            openings[rng.usize(..openings.len())],
            describe_facts(&view.situation)
        ),
        "No tools are offered, so I answer in words.",
    )
}

pub(super) fn end_turn(view: &PlayerView<'_>, rng: &mut fastrand::Rng) -> PlayerStep {
    let openings = [
        "Progress report:",
        "So far:",
        "Where things stand:",
        "Turn done.",
    ];
    PlayerStep::say(
        format!(
            "{} {} {}",
            openings[rng.usize(..openings.len())],
            describe_facts(&view.situation),
            describe_plan(view)
        ),
        "That is enough for one turn. I say where things stand and go on in the next.",
    )
}

pub(super) fn stand_by(view: &PlayerView<'_>) -> PlayerStep {
    if view.rounds() == 0 && view.offers("get_notifications") {
        return PlayerStep::without_arguments(
            "get_notifications",
            "I am to wait. I listen whether anything has happened.",
        );
    }
    PlayerStep::say(
        format!("Standing by. {}", describe_facts(&view.situation)),
        "My orders are to wait.",
    )
}

/// The channel of those who are at the same place.
const CHANNEL: &str = "local";

/// Listens to the others at this place, says something, and listens again in the next turn.
pub(super) fn chat_with_others(view: &PlayerView<'_>) -> PlayerStep {
    if view.can_ask("get_chat_history") && !view.has_called("chat") {
        return PlayerStep::call(
            "get_chat_history",
            json!({"channel": CHANNEL, "limit": 10}),
            "I am to talk. First I listen to what is said here.",
        );
    }
    if view.offers("chat") && !view.has_called("chat") {
        let content: String = format!("Greetings. {}", describe_facts(&view.situation))
            .chars()
            .take(MAX_CHAT_CHARACTERS)
            .collect();
        return PlayerStep::call(
            "chat",
            json!({"channel": CHANNEL, "content": content}),
            "I have listened; now I say something.",
        );
    }
    PlayerStep::say(
        format!("I have talked. {}", describe_facts(&view.situation)),
        "The others may answer; I listen again in the next turn.",
    )
}

pub(super) fn describe_facts(situation: &Situation) -> String {
    let mut sentences = Vec::new();
    let place = &situation.place;
    if let Some(poi) = &place.poi {
        let docked = if place.docked == Some(true) {
            ", docked"
        } else {
            ""
        };
        let system = place
            .system
            .as_deref()
            .map_or(String::new(), |system| format!(" in {system}"));
        sentences.push(format!("I am at {poi}{system}{docked}."));
    }
    let ship = &situation.ship;
    if let (Some(used), Some(capacity)) = (ship.used, ship.capacity) {
        let goods: Vec<String> = ship
            .goods()
            .map(|(item, quantity)| format!("{quantity} {item}"))
            .collect();
        let list = if goods.is_empty() {
            String::new()
        } else {
            format!(": {}", goods.join(", "))
        };
        sentences.push(format!("Hold {used}/{capacity}{list}."));
    }
    if let (Some(fuel), Some(most)) = (ship.fuel, ship.max_fuel) {
        sentences.push(format!("Fuel {fuel}/{most}."));
    }
    if let Some(credits) = situation.trades.credits {
        sentences.push(format!("{credits} credits."));
    }
    if situation.trades.earned > 0 {
        sentences.push(format!("Earned {} lately.", situation.trades.earned));
    }
    if let Some(failure) = &situation.last_failure {
        sentences.push(format!(
            "The last `{}` failed: {}",
            failure.tool, failure.message
        ));
    }
    if sentences.is_empty() {
        sentences.push("I know nothing of my situation yet.".to_owned());
    }
    sentences.join(" ")
}

fn describe_plan(view: &PlayerView<'_>) -> &'static str {
    if view.situation.account.standing == AccountStanding::Missing {
        return "Next I need an account.";
    }
    match view.orders.standing {
        StandingOrder::Mine => "Mining goes on: belt, hold, base, sale.",
        StandingOrder::Trade => "Next I look for the better price.",
        StandingOrder::Explore => "Next I follow a lane I have not seen.",
        StandingOrder::Missions => "The missions go on.",
        StandingOrder::Chat => "I go on talking.",
        StandingOrder::Wait => "I keep waiting for orders.",
    }
}
