//! The facts of the game: where a Mysis' ship is and in what condition, as its tools' results show.
//!
//! The reader takes each field whose name it knows, together with the time of the result. It derives
//! nothing, and reads no result of a tool that is no game's.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::{Map, Value};
use strum::{EnumCount, VariantArray};

use actors::domain::game::GameReading;
use actors::domain::ids::{Seq, Timestamp};
use actors::domain::message::Row;

use zoea_text::clean::one_line;

/// The most points of the credits chart.
const MAX_CREDIT_POINTS: usize = 600;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameSummary {
    credits: Arc<VecDeque<(Timestamp, i64)>>,
    /// The ship's gauges: the present value and the maximum.
    gauges: BTreeMap<Gauge, (f64, f64)>,
    pub ship: Option<Box<str>>,
    /// The star system, the point of interest and the base.
    pub place: ShipLocation,
    /// The items in the hold and their quantities.
    pub cargo: Vec<(Box<str>, i64)>,
    /// The time of the newest result that told any of this.
    pub at: Option<Timestamp>,
    newest: Seq,
}

/// A value with a maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, EnumCount, VariantArray)]
pub enum Gauge {
    Fuel,
    /// The used space of the hold.
    Cargo,
    Hull,
    Shield,
}

impl Gauge {
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all");

    /// The label on screen.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Gauge::Fuel => "fuel",
            Gauge::Cargo => "cargo",
            Gauge::Hull => "hull",
            Gauge::Shield => "shield",
        }
    }

    /// The JSON fields of the value and of its maximum.
    fn fields(self) -> (&'static str, &'static str) {
        match self {
            Gauge::Fuel => ("fuel", "max_fuel"),
            Gauge::Cargo => ("cargo_used", "cargo_capacity"),
            Gauge::Hull => ("hull", "max_hull"),
            Gauge::Shield => ("shield", "max_shield"),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShipLocation {
    pub system: Option<Box<str>>,
    /// The point of interest in it.
    pub poi: Option<Box<str>>,
    /// The base it is docked at.
    pub base: Option<Box<str>>,
}

impl GameSummary {
    /// Whether anything is known.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.at.is_some()
    }

    #[must_use]
    pub fn credits(&self) -> &VecDeque<(Timestamp, i64)> {
        &self.credits
    }

    /// The value and its maximum.
    #[must_use]
    pub fn gauge(&self, gauge: Gauge) -> Option<(f64, f64)> {
        self.gauges.get(&gauge).copied()
    }

    /// Reads the results among these rows. The rows are in order, oldest first.
    pub fn read_all(&mut self, rows: &[Arc<Row>]) {
        for row in rows {
            self.read_row(row);
        }
    }

    /// Reads a result. One that is older than the newest one read is ignored.
    pub fn read_row(&mut self, row: &Row) {
        let Some((_, text, meta)) = row.result() else {
            return;
        };
        if meta.is_error() || row.seq <= self.newest {
            return;
        }
        let reading = GameReading::of(meta.game, text);
        let Some(facts) = reading.facts() else {
            return;
        };
        self.newest = row.seq;
        let before = (self.gauges.clone(), self.place.clone(), self.cargo.clone());
        let had = self.credits.len();
        if let Some(player) = section(facts, "player") {
            self.read_player(player, row.at);
        }
        if let Some(ship) = section(facts, "ship") {
            self.read_ship(ship);
        }
        self.read_hold(&meta.tool, facts);
        self.read_place(&meta.tool, facts);
        let is_new = before != (self.gauges.clone(), self.place.clone(), self.cargo.clone());
        if is_new || self.credits.len() != had {
            self.at = Some(row.at);
        }
    }

    fn read_player(&mut self, player: &Map<String, Value>, at: Timestamp) {
        if let Some(credits) = player.get("credits").and_then(Value::as_i64) {
            let points = Arc::make_mut(&mut self.credits);
            if points.len() == MAX_CREDIT_POINTS {
                points.pop_front();
            }
            points.push_back((at, credits));
        }
        let text = |name: &str| player.get(name).and_then(as_text);
        if let Some(system) = text("current_system") {
            self.place.system = Some(system);
        }
        let poi = text("current_poi");
        if poi.is_some() || player.get("docked_at_base").is_some() {
            self.place.base = text("docked_at_base");
        }
        self.place.poi = poi.or(self.place.poi.take());
    }

    fn read_ship(&mut self, ship: &Map<String, Value>) {
        for gauge in Gauge::ALL {
            let (now, most) = gauge.fields();
            let figure = |name| ship.get(name).and_then(Value::as_f64);
            if let (Some(now), Some(most)) = (figure(now), figure(most)) {
                self.gauges.insert(gauge, (now, most));
            }
        }
        if ship.get("max_hull").is_some()
            && let Some(name) = ship.get("name").and_then(as_text)
        {
            self.ship = Some(name);
        }
        if let Some(items) = ship.get("cargo").and_then(Value::as_array) {
            self.cargo = items.iter().filter_map(item).collect();
        }
    }

    fn read_hold(&mut self, tool: &str, value: &Map<String, Value>) {
        let figure = |name: &str| value.get(name).and_then(Value::as_f64);
        if tool == "get_cargo"
            && let (Some(used), Some(most)) = (figure("used"), figure("capacity"))
        {
            self.gauges.insert(Gauge::Cargo, (used, most));
        }
    }

    fn read_place(&mut self, tool: &str, value: &Map<String, Value>) {
        let text = |name: &str| value.get(name).and_then(as_text);
        let named = |name: &str| value.get(name)?.get("name").and_then(as_text);
        match tool {
            "travel" | "jump" => {
                if let Some(poi) = text("poi") {
                    self.place.poi = Some(poi);
                    self.place.base = None;
                }
                if let Some(system) = text("system") {
                    self.place.system = Some(system);
                }
            }
            "dock" => self.place.base = text("base"),
            "undock" => self.place.base = None,
            "get_system" => {
                self.place.system = named("system").or(self.place.system.take());
                self.place.poi = named("poi").or(self.place.poi.take());
            }
            _ => {}
        }
    }
}

/// A section of the facts, or all of them where they have none of that name.
fn section<'a>(facts: &'a Map<String, Value>, name: &str) -> Option<&'a Map<String, Value>> {
    match facts.get(name) {
        Some(section) => section.as_object(),
        None => Some(facts),
    }
}

