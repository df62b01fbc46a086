//! The facts of the game: where a Mysis' ship is and in what condition, as its tools' results show.
//!
//! It takes what the readings of results tell, together with the time of the result. It derives nothing, and a
//! result of a tool that is no game's tells nothing.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use strum::VariantArray;

use actors::domain::game::{GameReading, ShipNames, Standing};
use actors::domain::ids::{Seq, Timestamp};
use actors::domain::message::Row;
use actors::domain::samples::Gauge as Level;

const MAX_CREDIT_POINTS: usize = 600;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameSummary {
    credits: Arc<VecDeque<(Timestamp, i64)>>,
    /// The ship's gauges: the present value and the maximum.
    gauges: BTreeMap<Gauge, (f64, f64)>,
    /// The ship, its place and its goods. The level of the shield is among the gauges.
    pub names: ShipNames,
    /// The time of the newest result that told any of this.
    pub at: Option<Timestamp>,
    newest: Seq,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, VariantArray)]
pub enum Gauge {
    Fuel,
    Cargo,
    Hull,
    Shield,
}

impl Gauge {
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
}

impl GameSummary {
    pub fn credits(&self) -> &VecDeque<(Timestamp, i64)> {
        &self.credits
    }

    pub fn gauge(&self, gauge: Gauge) -> Option<(f64, f64)> {
        self.gauges.get(&gauge).copied()
    }

    /// Reads a row, if it is a result. One that is older than the newest one read is ignored.
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
        let before = (self.gauges.clone(), self.names.clone());
        let standing = facts.standing(&meta.tool, false);
        self.take_standing(&standing, row.at);
        self.take_names(facts.ship(&meta.tool));
        let (gauges, names) = before;
        let is_new = gauges != self.gauges || placed(&names) != placed(&self.names);
        if is_new || standing.credits.is_some() {
            self.at = Some(row.at);
        }
    }

    fn take_standing(&mut self, standing: &Standing, at: Timestamp) {
        if let Some(credits) = standing.credits {
            let points = Arc::make_mut(&mut self.credits);
            if points.len() == MAX_CREDIT_POINTS {
                points.pop_front();
            }
            points.push_back((at, credits));
        }
        let levels = [
            (Gauge::Fuel, standing.fuel),
            (Gauge::Cargo, standing.cargo),
            (Gauge::Hull, standing.hull),
        ];
        for (gauge, level) in levels {
            self.take_level(gauge, level);
        }
    }

    fn take_level(&mut self, gauge: Gauge, level: Level) {
        if let Some((now, most)) = level.now.zip(level.most) {
            self.gauges.insert(gauge, (now.into(), most.into()));
        }
    }

    fn take_names(&mut self, told: ShipNames) {
        self.take_level(Gauge::Shield, told.shield);
        let known = std::mem::take(&mut self.names);
        self.names = ShipNames {
            ship: told.ship.or(known.ship),
            shield: Level::default(),
            system: told.system.or(known.system),
            poi: told.poi.or(known.poi),
            base: told.base.or(known.base),
            hold: told.hold.or(known.hold),
        };
    }
}

/// Where a ship is and what it carries. To be at no base, or to carry nothing, is as little news as not to know it.
fn placed(names: &ShipNames) -> ([Option<&str>; 3], &[(String, i64)]) {
    let base = names.base.iter().flatten().next().map(String::as_str);
    let place = [names.system.as_deref(), names.poi.as_deref(), base];
    (place, names.hold.as_deref().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::domain::ids::{CallKey, TurnNumber};
    use actors::domain::message::{CallStatus, ResultMeta, RowBody};
    use serde_json::{Value, json};

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
                    ms: Some(1),
                    tick: None,
                    bytes: 1,
                    game: actors::domain::game::GameRef::SpaceMolt,
                    kept: None,
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
        assert_eq!(game.names.poi.as_deref(), Some("main_belt"));
        let hold = vec![("Iron Ore".to_string(), 12)];
        assert_eq!(game.names.hold, Some(hold));
        game.read_row(&result(
            12,
            "travel",
            &json!({"action": "arrived", "poi": "Sol Central"}),
        ));
        game.read_row(&result(14, "dock", &json!({"base": "Command"})));
        assert_eq!(game.names.poi.as_deref(), Some("Sol Central"));
        assert_eq!(game.names.base, Some(Some("Command".to_string())));
        game.read_row(&result(
            11,
            "get_status",
            &json!({"player": {"credits": 1}}),
        ));
        assert_eq!(game.credits().len(), 1, "an older result changes nothing");
        assert_eq!(game.at, Some(Timestamp(14_000)));
    }

    #[test]
    fn credits_that_are_not_in_the_wallet_are_not_shown_as_its_own() {
        let mut game = GameSummary::default();
        let storage = json!({"base_id": "command", "credits": 900, "items": []});
        game.read_row(&result(1, "view_storage", &storage));
        assert!(game.credits().is_empty());
        let gift = json!({"your_credits": 40});
        game.read_row(&result(2, "trade_accept", &gift));
        assert_eq!(game.credits().back(), Some(&(Timestamp(2000), 40)));
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
