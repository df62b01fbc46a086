//! Accepting missions and completing them for their reward.

use serde_json::json;

use super::{
    super::{
        GameAnswer, GameRefusal, PlayerId, World,
        arguments::CommandArguments,
        calendar,
        mission::{ActiveMission, CompletedMission, MAX_ACTIVE_MISSIONS, MissionTemplate},
    },
    Mutation,
};

pub(crate) fn read_accept(arguments: CommandArguments) -> Result<Mutation, GameRefusal> {
    // Both parameters name the template; section S7 of the facts calls it template_id.
    let id = match arguments.text_or_empty("mission_id")? {
        "" => arguments.text_or_empty("template_id")?,
        id => id,
    };
    if id.is_empty() {
        return Err(GameRefusal::invalid_payload(
            "Must provide template_id (or mission_id) to accept a mission.",
        ));
    }
    Ok(Mutation::AcceptMission(id.to_owned()))
}

pub(crate) fn read_complete(arguments: CommandArguments) -> Result<Mutation, GameRefusal> {
    let id = arguments.needed_text("mission_id", "Use 'get_active_missions' to see yours.")?;
    Ok(Mutation::CompleteMission(id.to_owned()))
}

pub(crate) fn accept_mission(world: &mut World, player: PlayerId, id: &str) -> GameAnswer {
    let (now, dice) = (world.tick, world.dice);
    let pilot = world.player(player);
    let base = pilot.docked_at().ok_or_else(GameRefusal::not_docked)?;
    let template = MissionTemplate::offers_at(&world.atlas, base)
        .find(|template| template.id == id && template.is_open_to(&pilot.completed))
        .ok_or_else(|| {
            let message =
                format!("No mission '{id}' is offered here. Use 'get_missions' to see the board.");
            GameRefusal::new("mission_not_found", message)
        })?;
    let pilot = world.player_mut(player);
    pilot.missions.retain(|mission| mission.expiry_tick() > now);
    if pilot.missions.iter().any(|mission| mission.has_id(id)) {
        return Err(GameRefusal::new(
            "mission_already_active",
            format!("You are on '{}' already.", template.title),
        ));
    }
    if pilot.missions.len() >= MAX_ACTIVE_MISSIONS {
        return Err(GameRefusal::new(
            "max_missions",
            format!(
                "You have {MAX_ACTIVE_MISSIONS} active missions, which is the most. Complete or abandon one first."
            ),
        ));
    }
    let instance = dice.id("mission", &[player.roll_key(), pilot.accepted]);
    pilot.accepted += 1;
    let mission = ActiveMission::new(instance, template, base, now);
    let expires = mission.expiry_tick();
    pilot.missions.push(mission);
    Ok(json!({
        "mission_id": instance.to_string(),
        "template_id": template.id,
        "title": template.title,
        "type": template.kind,
        "expires_at": calendar::timestamp(expires),
        "message": format!("Mission accepted: {}", template.title),
    }))
}

pub(crate) fn complete_mission(world: &mut World, player: PlayerId, id: &str) -> GameAnswer {
    let now = world.tick;
    let pilot = world.player_mut(player);
    let base = pilot.docked_at().ok_or_else(GameRefusal::not_docked)?;
    let at = pilot
        .missions
        .iter()
        .position(|mission| mission.has_id(id) && mission.expiry_tick() > now)
        .ok_or_else(|| GameRefusal::new("mission_not_found", "You have no such active mission."))?;
    let mission = &pilot.missions[at];
    let (instance, template, issuer) = (mission.id, mission.template(), mission.base);
    let task = template.task;
    let stored = pilot.storage.entry(base).or_default();
    let done = match task.item() {
        Some(item) => pilot.ship.cargo.count(item) + stored.count(item),
        None => mission.done,
    };
    if done < task.required_count() || issuer != base {
        let message = format!("Objective incomplete: {}", task.describe());
        return Err(GameRefusal::new("mission_incomplete", message));
    }
    if let Some(item) = task.item() {
        let from_cargo = pilot.ship.cargo.take(item, task.required_count());
        stored.take(item, task.required_count() - from_cargo);
    }
    pilot.missions.remove(at);
    pilot
        .completed
        .retain(|done| done.template().id != template.id);
    pilot.completed.push(CompletedMission::new(template, now));
    pilot.earn_credits(template.credits);
    pilot.gain_experience(template.skill, template.xp, now);
    let mut answer = json!({
        "mission_id": instance.to_string(),
        "title": template.title,
        "credits_earned": template.credits,
        "skill_xp_gained": { template.skill.id(): template.xp },
        "message": format!("Mission complete: {}", template.title),
    });
    if let Some(next) = template.chain_next {
        answer["chain_next"] = next.into();
    }
    Ok(answer)
}
