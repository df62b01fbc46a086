//! Crafting: at once, from cargo, as the game had it in March 2026.

use serde_json::json;

use super::{
    super::{
        GameAnswer, GameRefusal, PlayerId, World,
        arguments::CommandArguments,
        catalogue::{Recipe, Skill},
    },
    Mutation,
};

const MAX_CRAFT_TIMES: u64 = 10;

pub(crate) fn read_craft(arguments: CommandArguments) -> Result<Mutation, GameRefusal> {
    let id = arguments.needed_text(
        "recipe_id",
        "Use 'catalog' with type 'recipes' to see recipes. \
         Example: {\"recipe_id\": \"refine_steel\"}",
    )?;
    let recipe = Recipe::find(id).ok_or_else(|| {
        let message = format!("Unknown recipe '{id}'. Use 'catalog' with type 'recipes'.");
        GameRefusal::new("cannot_craft", message)
    })?;
    let times = arguments.quantity_or(1)?;
    if times > MAX_CRAFT_TIMES {
        return Err(GameRefusal::invalid_payload(format!(
            "Quantity must be at most {MAX_CRAFT_TIMES}."
        )));
    }
    Ok(Mutation::Craft(recipe, times))
}

pub(crate) fn craft_recipe(
    world: &mut World,
    player: PlayerId,
    recipe: &Recipe,
    times: u64,
) -> GameAnswer {
    let now = world.tick;
    let pilot = world.player_mut(player);
    let cargo = &mut pilot.ship.cargo;
    let missing: Vec<String> = recipe
        .inputs()
        .map(|(item, each)| (item, (each * times).saturating_sub(cargo.count(item))))
        .filter(|(_, missing)| *missing > 0)
        .map(|(item, missing)| format!("{missing}x {}", item.name()))
        .collect();
    if !missing.is_empty() {
        return Err(GameRefusal::new(
            "missing_materials",
            format!("Missing materials: {}", missing.join(", ")),
        ));
    }
    for (item, each) in recipe.inputs() {
        cargo.take(item, each * times);
    }
    // Every recipe's output takes less room than its inputs, so it always fits.
    let (output, each) = recipe.output();
    let quantity = each * times;
    cargo.put(output, quantity);
    pilot.stats.items_crafted += quantity;
    pilot.gain_experience(Skill::CRAFTING, times, now);
    Ok(json!({
        "action": "craft",
        "recipe_id": recipe.id,
        "output_id": output.id(),
        "output_name": output.name(),
        "quantity": quantity,
        "message": format!("Crafted {quantity} {}.", output.name()),
    }))
}
