//! The wire forms that several answers share.

mod pilot;
mod place;

use serde_json::{Value, json};

pub(super) use self::{
    pilot::{cargo, in_sight, module, player, ship},
    place::{map_entry, poi_of_system, station_condition, system},
};
use super::{
    World,
    hold::Hold,
    market::PriceLevel,
    messages::{Channel, MessageBoard, PilotMessage},
    player::PlayerAccount,
};

/// Formats an amount: `48,207 / 60,000`.
pub(super) fn of_full(remaining: u64, full: u64) -> String {
    format!("{} / {}", group_digits(remaining), group_digits(full))
}

/// The missing percent with one decimal; 0 is full.
pub(super) fn depletion(remaining: u64, full: u64) -> f64 {
    let permille = full.saturating_sub(remaining) * 1000 / full.max(1);
    tenths(permille)
}

/// A number of tenths as a number with one decimal.
pub(super) fn tenths(number: u64) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX)) / 10.0
}

/// The fills or the levels of a station's book.
pub(super) fn fills(fills: &[PriceLevel]) -> Vec<Value> {
    let fill = |level: &PriceLevel| {
        json!({
            "price_each": level.price,
            "quantity": level.quantity,
            "subtotal": level.price * level.quantity,
            "source": "station",
        })
    };
    fills.iter().map(fill).collect()
}

/// The contents of a hold.
pub(super) fn contents(hold: &Hold) -> Vec<Value> {
    let line = |(item, quantity): (super::catalogue::CatalogueItem, u64)| {
        json!({
            "item_id": item.id(),
            "name": item.name(),
            "quantity": quantity,
            "size": item.size(),
        })
    };
    hold.items().map(line).collect()
}

/// The numbers of unread messages by channel.
pub(super) fn unread_counts(world: &World, player: &PlayerAccount) -> Value {
    let read = player.visit.as_ref().map(|visit| visit.read);
    let read = read.unwrap_or([player.heard; 4]);
    let count = |board: MessageBoard, channel: usize| {
        let is_new = |message: &&PilotMessage| {
            message.number >= read[channel] && message.sender_id != player.id
        };
        world
            .talk
            .read(board)
            .take_while(|message| message.number >= read[channel])
            .filter(is_new)
            .count()
    };
    let system = MessageBoard::System(world.system_of(player));
    json!({
        Channel::System.id(): count(system, 0),
        Channel::Local.id(): count(MessageBoard::Poi(player.at), 1),
        Channel::Faction.id(): 0,
        Channel::Private.id(): count(MessageBoard::Pilot(player.id), 3),
    })
}

/// Formats `48207` as `48,207`.
fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_read_as_the_game_writes_them() {
        assert_eq!(of_full(48_207, 60_000), "48,207 / 60,000");
        assert_eq!(of_full(0, 999), "0 / 999");
        assert_eq!(depletion(48_210, 60_000), 19.6);
        assert_eq!(depletion(60_000, 60_000), 0.0);
        assert_eq!(depletion(0, 60_000), 100.0);
    }
}
