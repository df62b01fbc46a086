//! Reading chat messages and notifications.

use serde_json::{Value, json};

use super::super::{
    CommandArguments, GameAnswer, GameRefusal, PlayerId, World, calendar,
    inbox::NotificationFilter,
    messages::{Channel, MessageBoard, PilotMessage},
    write::chat::{find_pilot, read_channel},
};

pub(crate) fn get_chat_history(
    world: &mut World,
    reader: PlayerId,
    arguments: CommandArguments,
) -> GameAnswer {
    let channel = read_channel(arguments)?;
    let limit = read_limit(arguments, 50)?;
    let before = arguments.text_or_empty("before")?;
    let player = world.player(reader);
    let board = match channel {
        Channel::System => MessageBoard::System(world.system_of(player)),
        Channel::Local => MessageBoard::Poi(player.at),
        Channel::Faction => {
            return Err(GameRefusal::new("no_faction", "You are not in a faction."));
        }
        Channel::Private => MessageBoard::Pilot(reader),
    };
    let with = match arguments.text_or_empty("target_id")? {
        "" => None,
        text => Some(find_pilot(world, text)?),
    };
    let is_wanted = |message: &&PilotMessage| {
        let other = message.target.as_ref().map(|(target, _)| *target);
        with.is_none_or(|with| message.sender_id == with || other == Some(with))
            && (before.is_empty() || calendar::timestamp(message.tick).as_str() < before)
    };
    let found: Vec<&PilotMessage> = world.talk.read(board).filter(is_wanted).collect();
    let messages: Vec<Value> = found
        .iter()
        .take(limit)
        .map(|message| message_line(message))
        .collect();
    let answer = json!({
        "channel": channel.id(),
        "messages": messages,
        "total_count": found.len(),
        "has_more": found.len() > limit,
    });
    let read_up_to = world.talk.next_number();
    if let Some(visit) = &mut world.player_mut(reader).visit {
        visit.read[channel as usize] = read_up_to;
    }
    Ok(answer)
}

pub(crate) fn get_notifications(
    world: &mut World,
    reader: PlayerId,
    arguments: CommandArguments,
) -> GameAnswer {
    let wanted = NotificationFilter {
        types: arguments.texts("types")?,
        limit: read_limit(arguments, 50)?,
        is_kept: !arguments.flag("clear")?.unwrap_or(true),
    };
    let (now, dice) = (world.tick, world.dice);
    let visit = world.player_mut(reader).visit.as_mut();
    let (notifications, remaining) = match visit {
        Some(visit) => {
            let read = visit.inbox.read_matching(&wanted, reader, dice);
            let left = visit.inbox.len();
            let shown = if wanted.is_kept { read.len() } else { 0 };
            (read, left - shown)
        }
        None => (Vec::new(), 0),
    };
    Ok(json!({
        "count": notifications.len(),
        "current_tick": now,
        "remaining": remaining,
        "timestamp": calendar::unix_seconds(now),
        "notifications": notifications,
    }))
}

fn read_limit(arguments: CommandArguments, default: usize) -> Result<usize, GameRefusal> {
    let limit = arguments.number("limit")?;
    Ok(limit.map_or(default, |limit| {
        usize::try_from(limit).unwrap_or(1).clamp(1, 100)
    }))
}

fn message_line(message: &PilotMessage) -> Value {
    let mut line = json!({
        "id": message.id,
        "channel": message.channel.id(),
        "sender": message.sender,
        "sender_id": message.sender_id.to_string(),
        "content": message.content,
        "timestamp_utc": calendar::timestamp(message.tick),
    });
    if let Some((id, name)) = &message.target {
        line["target_id"] = id.to_string().into();
        line["target_name"] = name.clone().into();
    }
    line
}
