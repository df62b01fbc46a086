//! The wire forms that several answers share.

mod pilot;
mod place;

use serde_json::{Value, json};

pub(super) use self::{
    pilot::{cargo, module, player, ship, visible},
    place::{map_entry, poi_of_system, station_condition, system},
};
use super::{
    World,
    hold::Hold,
    market::PriceLevel,
    messages::{Channel, MessageBoard, PilotMessage},
    player::PlayerAccount,
};

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

pub(super) fn unread_counts(world: &World, player: &PlayerAccount) -> Value {
    let read = player.visit.as_ref().map(|visit| visit.read);
    let read = read.unwrap_or([player.last_message; 4]);
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
