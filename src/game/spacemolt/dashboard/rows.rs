//! Rows of tables. Cells are found by the names of their columns.

use serde_json::{Value, json};

use super::words::{credits_of, id_of_name, number_of};

/// The columns of a table, by name.
pub(super) struct Columns<'a>(Vec<&'a str>);

impl<'a> Columns<'a> {
    pub(super) fn new(line: &'a str) -> Columns<'a> {
        Columns(line.split('\t').map(str::trim).collect())
    }

    /// The cell of a row; `None` for an empty one.
    pub(super) fn cell<'r>(&self, row: &'r str, name: &str) -> Option<&'r str> {
        let place = self.0.iter().position(|column| *column == name)?;
        let cell = row.split('\t').nth(place)?.trim();
        (!cell.is_empty()).then_some(cell)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains(&name)
    }
}

/// The notifications of a table; `None` if a row has not exactly the cells that its columns name.
pub(super) fn notifications(columns: &Columns<'_>, rows: &[&str]) -> Option<Value> {
    let is_whole = |row: &&str| row.split('\t').count() == columns.0.len();
    if !rows.iter().all(is_whole) {
        return None;
    }
    let shown = rows.iter().map(|row| {
        let data = columns.cell(row, "data");
        let data = data.and_then(|data| serde_json::from_str::<Value>(data).ok());
        json!({
            "type": columns.cell(row, "type"),
            "msg_type": columns.cell(row, "msg_type"),
            "message": columns.cell(row, "message"),
            "data": data,
        })
    });
    Some(shown.collect())
}

pub(super) fn cargo_row(columns: &Columns<'_>, row: &str) -> Option<Value> {
    let name = columns.cell(row, "item")?;
    let quantity = columns.cell(row, "qty").and_then(number_of)?;
    let size = columns.cell(row, "size").and_then(number_of);
    let mut goods = json!({"item_id": id_of_name(name), "name": name, "quantity": quantity});
    if let Some(size) = size {
        goods["size"] = size.into();
    }
    Some(goods)
}

/// A skill, with the level as `3` or as `3/100`, and the experience of the level.
pub(super) fn skill_row(columns: &Columns<'_>, row: &str) -> Option<(String, Value)> {
    let level = columns.cell(row, "level")?.split('/').next()?;
    let progress = columns.cell(row, "progress").unwrap_or_default();
    let (of_progress, next) = match progress.trim_end_matches(" XP").split_once('/') {
        Some((xp, next)) => (number_of(xp), number_of(next)),
        None => (None, None),
    };
    let cell = |name| columns.cell(row, name).and_then(number_of);
    let skill = json!({
        "level": number_of(level)?,
        "xp": cell("xp").or(of_progress),
        "next_level_xp": cell("next_level").or(next),
    });
    Some((columns.cell(row, "skill")?.to_string(), skill))
}

pub(super) fn resource_row(columns: &Columns<'_>, row: &str) -> Option<Value> {
    let name = columns.cell(row, "resource")?;
    Some(json!({
        "resource_id": id_of_name(name),
        "name": name,
        "richness": columns.cell(row, "richness").and_then(number_of),
        "remaining": columns.cell(row, "remaining").and_then(number_of),
    }))
}

pub(super) fn poi_row(columns: &Columns<'_>, row: &str) -> Option<Value> {
    let base = columns.cell(row, "base");
    Some(json!({
        "id": columns.cell(row, "id")?,
        "name": columns.cell(row, "name"),
        "type": columns.cell(row, "type"),
        "class": columns.cell(row, "class"),
        "has_base": base.is_some(),
        "base_name": base,
    }))
}

pub(super) fn market_row(columns: &Columns<'_>, row: &str) -> Option<Value> {
    let price = |name| columns.cell(row, name).and_then(credits_of).unwrap_or(0);
    let quantity = |name| columns.cell(row, name).and_then(number_of).unwrap_or(0);
    Some(json!({
        "item_id": columns.cell(row, "item_id")?,
        "item_name": columns.cell(row, "item_name"),
        "category": columns.cell(row, "category"),
        "best_buy": price("best_buy"),
        "best_sell": price("best_sell"),
        "buy_quantity": quantity("buy_qty"),
        "sell_quantity": quantity("sell_qty"),
    }))
}
