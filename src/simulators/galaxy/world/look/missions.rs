//! Missions: the offers of a station, and the player's own missions.

use serde_json::{Map, Value, json};

use super::super::{
    CommandArguments, GameAnswer, GameRefusal, World,
    atlas::BaseIx,
    calendar, figures,
    hold::Hold,
    mission::{ActiveMission, MAX_ACTIVE_MISSIONS, MissionTemplate},
    player::PlayerAccount,
};

pub(crate) fn get_missions(
    world: &World,
    player: &PlayerAccount,
    _: CommandArguments,
) -> GameAnswer {
    let base = player.docked_at().ok_or_else(GameRefusal::not_docked)?;
    let missions: Vec<Value> = MissionTemplate::offers_at(&world.atlas, base)
        .filter(|template| template.is_open_to(&player.completed))
        .map(|template| offer_view(world, template, base))
        .collect();
    let base = world.atlas.base(base);
    Ok(json!({
        "base_id": base.id,
        "base_name": base.name,
        "missions": missions,
    }))
}

pub(crate) fn get_active_missions(
    world: &World,
    player: &PlayerAccount,
    _: CommandArguments,
) -> GameAnswer {
    let missions: Vec<Value> = player
        .missions
        .iter()
        .filter(|mission| mission.expiry_tick() > world.tick)
        .map(|mission| progress_view(world, player, mission))
        .collect();
    Ok(json!({
        "total_count": missions.len(),
        "max_missions": MAX_ACTIVE_MISSIONS,
        "missions": missions,
    }))
}

pub(crate) fn completed_missions(
    _: &World,
    player: &PlayerAccount,
    _: CommandArguments,
) -> GameAnswer {
    let missions: Vec<Value> = player
        .completed
        .iter()
        .map(|done| {
            let template = done.template();
            json!({
                "template_id": template.id,
                "title": template.title,
                "type": template.kind,
                "difficulty": template.difficulty,
                "completion_time": calendar::timestamp(done.at),
            })
        })
        .collect();
    Ok(json!({ "total_count": missions.len(), "missions": missions }))
}

pub(crate) fn decline_mission(
    world: &World,
    player: &PlayerAccount,
    arguments: CommandArguments,
) -> GameAnswer {
    let id = arguments.needed_text("template_id", "Use 'get_missions' to see the board.")?;
    let base = player.docked_at().ok_or_else(GameRefusal::not_docked)?;
    let template = MissionTemplate::offers_at(&world.atlas, base)
        .find(|template| template.id == id)
        .ok_or_else(|| {
            GameRefusal::new(
                "mission_not_found",
                format!("No mission '{id}' is offered here."),
            )
        })?;
    let (name, _) = template.giver;
    Ok(json!({ "message": format!("{name}: {}", template.dialog.decline) }))
}

fn offer_view(world: &World, template: &MissionTemplate, base: BaseIx) -> Value {
    let mut offer = mission_heading(world, template, base);
    let poi = world.atlas.poi(world.atlas.base(base).poi);
    let system = world.atlas.system(poi.system);
    let (name, title) = template.giver;
    let dialog = &template.dialog;
    let more = json!({
        "mission_id": template.id,
        "expires_in_ticks": calendar::DAY,
        "giver": { "name": name, "title": title },
        "issuing_system_id": system.id,
        "issuing_system_name": system.name,
        "repeatable": template.is_repeatable,
        "objectives": [objective_view(world, template, base, "quantity")],
        "dialog": {
            "offer": dialog.offer,
            "accept": dialog.accept,
            "decline": dialog.decline,
            "complete": dialog.complete,
        },
    });
    merge_fields(&mut offer, more);
    if let Some(next) = template.chain_next {
        offer.insert("chain_next".to_owned(), next.into());
    }
    offer.into()
}

fn progress_view(world: &World, player: &PlayerAccount, mission: &ActiveMission) -> Value {
    let (template, base) = (mission.template(), mission.base);
    let task = template.task;
    let mut view = mission_heading(world, template, base);
    let mut objective = objective_view(world, template, base, "required");
    let current = match task.item() {
        Some(item) => {
            let empty = Hold::default();
            let stored = player.storage.get(&base).unwrap_or(&empty).count(item);
            let carried = player.ship.cargo.count(item);
            objective["item_name"] = item.name().into();
            objective["in_cargo"] = carried.into();
            objective["in_storage"] = stored.into();
            carried + stored
        }
        None => mission.done,
    };
    let current = current.min(task.required_count());
    objective["current"] = current.into();
    objective["completed"] = (current >= task.required_count()).into();
    let more = json!({
        "mission_id": mission.id.to_string(),
        "accepted_at": calendar::timestamp(mission.accepted),
        "expires_in_ticks": mission.expiry_tick().saturating_sub(world.tick),
        "percent_complete": figures::tenths(current * 1000 / task.required_count()),
        "objectives": [objective],
    });
    merge_fields(&mut view, more);
    view.into()
}

fn mission_heading(world: &World, template: &MissionTemplate, base: BaseIx) -> Map<String, Value> {
    let base = world.atlas.base(base);
    let heading = json!({
        "template_id": template.id,
        "type": template.kind,
        "title": template.title,
        "description": format!("{} for {}.", template.task.describe(), base.name),
        "difficulty": template.difficulty,
        "issuing_base": base.name,
        "issuing_base_id": base.id,
        "rewards": {
            "credits": template.credits,
            "skill_xp": { template.skill.id(): template.xp },
        },
    });
    let mut map = Map::new();
    merge_fields(&mut map, heading);
    map
}

fn objective_view(world: &World, template: &MissionTemplate, base: BaseIx, count: &str) -> Value {
    let task = template.task;
    let base = world.atlas.base(base);
    let mut objective = json!({
        "type": task.kind(),
        "description": task.describe(),
        count: task.required_count(),
        "target_base_name": base.name,
    });
    // The board and the pilot's list have different keys for the base.
    let key = if count == "quantity" {
        "target_base_id"
    } else {
        "target_base"
    };
    objective[key] = base.id.clone().into();
    if let Some(item) = task.item() {
        objective["item_id"] = item.id().into();
    }
    objective
}

fn merge_fields(map: &mut Map<String, Value>, more: Value) {
    if let Value::Object(more) = more {
        map.extend(more);
    }
}