fn as_text(value: &Value) -> Option<Box<str>> {
    let text = value.as_str().filter(|text| !text.is_empty())?;
    let end = text.floor_char_boundary(200);
    Some(one_line(&text[..end]).into())
}

fn item(item: &Value) -> Option<(Box<str>, i64)> {
    let name = item.get("name").or_else(|| item.get("item_id"))?;
    Some((as_text(name)?, item.get("quantity")?.as_i64()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::domain::ids::{CallKey, TurnNumber};
    use actors::domain::message::{CallStatus, ResultMeta, RowBody};
    use serde_json::json;

    fn result(seq: i64, tool: &str, value: &Value) -> Row {
        Row {
            seq: Seq(seq),
            at: Timestamp(seq * 1000),
            turn: TurnNumber(1),
            body: RowBody::Result {
                call: CallKey {
                    seq: Seq(seq - 1),
                    position: 0,
                },
                text: value.to_string().into(),
                meta: ResultMeta {
                    call_id: "".into(),
                    tool: tool.into(),
                    status: CallStatus::Done,
                    ms: 1,
                    tick: None,
                    bytes: 1,
                    game: actors::domain::game::GameRef::SPACEMOLT,
                },
            },
        }
    }

    #[test]
    fn figures_come_from_the_newest_result_that_tells_them() {
        let mut game = GameSummary::default();
        let status = json!({
            "player": {"credits": 136, "current_system": "sol", "current_poi": "main_belt"},
            "ship": {
                "name": "Theoria", "hull": 92, "max_hull": 100, "fuel": 97, "max_fuel": 100,
                "cargo_used": 16, "cargo_capacity": 70,
                "cargo": [{"name": "Iron Ore", "quantity": 12}],
            },
        });
        game.read_row(&result(10, "get_status", &status));
        assert_eq!(game.gauge(Gauge::Fuel), Some((97.0, 100.0)));
        assert_eq!(game.gauge(Gauge::Shield), None);
        assert_eq!(game.place.poi.as_deref(), Some("main_belt"));
        assert_eq!(game.cargo, [("Iron Ore".into(), 12)]);
        game.read_row(&result(
            12,
            "travel",
            &json!({"action": "arrived", "poi": "Sol Central"}),
        ));
        game.read_row(&result(14, "dock", &json!({"base": "Command"})));
        assert_eq!(game.place.poi.as_deref(), Some("Sol Central"));
        assert_eq!(game.place.base.as_deref(), Some("Command"));
        game.read_row(&result(
            11,
            "get_status",
            &json!({"player": {"credits": 1}}),
        ));
        assert_eq!(game.credits().len(), 1, "an older result changes nothing");
        assert_eq!(game.at, Some(Timestamp(14_000)));
    }

    #[test]
    fn results_of_any_other_shape_do_no_harm() {
        let mut game = GameSummary::default();
        for value in [
            json!([1, 2]),
            json!({"player": 3, "ship": [], "credits": "many", "cargo": {"a": 1}}),
            json!({"ship": {"cargo": [1, {"name": 2, "quantity": "x"}]}}),
        ] {
            game.read_row(&result(1, "get_status", &value));
        }
        assert!(game.credits().is_empty());
    }
}
