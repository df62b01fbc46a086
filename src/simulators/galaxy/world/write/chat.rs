//! Sending chat messages.

use serde_json::json;

use super::super::{
    CommandArguments, GameAnswer, GameRefusal, PlayerId, World,
    id::Id,
    inbox::InboxEvent,
    messages::{Channel, MessageBoard, PilotMessage},
    player::PlayerAccount,
};

const MAX_MESSAGE_CHARACTERS: usize = 500;

pub(crate) fn send_chat(
    world: &mut World,
    sender: PlayerId,
    arguments: CommandArguments,
) -> GameAnswer {
    let channel = read_channel(arguments)?;
    let content = arguments.text_or_empty("content")?;
    let length = content.chars().count();
    if content.trim().is_empty() {
        return Err(GameRefusal::invalid_payload(
            "Must specify 'content'. It is the text to send.",
        ));
    }
    if length > MAX_MESSAGE_CHARACTERS {
        return Err(GameRefusal::invalid_payload(format!(
            "Message is too long: {length} characters, at most {MAX_MESSAGE_CHARACTERS}."
        )));
    }
    let target = match channel {
        Channel::Private => Some(find_pilot(world, arguments.text_or_empty("target_id")?)?),
        Channel::Faction => {
            return Err(GameRefusal::new("no_faction", "You are not in a faction."));
        }
        Channel::System | Channel::Local => None,
    };
    let speaker = world.player(sender);
    let (at, system) = (speaker.at, world.system_of(speaker));
    let boards = match target {
        Some(target) if target != sender => {
            vec![MessageBoard::Pilot(sender), MessageBoard::Pilot(target)]
        }
        Some(target) => vec![MessageBoard::Pilot(target)],
        None if channel == Channel::Local => vec![MessageBoard::Poi(at)],
        None => vec![MessageBoard::System(system)],
    };
    let message = PilotMessage {
        id: world
            .dice
            .id("message", &[sender.roll_key(), speaker.said])
            .short_text(),
        channel,
        sender: speaker.name.clone(),
        sender_id: sender,
        content: content.to_owned(),
        tick: world.tick,
        number: world.talk.next_number(),
        target: target.map(|target| (target, world.player(target).name.clone())),
        system: world.atlas.system(system).id.clone(),
        poi: world.atlas.poi(at).id.clone(),
    };
    let message = world.talk.post_message(message, &boards);
    world.player_mut(sender).said += 1;
    let now = world.tick;
    for hearer in hearers(world, &boards, sender) {
        world
            .player_mut(hearer)
            .notify(InboxEvent::Chat(message.clone()), now);
    }
    Ok(json!({ "action": "chat", "channel": channel.id() }))
}

/// The channel. A refusal lists the existing ones.
pub(crate) fn read_channel(arguments: CommandArguments) -> Result<Channel, GameRefusal> {
    let text = arguments.text_or_empty("channel")?;
    text.parse().map_err(|_| {
        GameRefusal::invalid_payload(format!(
            "Unknown channel '{text}'. Must be one of: system, local, faction, private. \
             Example: {{\"channel\": \"system\", \"content\": \"Hello\"}}"
        ))
    })
}

pub(crate) fn find_pilot(world: &World, text: &str) -> Result<PlayerId, GameRefusal> {
    if text.is_empty() {
        return Err(GameRefusal::invalid_payload(
            "Must specify 'target_id' for private messages: a player's id or username.",
        ));
    }
    let by_id = text.parse::<Id>().ok();
    by_id
        .filter(|id| world.players.contains_key(id))
        .or_else(|| world.find_player(text))
        .ok_or_else(|| GameRefusal::new("invalid_target", format!("Player '{text}' not found.")))
}

fn hearers(world: &World, boards: &[MessageBoard], sender: PlayerId) -> Vec<PlayerId> {
    let mut hearers = Vec::new();
    for board in boards {
        match board {
            MessageBoard::Pilot(pilot) => hearers.push(*pilot),
            MessageBoard::Poi(poi) => {
                hearers.extend(world.players_at(*poi).map(|pilot: &PlayerAccount| pilot.id))
            }
            MessageBoard::System(system) => {
                for poi in &world.atlas.system(*system).pois {
                    hearers.extend(world.players_at(*poi).map(|pilot| pilot.id));
                }
            }
        }
    }
    hearers.retain(|hearer| *hearer != sender);
    hearers
}
