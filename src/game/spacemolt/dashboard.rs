//! The dashboard: the second interface's answers in text, read into the fields of the first.
//!
//! Its lines are `Name: value | Name: value`, its tables a heading `Label (n):`, a line with the
//! names of the columns, and rows, all separated by tabs. Columns are found by name, because new
//! ones have come between. Places and items that are told by their display name get the id that the
//! name makes (`Gold Ore`: `gold_ore`).

mod rows;
mod words;

use serde_json::{Map, Value, json};

use rows::{Columns, cargo_row, market_row, notifications, poi_row, resource_row, skill_row};
use words::{credits_at_start, credits_of, id_of_name, name_and_id, number_of};

/// The most rows of a table that are kept.
const MAX_ROWS: usize = 600;

/// Reads an answer in text; `None` if nothing in it has a known form.
pub(super) fn read(text: &str) -> Option<Map<String, Value>> {
    if text.starts_with("Error:") {
        return None;
    }
    let mut dashboard = TextDashboard::default();
    let lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let behind = &lines[at + 1..];
        let Some(label) = heading(line) else {
            dashboard.read_line(line, at == 0, behind.first().copied().unwrap_or_default());
            at += 1;
            continue;
        };
        let rows = behind.iter().take_while(|line| line.contains('\t')).count();
        match behind[..rows].split_first() {
            Some((columns, rows)) => dashboard.read_table(label, &Columns::new(columns), rows),
            None => dashboard.read_list(label, behind),
        }
        at += 1 + rows;
    }
    dashboard.finish()
}

/// The heading of a table or a list. The list of the hold has one of its own: `Cargo: 0/0 used`,
/// whose figures are wrong with goods aboard.
fn heading(line: &str) -> Option<&str> {
    let is_hold = line.starts_with("Cargo: ");
    line.strip_suffix(':').or(is_hold.then_some("Cargo"))
}

/// What the lines have told so far.
#[derive(Default)]
struct TextDashboard {
    facts: Map<String, Value>,
    /// Whether this is an answer that has a line "Docked at:" for a docked ship.
    tells_docking: bool,
    is_known: bool,
}

impl TextDashboard {
    fn finish(mut self) -> Option<Map<String, Value>> {
        if self.tells_docking {
            self.section("player")
                .entry("docked_at_base")
                .or_insert(Value::Null);
        }
        self.is_known.then_some(self.facts)
    }

    fn section(&mut self, name: &str) -> &mut Map<String, Value> {
        self.is_known = true;
        let section = self.facts.entry(name).or_insert(Value::Null);
        if !section.is_object() {
            *section = Value::Object(Map::new());
        }
        section.as_object_mut().expect("it was just made one")
    }

    fn tell(&mut self, section: &str, name: &str, value: impl Into<Value>) {
        self.section(section).insert(name.to_string(), value.into());
    }

    fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.is_known = true;
        self.facts.insert(name.to_string(), value.into());
    }

    fn read_line(&mut self, line: &str, is_first: bool, next: &str) {
        if is_first && self.read_first_line(line, next) {
            return;
        }
        // Names that players give stand behind something, so a line counts by its beginning, and
        // only the lines of figures have several parts.
        let parts = match line.split_once(": ") {
            Some(("Ship" | "Fuel", _)) => line.split(" | ").collect(),
            Some(("Docked at" | "Credits", _)) => vec![line],
            Some(_) | None => Vec::new(),
        };
        for (name, value) in parts.iter().filter_map(|part| part.split_once(": ")) {
            self.read_figure(name, value.trim());
        }
        if let Some(lanes) = line
            .strip_prefix("Connections: ")
            .filter(|_| self.tells_docking)
        {
            let lanes: Vec<&str> = lanes.split(", ").take(MAX_ROWS).collect();
            self.tell("location", "connections", lanes);
        }
        if let Some(number) = line.strip_prefix("current_tick=") {
            let number = number.split(' ').next().and_then(number_of);
            if let Some(tick) = number {
                self.put("current_tick", tick);
            }
        }
    }

    /// The first line of an answer says what it is.
    fn read_first_line(&mut self, line: &str, next: &str) -> bool {
        match line {
            "No active missions." | "No completed missions." => {
                self.put("missions", json!([]));
                return true;
            }
            "No notifications." => {
                self.put("notifications", json!([]));
                self.put("count", 0);
                self.put("remaining", 0);
                return true;
            }
            _ => {}
        }
        if let Some(poi) = line.strip_prefix("POI: ") {
            self.read_poi(poi);
            return true;
        }
        if let Some(system) = line.strip_prefix("System: ") {
            self.read_system(system);
            return true;
        }
        // The summary of everything begins with the player's name, the one of the place with the
        // system's.
        let parts: Vec<&str> = line.split(" | ").collect();
        if let [player, credits, system] = parts[..]
            && let Some((name, empire)) = player.rsplit_once(" [")
            && let Some(credits) = credits_of(credits)
        {
            self.tell("player", "username", name);
            self.tell("player", "empire", empire.trim_end_matches(']'));
            self.tell("player", "credits", credits);
            self.stand_in(system);
            return true;
        }
        if !line.contains(':') && next.starts_with("Credits: ") {
            self.stand_in(line);
            return true;
        }
        self.read_outcome(line)
    }

    /// The summaries of everything and of the place name the system without its id.
    fn stand_in(&mut self, system: &str) {
        self.tells_docking = true;
        let id = id_of_name(system);
        self.tell("location", "system_id", &*id);
        self.tell("location", "system_name", system);
        self.tell("player", "current_system", id);
    }

    fn read_outcome(&mut self, line: &str) -> bool {
        if let Some(base) = line.strip_prefix("Docked at ") {
            let base = base.trim_end_matches('.');
            self.put("base", base);
            return true;
        }
        if let Some(rest) = line.strip_prefix("Refueled ")
            && let Some((added, rest)) = rest.split_once(" fuel for ")
            && let (Some(added), Some(cost)) = (number_of(added), credits_at_start(rest))
        {
            self.put("fuel", added);
            self.put("cost", cost);
            return true;
        }
        if let Some(rest) = line.strip_prefix("Sold ")
            && let Some((goods, rest)) = rest.split_once(" for ")
            && let Some((quantity, item)) = goods.split_once(' ')
            && let (Some(sold), Some(earned)) = (number_of(quantity), credits_at_start(rest))
        {
            self.put("quantity_sold", sold);
            self.put("item_id", id_of_name(item));
            self.put("total_earned", earned);
            let unsold = rest.split(". ").find_map(|part| part.split_once(" unsold"));
            if let Some(unsold) = unsold.and_then(|(left, _)| number_of(left)) {
                self.put("unsold", unsold);
            }
            return true;
        }
        if let Some(rest) = line.strip_prefix("Welcome back, ")
            && let Some((name, rest)) = rest.split_once('!')
        {
            self.tell("player", "username", name);
            if let Some((_, id)) = rest.split_once("Session ID:") {
                self.put("session_id", id.trim());
            }
            return true;
        }
        false
    }

    fn read_figure(&mut self, name: &str, value: &str) {
        match name {
            "Ship" => {
                let (named, class) = name_and_id(value);
                self.tell("ship", "name", named);
                if let Some(class) = class {
                    self.tell("ship", "class_id", class);
                }
            }
            "Hull" => self.read_gauge(value, "hull", "max_hull"),
            "Shield" => self.read_gauge(value, "shield", "max_shield"),
            "Fuel" => self.read_gauge(value, "fuel", "max_fuel"),
            "Cargo" => self.read_gauge(value, "cargo_used", "cargo_capacity"),
            "Credits" => {
                if let Some(credits) = credits_of(value) {
                    self.tell("player", "credits", credits);
                }
            }
            "Docked at" if self.tells_docking => self.tell("player", "docked_at_base", value),
            _ => {}
        }
    }

    fn read_gauge(&mut self, value: &str, now: &str, most: &str) {
        let value = value.split(' ').next().unwrap_or_default();
        let figures = value.split_once('/');
        if let Some((Some(is), Some(of))) = figures.map(|(is, of)| (number_of(is), number_of(of))) {
            self.tell("ship", now, is);
            self.tell("ship", most, of);
        }
    }

    fn read_poi(&mut self, line: &str) {
        let mut parts = line.split(" | ");
        let (name, id) = name_and_id(parts.next().unwrap_or_default());
        let kind = parts.find_map(|part| part.strip_prefix("Type: "));
        let kind = kind.map(|kind| name_and_id(kind).0);
        let poi = json!({"id": id, "name": name, "type": kind});
        self.put("poi", poi);
        if let Some(id) = id {
            self.tell("player", "current_poi", id);
        }
    }

    fn read_system(&mut self, line: &str) {
        let mut parts = line.split(" | ");
        let (name, id) = name_and_id(parts.next().unwrap_or_default());
        self.tell("system", "id", id);
        self.tell("system", "name", name);
    }

    fn read_table(&mut self, label: &str, columns: &Columns<'_>, rows: &[&str]) {
        let rows = &rows[..rows.len().min(MAX_ROWS)];
        let (label, count) = label.split_once(" (").unwrap_or((label, ""));
        let kept = |read: &dyn Fn(&str) -> Option<Value>| -> Value {
            rows.iter().filter_map(|row| read(row)).collect()
        };
        match label {
            "Cargo" => {
                let cargo = kept(&|row| cargo_row(columns, row));
                self.put("cargo", cargo.clone());
                self.tell("ship", "cargo", cargo);
            }
            "Skills" => {
                let skills = rows.iter().filter_map(|row| skill_row(columns, row));
                let skills: Map<String, Value> = skills.collect();
                self.put("skills", skills);
            }
            "Modules" => {
                // The order of rows differs from answer to answer.
                let types = rows.iter().filter_map(|row| columns.cell(row, "type"));
                let mut types: Vec<&str> = types.collect();
                types.sort_unstable();
                self.tell("ship", "modules", types);
            }
            "Resources" => {
                let resources = kept(&|row| resource_row(columns, row));
                self.put("resources", resources);
            }
            "POIs" => {
                let pois = kept(&|row| poi_row(columns, row));
                self.tell("system", "pois", pois);
            }
            "Connections" if columns.has("system_id") => {
                let lanes = kept(&|row| {
                    let id = columns.cell(row, "system_id")?;
                    let length = columns.cell(row, "distance");
                    let length = length.and_then(|length| length.split(' ').next());
                    Some(json!({
                        "system_id": id,
                        "name": columns.cell(row, "name"),
                        "distance": length.and_then(number_of),
                    }))
                });
                self.tell("system", "connections", lanes);
            }
            // Words of others could look like a row, so the table has to be what its heading says.
            "Notifications" if count == format!("{})", rows.len()) => {
                if let Some(rows_shown) = notifications(columns, rows) {
                    self.put("count", rows.len());
                    self.put("notifications", rows_shown);
                }
            }
            market if market.starts_with("Market summary at ") => {
                let items = kept(&|row| market_row(columns, row));
                self.put("items", items);
            }
            _ => {}
        }
    }

    /// A heading with entries that begin with a hyphen.
    fn read_list(&mut self, label: &str, behind: &[&str]) {
        if label.split(" (").next() != Some("Active missions") {
            return;
        }
        // The list has neither their ids nor figures of their progress. That the key is there tells
        // accepted missions from offered ones.
        let entries = behind.iter().map_while(|line| line.strip_prefix("- "));
        let mut titles: Vec<&str> = entries.take(MAX_ROWS).collect();
        titles.sort_unstable();
        let missions: Value = titles
            .into_iter()
            .map(|title| json!({"title": title, "percent_complete": null}))
            .collect();
        self.put("missions", missions);
    }
}
