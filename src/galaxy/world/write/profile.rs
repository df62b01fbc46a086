//! How a player shows to others, and to whom the account belongs.

use serde_json::json;

use super::super::{Answer, Arguments, PlayerId, Refusal, World, people};

pub(crate) fn status(world: &mut World, player: PlayerId, arguments: Arguments) -> Answer {
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

pub(crate) fn colors(world: &mut World, player: PlayerId, arguments: Arguments) -> Answer {
    let primary = color(arguments, "primary_color")?;
    let secondary = color(arguments, "secondary_color")?;
    let profile = &mut world.player_mut(player).profile;
    primary.clone_into(&mut profile.primary_color);
    secondary.clone_into(&mut profile.secondary_color);
    Ok(json!({
        "action": "set_colors",
        "primary_color": primary,
        "secondary_color": secondary,
    }))
}

pub(crate) fn anonymous(world: &mut World, player: PlayerId, arguments: Arguments) -> Answer {
    let is_anonymous = arguments
        .flag("anonymous")?
        .ok_or_else(|| Refusal::payload("Must specify 'anonymous': true or false."))?;
    world.player_mut(player).profile.is_anonymous = is_anonymous;
    Ok(json!({ "action": "set_anonymous", "anonymous": is_anonymous }))
}

pub(crate) fn claim(world: &mut World, player: PlayerId, arguments: Arguments) -> Answer {
    let code = arguments.text_or_empty("registration_code")?;
    let player = world.player_mut(player);
    if player.profile.is_claimed {
        return Err(Refusal::new(
            "already_claimed",
            "This player is already linked to an account.",
        ));
    }
    if !people::is_code(code) {
        return Err(people::wrong_code());
    }
    player.profile.is_claimed = true;
    let message = format!("Player {} is now linked to your account.", player.name);
    Ok(json!({ "message": message }))
}

fn check_length(name: &str, text: Option<&str>, most: usize) -> Result<(), Refusal> {
    let length = text.map_or(0, |text| text.chars().count());
    if length > most {
        return Err(Refusal::payload(format!(
            "'{name}' is too long: {length} characters, at most {most}."
        )));
    }
    Ok(())
}

/// `#` and six hexadecimal digits.
fn color<'a>(arguments: Arguments<'a>, name: &str) -> Result<&'a str, Refusal> {
    let text = arguments.text_or_empty(name)?;
    let digits = text.strip_prefix('#').unwrap_or_default();
    if digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        Ok(text)
    } else {
        Err(Refusal::payload(format!(
            "'{name}' must be a color such as \"#ff8800\"."
        )))
    }
}
