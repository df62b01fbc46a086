//! The personas: each one misbehaves in one definite way, for ever.

use serde_json::json;

use crate::persona::Persona;
use crate::request::ChatEntry;

use super::player_view::PlayerView;
use super::step::PlayerStep;
use super::talking;

const ESSAY_WORDS: usize = 2000;

const OCTET_TOOLS: [&str; 8] = [
    "get_status",
    "get_system",
    "get_cargo",
    "get_ship",
    "get_poi",
    "get_nearby",
    "get_skills",
    "get_active_missions",
];

/// The persona's step; none where it plays.
pub(super) fn choose_persona_step(
    persona: Persona,
    view: &PlayerView<'_>,
    rng: &mut fastrand::Rng,
) -> Option<PlayerStep> {
    let for_ever =
        |tool, arguments| PlayerStep::call(tool, arguments, "This must work in the end.");
    Some(match persona {
        Persona::Steady => return None,
        Persona::Silent => PlayerStep::say(
            format!(
                "I have thought about it. {}",
                talking::describe_facts(&view.situation)
            ),
            "Acting can wait.",
        ),
        Persona::Repeater => for_ever("travel", json!({"target_poi": "alpha_mining"})),
        Persona::Cycler => {
            let tools = ["get_status", "get_system", "get_cargo"];
            for_ever(in_turn(view, &tools), json!({}))
        }
        Persona::MinerFull => for_ever("mine", json!({})),
        Persona::Mute => PlayerStep::say("", ""),
        Persona::Shopper => for_ever("buy", json!({"item_id": "fuel_cells", "quantity": 1})),
        Persona::Wanderer => for_ever_to_and_fro(view),
        Persona::Essayist => PlayerStep::say(write_essay(rng), "There is much to say about this."),
        Persona::Notifier => for_ever("get_notifications", json!({})),
        Persona::Selfseller => {
            let goods = view.situation.ship.goods().next();
            let item = goods.map_or("iron_ore", |(item, _)| item);
            for_ever("sell", json!({"item_id": item, "quantity": 1}))
        }
        Persona::Docker => for_ever(in_turn(view, &["undock", "dock"]), json!({})),
        Persona::Logger => {
            let entry = format!("Entry {}: all is well.", rng.u32(..));
            for_ever("captains_log_add", json!({"entry": entry}))
        }
        Persona::Churner => {
            let goods = json!({"item_id": "iron_ore", "quantity": 1});
            for_ever(in_turn(view, &["buy", "sell"]), goods)
        }
        Persona::Arguer => {
            let place = format!("belt_{}", rng.u32(..));
            for_ever("travel", json!({"target_poi": place}))
        }
        Persona::Octet => for_ever(in_turn(view, &OCTET_TOOLS), json!({})),
        Persona::Searcher => for_ever("zoea_search_messages", json!({"query": "ore"})),
        Persona::Waverer => match in_turn(view, &["get_status", "travel"]) {
            "travel" => for_ever("travel", json!({"target_poi": "alpha_mining"})),
            look => for_ever(look, json!({})),
        },
        Persona::Ailing if view.rounds() == 0 && rng.u8(..8) == 0 => {
            PlayerStep::call("craft", json!({"recipe_id": "warp_core"}), "Once more.")
        }
        Persona::Ailing => return None,
    })
}

fn in_turn<'t>(view: &PlayerView<'_>, tools: &[&'t str]) -> &'t str {
    tools[answer_count(view) % tools.len()]
}

/// The number of answers so far, which is the persona's only memory.
fn answer_count(view: &PlayerView<'_>) -> usize {
    let entries = view.request.entries.iter();
    entries
        .filter(|entry| matches!(entry, ChatEntry::Assistant { .. }))
        .count()
}

fn for_ever_to_and_fro(view: &PlayerView<'_>) -> PlayerStep {
    let place = &view.situation.place;
    let Some(chart) = &place.chart else {
        return PlayerStep::without_arguments("get_system", "Where could one go?");
    };
    let elsewhere = chart
        .pois
        .iter()
        .take(2)
        .find(|poi| Some(&poi.id) != place.poi.as_ref());
    match elsewhere {
        Some(poi) => PlayerStep::call(
            "travel",
            json!({"target_poi": poi.id}),
            "It may be better over there.",
        ),
        None => PlayerStep::without_arguments("get_system", "Where could one go?"),
    }
}

fn write_essay(rng: &mut fastrand::Rng) -> String {
    const WORDS: [&str; 16] = [
        "the", "belt", "is", "a", "mirror", "of", "our", "ambition", "and", "every", "ship",
        "must", "ask", "itself", "whether", "ore",
    ];
    let words: Vec<&str> = (0..ESSAY_WORDS)
        .map(|_| WORDS[rng.usize(..WORDS.len())])
        .collect();
    words.join(" ")
}
