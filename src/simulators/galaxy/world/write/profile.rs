//! The public profile of a player, and the owner of the account.

use serde_json::json;

use super::super::{CommandArguments, GameAnswer, GameRefusal, PlayerId, World, accounts};

pub(crate) fn set_status(
    world: &mut World,
    player: PlayerId,
    arguments: CommandArguments,
) -> GameAnswer {
    let message = arguments.text("status_message")?;
    let tag = arguments.text("clan_tag")?;
    check_length("status_message", message, 100)?;
    check_length("clan_tag", tag, 4)?;
    let profile = &mut world.player_mut(player).profile;
    if let Some(message) = message {
        message.clone_into(&mut profile.status_message);
    }
    if let Some(tag) = tag {
        tag.clone_into(&mut profile.clan_tag);
    }
    Ok(json!({ "action": "set_status" }))
}

pub(crate) fn set_colors(
    world: &mut World,
    player: PlayerId,
    arguments: CommandArguments,
) -> GameAnswer {
    let primary = read_color(arguments, "primary_color")?;
    let secondary = read_color(arguments, "secondary_color")?;
    let profile = &mut world.player_mut(player).profile;
    primary.clone_into(&mut profile.primary_color);
    secondary.clone_into(&mut profile.secondary_color);
    Ok(json!({
        "action": "set_colors",
        "primary_color": primary,
        "secondary_color": secondary,
    }))
}

pub(crate) fn set_anonymous(
    world: &mut World,
    player: PlayerId,
    arguments: CommandArguments,
) -> GameAnswer {
    let is_anonymous = arguments
        .flag("anonymous")?
        .ok_or_else(|| GameRefusal::invalid_payload("Must specify 'anonymous': true or false."))?;
    world.player_mut(player).profile.is_anonymous = is_anonymous;
    Ok(json!({ "action": "set_anonymous", "anonymous": is_anonymous }))
}

pub(crate) fn claim_player(
    world: &mut World,
    player: PlayerId,
    arguments: CommandArguments,
) -> GameAnswer {
    let code = arguments.text_or_empty("registration_code")?;
    let player = world.player_mut(player);
    if player.profile.is_claimed {
        return Err(GameRefusal::new(
            "already_claimed",
            "This player is already linked to an account.",
        ));
    }
    if !accounts::is_code(code) {
        return Err(accounts::wrong_code());
    }
    player.profile.is_claimed = true;
    let message = format!("Player {} is now linked to your account.", player.name);
    Ok(json!({ "message": message }))
}

fn check_length(name: &str, text: Option<&str>, most: usize) -> Result<(), GameRefusal> {
    let length = text.map_or(0, |text| text.chars().count());
    if length > most {
        return Err(GameRefusal::invalid_payload(format!(
            "'{name}' is too long: {length} characters, at most {most}."
        )));
    }
    Ok(())
}

/// A color: `#` and six hexadecimal digits.
fn read_color<'a>(arguments: CommandArguments<'a>, name: &str) -> Result<&'a str, GameRefusal> {
    let text = arguments.text_or_empty(name)?;
    let digits = text.strip_prefix('#').unwrap_or_default();
    if digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        Ok(text)
    } else {
        Err(GameRefusal::invalid_payload(format!(
            "'{name}' must be a color such as \"#ff8800\"."
        )))
    }
}
