//! The catalogue: ships, skills, recipes and items, filtered and paged.

use serde_json::{Value, json};

use super::{
    super::{
        CommandArguments, GameAnswer, GameRefusal, World,
        catalogue::{CatalogueItem, Recipe, ShipClass, Skill},
        title_case,
    },
    ListPage, status,
};

pub(crate) fn show_catalog(_: &World, arguments: CommandArguments) -> GameAnswer {
    let kind = arguments.text_or_empty("type")?;
    let mut entries = match kind {
        "ships" => ShipClass::all().map(status::class_view).collect(),
        "skills" => Skill::all().map(skill_entry).collect(),
        "recipes" => Recipe::all().map(recipe_entry).collect(),
        "items" => CatalogueItem::all().map(item_entry).collect(),
        _ => {
            return Err(GameRefusal::new(
                "invalid_type",
                format!(
                    "Unknown catalog type \"{kind}\". Must be one of: ships, skills, recipes, items."
                ),
            ));
        }
    };
    filter_entries(&mut entries, arguments)?;
    let page = ListPage::read(arguments, "page_size", 20, 50)?;
    let total = entries.len();
    let plural = if total == 1 { "item" } else { "items" };
    Ok(json!({
        "type": kind,
        "items": page.of(entries),
        "page": page.number,
        "page_size": page.size,
        "total": total,
        "total_pages": page.page_count(total),
        "message": format!("{total} {plural}"),
    }))
}

fn filter_entries(
    entries: &mut Vec<Value>,
    arguments: CommandArguments,
) -> Result<(), GameRefusal> {
    for (argument, key) in [
        ("id", "id"),
        ("category", "category"),
        ("class", "class"),
        ("empire", "faction"),
    ] {
        if let Some(wanted) = arguments.text(argument)? {
            // The specification has longer names for two empires than the game.
            let wanted = wanted
                .replace("crimson_fleet", "crimson")
                .replace("nebula_collective", "nebula")
                .replace("outer_rim", "outerrim");
            entries.retain(|entry| {
                let value = entry.get(key).and_then(Value::as_str).unwrap_or_default();
                value.eq_ignore_ascii_case(&wanted)
            });
        }
    }
    if let Some(tier) = arguments.number("tier")? {
        entries.retain(|entry| entry.get("tier").and_then(Value::as_i64) == Some(tier));
    }
    if let Some(search) = arguments.text("search")? {
        let search = search.to_lowercase();
        entries.retain(|entry| {
            let texts = ["id", "name", "description", "class", "faction"];
            let mut texts = texts.iter().filter_map(|key| entry.get(key)?.as_str());
            texts.any(|text| text.to_lowercase().contains(&search))
        });
    }
    Ok(())
}

fn item_entry(item: CatalogueItem) -> Value {
    json!({
        "id": item.id(),
        "name": item.name(),
        "category": item.category().id(),
        "description": item.description(),
        "size": item.size(),
        "base_value": item.value(),
    })
}

fn skill_entry(skill: Skill) -> Value {
    json!({
        "id": skill.id(),
        "name": title_case(skill.id()),
        "category": skill.category(),
        "description": skill.description(),
        "max_level": Skill::MAX_LEVEL,
    })
}

fn recipe_entry(recipe: &Recipe) -> Value {
    let part = |(item, quantity): (CatalogueItem, u64)| json!({ "item_id": item.id(), "name": item.name(), "quantity": quantity });
    let inputs: Vec<Value> = recipe.inputs().map(part).collect();
    let output = part(recipe.output());
    json!({
        "id": recipe.id,
        "name": recipe.name,
        "category": recipe.category,
        "description": format!("Makes {} at a station's workshop.", recipe.output().0.name()),
        "inputs": inputs,
        "outputs": [output],
    })
}
