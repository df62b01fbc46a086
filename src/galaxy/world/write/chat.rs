//! Saying something to others.

use serde_json::json;

use super::super::{
    Answer, Arguments, PlayerId, Refusal, World,
    id::Id,
    inbox::Event,
    player::Player,
    talk::{Channel, Message, Wall},
};

const MOST_CHARACTERS: usize = 500;

pub(crate) fn chat(world: &mut World, sender: PlayerId, arguments: Arguments) -> Answer {
    let channel = read_channel(arguments)?;
    let content = arguments.text_or_empty("content")?;
    let length = content.chars().count();
    if content.trim().is_empty() {
        return Err(Refusal::payload(
            "Must specify 'content'. It is the text to send.",
        ));
    }
    if length > MOST_CHARACTERS {
        return Err(Refusal::payload(format!(
            "Message is too long: {length} characters, at most {MOST_CHARACTERS}."
        )));
    }
    let target = match channel {
        Channel::Private => Some(find_pilot(world, arguments.text_or_empty("target_id")?)?),
        Channel::Faction => {
            return Err(Refusal::new("no_faction", "You are not in a faction."));
        }
        Channel::System | Channel::Local => None,
    };
    let speaker = world.player(sender);
    let (at, system) = (speaker.at, world.system_of(speaker));
    let walls = match target {
        Some(target) if target != sender => vec![Wall::Pilot(sender), Wall::Pilot(target)],
        Some(target) => vec![Wall::Pilot(target)],
        None if channel == Channel::Local => vec![Wall::Poi(at)],
        None => vec![Wall::System(system)],
    };
    let message = Message {
        id: world
            .dice
            .id("message", &[sender.part(), speaker.said])
            .short(),
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
    let letter = world.talk.pin(message, &walls);
    world.player_mut(sender).said += 1;
    let now = world.tick;
    for hearer in hearers(world, &walls, sender) {
        world
            .player_mut(hearer)
            .tell(Event::Chat(letter.clone()), now);
    }
    Ok(json!({ "action": "chat", "channel": channel.id() }))
}

/// The channel, refused with the list of those that exist.
pub(crate) fn read_channel(arguments: Arguments) -> Result<Channel, Refusal> {
    let text = arguments.text_or_empty("channel")?;
    Channel::find(text).ok_or_else(|| {
        Refusal::payload(format!(
            "Unknown channel '{text}'. Must be one of: system, local, faction, private. \
             Example: {{\"channel\": \"system\", \"content\": \"Hello\"}}"
        ))
    })
}

/// A pilot by id or by name.
pub(crate) fn find_pilot(world: &World, text: &str) -> Result<PlayerId, Refusal> {
    if text.is_empty() {
        return Err(Refusal::payload(
            "Must specify 'target_id' for private messages: a player's id or username.",
        ));
    }
    let by_id = text.parse::<Id>().ok();
    by_id
        .filter(|id| world.players.contains_key(id))
        .or_else(|| world.find_player(text))
        .ok_or_else(|| Refusal::new("invalid_target", format!("Player '{text}' not found.")))
}

fn hearers(world: &World, walls: &[Wall], sender: PlayerId) -> Vec<PlayerId> {
    let mut hearers = Vec::new();
    for wall in walls {
        match wall {
            Wall::Pilot(pilot) => hearers.push(*pilot),
            Wall::Poi(poi) => hearers.extend(world.at(*poi).map(|pilot: &Player| pilot.id)),
            Wall::System(system) => {
                for poi in &world.atlas.system(*system).pois {
                    hearers.extend(world.at(*poi).map(|pilot| pilot.id));
                }
            }
        }
    }
    hearers.retain(|hearer| *hearer != sender);
    hearers
}
