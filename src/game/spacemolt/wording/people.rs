//! People: notifications, chat, the forum, factions, trades, fights, the log and the game's own
//! explanations.

use serde_json::{Map, Value};
use zoea_game::standing::Standing;
use zoea_text::figures::group_signed;

use super::Formatter;
use super::phrase::{
    all_of, count_of, counted, credits, followed, is_action, joined, length, list, name, name_of,
    named, number, part, quantity_of, some, text, with_names,
};

pub(super) const PEOPLE: &[(&str, Formatter)] = &[
    ("captains_log_add", |facts, _| {
        text(facts, "created_at").map(|_| "wrote into the captain's log".to_string())
    }),
    ("captains_log_get", |facts, _| log_entry(facts)),
    ("captains_log_list", |facts, _| match part(facts, "entry") {
        Some(entry) => log_entry(entry),
        None => {
            (number(facts, "total_count")? == 0).then(|| "the captain's log is empty".to_string())
        }
    }),
    ("chat", |facts, _| {
        let channel = name(text(facts, "channel")?);
        let warning = text(facts, "warning").map(str::to_string);
        followed(format!("said it on the channel {channel}"), [warning])
    }),
    ("create_faction", |facts, _| {
        Some(format!("founded the faction {}", name_of(facts)?))
    }),
    ("faction_info", |facts, _| {
        let mut words = name_of(facts)?;
        if let Some(tag) = text(facts, "tag") {
            words += &format!(" [{}]", name(tag));
        }
        followed(
            words,
            [number(facts, "member_count").map(|count| counted(count, "member"))],
        )
    }),
    ("faction_list", |facts, _| {
        all_of(facts, "factions", "faction", name_of)
    }),
    ("forum_create_thread", |facts, _| {
        Some(format!("began the thread {}", name(text(facts, "title")?)))
    }),
    ("forum_get_thread", |facts, _| {
        let thread = part(facts, "thread").and_then(name_of)?;
        let replies = list(facts, "replies");
        let count = replies.map(|all| match length(all) {
            1 => "1 reply".to_string(),
            many => format!("{} replies", group_signed(many)),
        });
        followed(format!("the thread {thread}"), [count])
    }),
    ("forum_list", |facts, _| {
        all_of(facts, "threads", "thread", name_of)
    }),
    ("get_action_log", |facts, _| {
        all_of(facts, "entries", "act", |entry| {
            text(entry, "summary").map(name)
        })
    }),
    ("get_battle_status", get_battle_status),
    ("get_chat_history", |facts, _| {
        let messages = count_of(facts, "messages", "message")?;
        Some(format!(
            "{messages} on the channel {}",
            name(text(facts, "channel")?)
        ))
    }),
    ("get_commands", |facts, _| {
        count_of(facts, "commands", "command")
    }),
    ("get_guide", |facts, _| match text(facts, "guide") {
        Some(guide) => Some(format!("the guide for a {}", name(guide))),
        None => count_of(facts, "guides", "guide"),
    }),
    ("get_notes", |facts, _| {
        all_of(facts, "notes", "note", name_of)
    }),
    ("get_notifications", get_notifications),
    ("get_trades", get_trades),
    ("faction_get_invites", |facts, _| {
        count_of(facts, "invites", "invitation")
    }),
    ("help", |facts, _| {
        let commands = count_of(facts, "commands", "command")?;
        Some(match text(facts, "topic") {
            Some(topic) => format!("help on {}, {commands}", name(topic)),
            None => format!("help on {commands}"),
        })
    }),
    ("logout", |facts, _| {
        text(facts, "message").map(|_| "logged out".to_string())
    }),
    ("set_colors", |facts, _| {
        is_action(facts, "set_colors").then(|| "set its colors".to_string())
    }),
    ("set_status", |facts, _| {
        is_action(facts, "set_status").then(|| "set its status".to_string())
    }),
];

fn log_entry(entry: &Map<String, Value>) -> Option<String> {
    let written = text(entry, "entry")?;
    Some(format!("log entry {}: {written}", number(entry, "index")?))
}

fn get_notifications(facts: &Map<String, Value>, _: &Standing) -> Option<String> {
    let notifications = list(facts, "notifications")?;
    if notifications.is_empty() {
        return Some("no notifications".to_string());
    }
    let names = named(notifications, |one| Some(name(&notification(one)?)));
    let left = some(facts, "remaining").map(|left| format!("{} more wait", group_signed(left)));
    followed(
        with_names(counted(length(notifications), "notification"), names),
        [left],
    )
}

/// A notification: its message, who says what, or its kind.
fn notification(one: &Map<String, Value>) -> Option<String> {
    let data = part(one, "data");
    let of_data = |key: &str| data.and_then(|data| text(data, key));
    if let (Some(sender), Some(content)) = (of_data("sender"), of_data("content")) {
        return Some(format!("{sender} says “{content}”"));
    }
    let message = of_data("message").or_else(|| text(one, "message"));
    if let Some(message) = message {
        return Some(message.trim_end_matches('.').to_string());
    }
    let kind = text(one, "msg_type").or_else(|| text(one, "type"))?;
    let goods = data.and_then(|data| quantity_of(data, "quantity"));
    Some(with_names(kind.replace('_', " "), goods))
}

fn get_trades(facts: &Map<String, Value>, _: &Standing) -> Option<String> {
    let [to_it, from_it] = [list(facts, "incoming")?, list(facts, "outgoing")?];
    let offers = |list: &[Value], who: &str, which: &str| {
        let described = named(list, |offer| {
            let with = text(offer, who).map(name);
            joined([with, some(offer, "offer_credits").map(credits)])
        });
        let count = counted(length(list), "offer") + which;
        (!list.is_empty()).then(|| with_names(count, described))
    };
    let incoming = offers(to_it, "offerer_name", " to it");
    let outgoing = offers(from_it, "target_name", " of its own");
    Some(joined([incoming, outgoing]).unwrap_or_else(|| "no trades".to_string()))
}

fn get_battle_status(facts: &Map<String, Value>, _: &Standing) -> Option<String> {
    let fighters = list(facts, "participants")?;
    let described = named(fighters, |fighter| {
        let hull = fighter.get("hull_pct").and_then(Value::as_f64);
        let hull = hull.map(|hull| format!(" hull {hull:.0} %"));
        Some(format!("{}{}", name_of(fighter)?, hull.unwrap_or_default()))
    });
    Some(with_names(
        format!("a battle of {}", group_signed(length(fighters))),
        described,
    ))
}
