//! Lists that are always empty here, because no simulated command adds to them.

use serde_json::{Map, Value, json};

use super::{
    super::{CommandArguments, GameAnswer, World, player::PlayerAccount},
    ListPage, read_station,
};

const FORUM_CATEGORIES: [&str; 10] = [
    "general",
    "strategies",
    "bugs",
    "features",
    "trading",
    "factions",
    "help-wanted",
    "custom-tools",
    "lore",
    "creative",
];

pub(crate) fn forum_list(_: &World, arguments: CommandArguments) -> GameAnswer {
    let page = ListPage::read(arguments, "limit", 20, 100)?;
    let described = |category: &&str| {
        let description = format!("{} talk", category.replace('-', " "));
        ((*category).to_owned(), description.into())
    };
    let descriptions: Map<String, Value> = FORUM_CATEGORIES.iter().map(described).collect();
    Ok(json!({
        "threads": [],
        "page": page.number,
        "per_page": page.size,
        "total": 0,
        "has_more": false,
        "categories": FORUM_CATEGORIES,
        "category_descriptions": descriptions,
    }))
}

pub(crate) fn faction_list(
    _: &World,
    _: &PlayerAccount,
    arguments: CommandArguments,
) -> GameAnswer {
    let page = ListPage::read(arguments, "limit", 50, 100)?;
    let offset = arguments.number("offset")?.unwrap_or_default().max(0);
    Ok(json!({ "factions": [], "limit": page.size, "offset": offset, "total_count": 0 }))
}

pub(crate) fn view_orders(
    world: &World,
    player: &PlayerAccount,
    arguments: CommandArguments,
) -> GameAnswer {
    let page = ListPage::read(arguments, "page_size", 20, 50)?;
    let base = read_station(world, player, arguments)?;
    Ok(json!({
        "action": "view_orders",
        "base": world.atlas.base(base).name,
        "scope": arguments.text("scope")?.unwrap_or("personal"),
        "sort_by": arguments.text("sort_by")?.unwrap_or("newest"),
        "page": page.number,
        "page_size": page.size,
        "total": 0,
        "total_pages": 0,
        "has_more": false,
        "hint": "You have no standing orders here.",
        "orders": [],
    }))
}
