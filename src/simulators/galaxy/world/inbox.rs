//! Notifications: events that a pilot reads on request. At most a hundred wait.

use std::{collections::VecDeque, sync::Arc};

use serde_json::{Value, json};

use super::{
    calendar,
    catalogue::{CatalogueItem, Skill},
    dice::Dice,
    id::{Id, PlayerId},
    messages::{Channel, SharedMessage},
};

/// The largest number of waiting notifications. The oldest is dropped for a new one.
const MAX_NOTIFICATIONS: usize = 100;

#[derive(Clone, Debug)]
pub(super) enum InboxEvent {
    Chat(SharedMessage),
    /// The server docked or undocked the ship for a command that needed it.
    Berth {
        kind: &'static str,
        message: String,
    },
    Yield {
        item: CatalogueItem,
        quantity: u64,
        remaining: u64,
        full: u64,
        xp: u64,
    },
    Arrival(Arc<PilotPassage>),
    Departure(Arc<PilotPassage>),
    LevelUp {
        skill: Skill,
        level: u64,
        xp: u64,
    },
    Scanned {
        scanner: PlayerId,
        name: String,
        ship: &'static str,
    },
    Restart {
        seconds: u64,
    },
}

/// A pilot who came to a place or left it.
#[derive(Debug)]
pub(super) struct PilotPassage {
    pub(super) pilot: String,
    pub(super) clan_tag: String,
    pub(super) poi_id: String,
    pub(super) poi_name: String,
}

#[derive(Debug)]
struct InboxEntry {
    event: InboxEvent,
    tick: u64,
    number: u64,
}

/// The notifications of one session. They end with it.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    waiting: VecDeque<InboxEntry>,
    next: u64,
}

pub(super) struct NotificationFilter<'a> {
    /// None: all types.
    pub(super) types: Vec<&'a str>,
    pub(super) limit: usize,
    pub(super) is_kept: bool,
}

impl Inbox {
    pub(super) fn push(&mut self, event: InboxEvent, tick: u64) {
        if self.waiting.len() == MAX_NOTIFICATIONS {
            self.waiting.pop_front();
        }
        self.waiting.push_back(InboxEntry {
            event,
            tick,
            number: self.next,
        });
        self.next += 1;
    }

    pub(super) fn remove_newest(&mut self) {
        self.waiting.pop_back();
    }

    /// The oldest matching notifications. They leave the queue unless the filter keeps them.
    pub(super) fn read_matching(
        &mut self,
        wanted: &NotificationFilter,
        owner: Id,
        dice: Dice,
    ) -> Vec<Value> {
        let mut shown = Vec::new();
        self.waiting.retain(|notice| {
            let (kind, msg_type) = notice.event.type_names();
            let is_wanted = wanted.types.is_empty() || wanted.types.contains(&kind);
            if !is_wanted || shown.len() == wanted.limit {
                return true;
            }
            let id = dice.id("notice", &[owner.roll_key(), notice.tick, notice.number]);
            shown.push(json!({
                "id": id.to_string(),
                "type": kind,
                "msg_type": msg_type,
                "timestamp": calendar::exact_timestamp(notice.tick, notice.number),
                "data": notice.event.event_data(),
            }));
            wanted.is_kept
        });
        shown
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }
}

impl InboxEvent {
    fn type_names(&self) -> (&'static str, &'static str) {
        match self {
            Self::Chat(_) => ("chat", "chat_message"),
            Self::Berth { .. } => ("system", "ok"),
            Self::Yield { .. } => ("system", "mining_yield"),
            Self::Arrival(_) => ("system", "poi_arrival"),
            Self::Departure(_) => ("system", "poi_departure"),
            Self::LevelUp { .. } => ("system", "skill_level_up"),
            Self::Scanned { .. } => ("combat", "scan_detected"),
            Self::Restart { .. } => ("system", "server_restart_warning"),
        }
    }

    fn event_data(&self) -> Value {
        match self {
            Self::Chat(letter) => chat_data(letter),
            Self::Berth { kind, message } => json!({ "type": kind, "message": message }),
            Self::Yield {
                item,
                quantity,
                remaining,
                full,
                xp,
            } => json!({
                "resource_id": item.id(),
                "resource_name": item.name(),
                "quantity": quantity,
                "remaining": remaining,
                "remaining_display": super::figures::of_full(*remaining, *full),
                "max_remaining": full,
                "depletion_percent": super::figures::depletion(*remaining, *full),
                "xp_gained": xp,
            }),
            Self::Arrival(passage) | Self::Departure(passage) => json!({
                "username": passage.pilot,
                "clan_tag": passage.clan_tag,
                "poi_id": passage.poi_id,
                "poi_name": passage.poi_name,
            }),
            Self::LevelUp { skill, level, xp } => {
                json!({ "skill_id": skill.id(), "new_level": level, "xp_gained": xp })
            }
            Self::Scanned {
                scanner,
                name,
                ship,
            } => json!({
                "scanner_id": scanner.to_string(),
                "scanner_username": name,
                "scanner_ship_class": ship,
                "revealed_info": ["username", "ship_class", "hull"],
                "message": format!("{name} scanned your ship."),
            }),
            Self::Restart { seconds } => json!({
                "message": format!("The server restarts in {seconds} seconds."),
                "seconds_until_restart": seconds,
                "version": super::VERSION,
            }),
        }
    }
}

fn chat_data(letter: &SharedMessage) -> Value {
    let message = &*letter.0;
    let mut data = json!({
        "id": message.id,
        "channel": message.channel.id(),
        "sender": message.sender,
        "sender_id": message.sender_id.to_string(),
        "content": message.content,
        "timestamp": calendar::timestamp(message.tick),
    });
    match message.channel {
        Channel::System => data["system_id"] = message.system.clone().into(),
        Channel::Local => data["poi_id"] = message.poi.clone().into(),
        Channel::Faction => {}
        Channel::Private => {
            if let Some((id, name)) = &message.target {
                data["target_id"] = id.to_string().into();
                data["target_name"] = name.clone().into();
            }
        }
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warning(seconds: u64) -> InboxEvent {
        InboxEvent::Restart { seconds }
    }

    fn all(is_kept: bool) -> NotificationFilter<'static> {
        NotificationFilter {
            types: Vec::new(),
            limit: 50,
            is_kept,
        }
    }

    #[test]
    fn the_oldest_falls_off_and_reading_empties() {
        let (mut inbox, owner, dice) = (Inbox::default(), Id::new(1), Dice::new(1));
        for number in 0..120 {
            inbox.push(warning(number), number);
        }
        assert_eq!(inbox.read_matching(&all(true), owner, dice).len(), 50);
        let first = inbox.read_matching(&all(false), owner, dice);
        assert_eq!(first[0]["data"]["seconds_until_restart"], 20);
        assert_eq!(inbox.read_matching(&all(false), owner, dice).len(), 50);
        assert_eq!(inbox.len(), 0);
    }

    #[test]
    fn unwanted_types_stay_in_the_queue() {
        let (mut inbox, owner, dice) = (Inbox::default(), Id::new(1), Dice::new(1));
        inbox.push(warning(60), 1);
        let chat_only = NotificationFilter {
            types: vec!["chat"],
            ..all(false)
        };
        assert!(inbox.read_matching(&chat_only, owner, dice).is_empty());
        assert_eq!(inbox.len(), 1);
    }
}
