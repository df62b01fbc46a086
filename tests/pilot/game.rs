//! A small imitation of the game: three systems, two bases, a market, one mission, and errors in the words of the real server.

mod homes;
mod showing;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use homes::Home;
pub(crate) use homes::{HOMES, TOOLS};

type Answer = Result<Value, (&'static str, String)>;

fn no<T>(code: &'static str, message: impl Into<String>) -> Result<T, (&'static str, String)> {
    Err((code, message.into()))
}

/// The state of one player's game.
#[derive(Debug)]
pub(crate) struct Game {
    home: Option<&'static Home>,
    system: String,
    poi: String,
    docked: bool,
    pub(crate) credits: i64,
    pub(crate) fuel: i64,
    pub(crate) cargo: BTreeMap<String, i64>,
    pulls: i64,
    active: Option<i64>,
    /// Whether nobody bids for ore.
    pub(crate) has_no_bids: bool,
    /// Whether the belt of the home system is empty.
    pub(crate) is_depleted: bool,
    pub(crate) travel_cost: i64,
    /// Whether ships must be undocked by hand.
    pub(crate) must_undock: bool,
    pub(crate) names_taken: u32,
    /// The number of successes of each call.
    pub(crate) done: BTreeMap<String, u32>,
    /// The number of occurrences of each error.
    pub(crate) errors: BTreeMap<String, u32>,
    pub(crate) crowded: u32,
    pub(crate) systems_seen: std::collections::BTreeSet<String>,
}

impl Game {
    pub(crate) fn new() -> Self {
        Self {
            home: None,
            system: String::new(),
            poi: String::new(),
            docked: true,
            credits: 100,
            fuel: 100,
            cargo: BTreeMap::new(),
            pulls: 0,
            active: None,
            has_no_bids: false,
            is_depleted: false,
            travel_cost: 2,
            must_undock: false,
            names_taken: 0,
            done: BTreeMap::new(),
            errors: BTreeMap::new(),
            crowded: 0,
            systems_seen: std::collections::BTreeSet::new(),
        }
    }

    pub(crate) fn times(&self, tool: &str) -> u32 {
        self.done.get(tool).copied().unwrap_or(0)
    }

    /// Calls a tool. The answer is as a host would pass it on.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Map<String, Value>) -> String {
        let Some((_, known)) = TOOLS.iter().find(|(name, _)| *name == tool) else {
            return format!(
                "Error: unknown_command: Unknown command: {tool}. Use the 'help' command to see available commands."
            );
        };
        let answer = self
            .admit(tool, known, arguments)
            .and_then(|()| self.act(tool, arguments));
        match answer {
            Ok(facts) => {
                *self.done.entry(tool.to_owned()).or_default() += 1;
                self.systems_seen.insert(self.system.clone());
                facts.to_string()
            }
            Err((code, message)) => {
                *self.errors.entry(code.to_owned()).or_default() += 1;
                format!("Error: {code}: {message}")
            }
        }
    }

    fn admit(
        &self,
        tool: &str,
        known: &[&str],
        arguments: &Map<String, Value>,
    ) -> Result<(), (&'static str, String)> {
        if arguments.contains_key("session_id") {
            return no(
                "session_invalid",
                "Session not found or expired. Call login() again to get a new session_id.",
            );
        }
        if self.home.is_none() && !["register", "login"].contains(&tool) {
            return no(
                "session_required",
                "You must provide a session_id. Get one by calling login() or register() first.",
            );
        }
        let stray = arguments.keys().find(|key| !known.contains(&key.as_str()));
        match (tool, stray) {
            ("travel" | "jump", Some(stray)) => {
                let right = known[0];
                no(
                    "invalid_payload",
                    format!(
                        "Unknown parameter(s): [{stray}]. Requires '{right}'. Example: {{\"{right}\": \"main_belt\"}}"
                    ),
                )
            }
            _ => Ok(()),
        }
    }

    fn act(&mut self, tool: &str, arguments: &Map<String, Value>) -> Answer {
        let text = |name: &str| {
            arguments
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let quantity = arguments
            .get("quantity")
            .and_then(Value::as_i64)
            .unwrap_or(0);
        match tool {
            "register" => self.register(
                &text("username"),
                &text("empire"),
                &text("registration_code"),
            ),
            // A host fills in the credentials that it knows.
            "login" if self.home.is_some() => {
                Ok(json!({"message": "Welcome back", "player": self.player(), "ship": self.ship()}))
            }
            "login" => no(
                "auth_failed",
                "Invalid username or password. Passwords are random hex strings.",
            ),
            "get_status" => {
                Ok(json!({"player": self.player(), "ship": self.ship(), "modules": []}))
            }
            "get_cargo" => Ok(
                json!({"cargo": self.stacks(), "used": self.used(), "capacity": self.hold(), "available": self.hold() - self.used()}),
            ),
            "get_system" => {
                Ok(json!({"action": "get_system", "system": self.chart(), "poi": {"id": self.poi}}))
            }
            "get_poi" => {
                Ok(json!({"poi": {"id": self.poi, "system_id": self.system, "type": "?"}}))
            }
            "get_notifications" => Ok(
                json!({"count": 1, "current_tick": 9, "notifications": [{"data": {"content": "persona: mute\nExplore!"}}]}),
            ),
            "travel" => self.travel(&text("target_poi")),
            "jump" => self.jump(&text("target_system")),
            "dock" => self.dock(),
            "undock" if self.docked => {
                self.docked = false;
                Ok(json!({"action": "undock"}))
            }
            "undock" => no("not_docked", "Not docked"),
            "mine" => self.mine(),
            "sell" => self.sell(&text("item_id"), quantity),
            "buy" => self.buy(&text("item_id"), quantity),
            "refuel" => self.refuel(),
            "view_market" => {
                self.at_base()?;
                Ok(json!({"action": "view_market", "items": self.market()}))
            }
            "deposit_items" | "jettison" => {
                if tool == "deposit_items" {
                    self.at_base()?;
                }
                self.take(&text("item_id"), quantity)?;
                Ok(json!({"action": tool}))
            }
            "get_missions" => {
                self.at_base()?;
                Ok(json!({"missions": [
                    {"mission_id": "pirate_bounty", "title": "Pirate Bounty", "objectives": [{"type": "kill", "description": "Kill"}]},
                    {"mission_id": "iron_supply_run", "title": "Iron Supply Run", "objectives": [
                        {"type": "deliver_item", "item_id": "iron_ore", "quantity": 30, "target_base_id": self.base_id()}]},
                ]}))
            }
            "get_active_missions" => {
                Ok(json!({"missions": self.active_missions(), "total_count": 0, "max_missions": 5}))
            }
            "accept_mission"
                if text("mission_id") == "iron_supply_run" && self.active.is_none() =>
            {
                self.active = Some(30);
                Ok(json!({"mission_id": "5d0e9b37", "title": "Iron Supply Run"}))
            }
            "accept_mission" => no("mission_not_found", "No such mission"),
            "complete_mission" => self.complete(&text("mission_id")),
            "captains_log_add" if text("entry").is_empty() => no(
                "empty_entry",
                "Log entry cannot be empty. Use the 'entry' parameter to provide your log text.",
            ),
            _ => Ok(json!({"message": "ok"})),
        }
    }

    fn register(&mut self, username: &str, empire: &str, code: &str) -> Answer {
        if self.home.is_some() {
            return no("already_registered", "Already have account. Use login().");
        }
        if !(3..=24).contains(&username.len()) {
            return no("invalid_username", "Username must be 3-24 characters");
        }
        let Some(home) = HOMES.iter().find(|home| home.empire == empire) else {
            return no(
                "invalid_empire",
                "Invalid empire. Choose one of:\n - solarian: ...",
            );
        };
        if code != "OFFLINE-0001" {
            return no(
                "invalid_registration_code",
                "Registration code is not valid.",
            );
        }
        if self.names_taken > 0 {
            self.names_taken -= 1;
            return no("username_taken", "Username already taken");
        }
        home.system.clone_into(&mut self.system);
        home.port.clone_into(&mut self.poi);
        self.home = Some(home);
        Ok(
            json!({"message": "Welcome", "password": "x", "player": self.player(), "ship": self.ship(), "system": self.chart()}),
        )
    }

    fn at_base(&self) -> Result<(), (&'static str, String)> {
        if self.docked {
            return Ok(());
        }
        no(
            "not_docked",
            "You must be docked at a base to perform this action.",
        )
    }

    fn leave(&mut self) -> Result<(), (&'static str, String)> {
        if self.docked && self.must_undock {
            return no("docked", "You must undock first.");
        }
        self.docked = false;
        Ok(())
    }

    fn burn(&mut self, fuel: i64) -> Result<(), (&'static str, String)> {
        if self.fuel < fuel {
            return no(
                "no_fuel",
                format!("Not enough fuel. Need {fuel}, have {}.", self.fuel),
            );
        }
        self.fuel -= fuel;
        Ok(())
    }

    fn travel(&mut self, target: &str) -> Answer {
        if !self.pois().iter().any(|(id, _, _)| id == target) {
            return no("invalid_poi", format!("Unknown destination: {target}"));
        }
        self.leave()?;
        self.burn(self.travel_cost)?;
        target.clone_into(&mut self.poi);
        Ok(json!({"action": "arrived", "poi": target, "poi_id": target, "online_players": []}))
    }

    fn jump(&mut self, target: &str) -> Answer {
        if !self.lanes().contains(&target) {
            return no(
                "not_connected",
                format!("{target} is not connected to your current system."),
            );
        }
        self.leave()?;
        self.burn(self.travel_cost + 1)?;
        target.clone_into(&mut self.system);
        self.poi = self.pois()[0].0.clone();
        Ok(json!({"action": "jumped", "system": target, "system_id": target, "poi": self.poi}))
    }

    fn dock(&mut self) -> Answer {
        if self.docked {
            return no("already_docked", "Already docked");
        }
        if self.base_id().is_none() {
            return no("no_base", "No station at this location");
        }
        self.docked = true;
        Ok(json!({"action": "dock", "base": self.base_id()}))
    }

    fn mine(&mut self) -> Answer {
        self.leave()?;
        let is_belt = self
            .pois()
            .iter()
            .any(|(id, kind, _)| *id == self.poi && *kind == "asteroid_belt");
        let is_home = self.home.is_some_and(|home| home.belt == self.poi);
        if !is_belt || (is_home && self.is_depleted) {
            return no("no_resources", "Nothing to mine here");
        }
        if self.used() >= self.hold() {
            return no("cargo_full", "Cargo hold is full");
        }
        self.pulls += 1;
        let ore = if self.pulls % 3 == 0 {
            "copper_ore"
        } else {
            "iron_ore"
        };
        let quantity = (2 + self.pulls % 4).min(self.hold() - self.used());
        *self.cargo.entry(ore.to_owned()).or_default() += quantity;
        if self.used() >= self.hold() - 2 {
            self.crowded += 1;
        }
        Ok(json!({"resource_id": ore, "quantity": quantity, "remaining": 9000}))
    }

    fn take(&mut self, item: &str, quantity: i64) -> Result<(), (&'static str, String)> {
        let held = self.cargo.get(item).copied().unwrap_or(0);
        if item.is_empty() || quantity < 1 {
            return no(
                "invalid_payload",
                "Must specify 'item_id'. Use 'view_market' to see available items.",
            );
        }
        if held < quantity {
            return no(
                "insufficient_items",
                format!(
                    "Not enough {item} in cargo. You have {held} but tried to sell {quantity}."
                ),
            );
        }
        self.cargo.insert(item.to_owned(), held - quantity);
        self.cargo.retain(|_, held| *held > 0);
        Ok(())
    }

    fn sell(&mut self, item: &str, quantity: i64) -> Answer {
        self.at_base()?;
        let price = self.quote(item, "best_buy");
        if price == 0 {
            self.take(item, quantity)?;
            self.cargo.insert(item.to_owned(), quantity);
            return Ok(
                json!({"action": "sell", "item_id": item, "quantity_sold": 0, "total_earned": 0, "unsold": quantity}),
            );
        }
        self.take(item, quantity)?;
        self.credits += price * quantity;
        Ok(
            json!({"action": "sell", "item_id": item, "quantity_sold": quantity, "total_earned": price * quantity}),
        )
    }

    fn buy(&mut self, item: &str, quantity: i64) -> Answer {
        self.at_base()?;
        let price = self.quote(item, "best_sell");
        if price == 0 {
            return no(
                "item_not_available",
                format!("No one is selling {item} at this station."),
            );
        }
        if price * quantity > self.credits {
            return no("insufficient_credits", "Too poor");
        }
        self.credits -= price * quantity;
        *self.cargo.entry(item.to_owned()).or_default() += quantity;
        Ok(
            json!({"action": "buy", "item_id": item, "quantity": quantity, "total_cost": price * quantity, "delivered_to_cargo": quantity}),
        )
    }

    fn refuel(&mut self) -> Answer {
        self.at_base()?;
        let missing = 100 - self.fuel;
        if missing == 0 {
            return no("tank_full", "Fuel tank is already full.");
        }
        if missing > self.credits {
            return no("insufficient_credits", "Too poor");
        }
        self.credits -= missing;
        self.fuel = 100;
        Ok(
            json!({"action": "refuel", "source": "station", "fuel": missing, "cost": missing, "fuel_now": 100, "fuel_max": 100}),
        )
    }

    fn complete(&mut self, id: &str) -> Answer {
        self.at_base()?;
        let Some(wanted) = self.active.filter(|_| id == "5d0e9b37") else {
            return no("mission_not_found", "No such mission");
        };
        if self.take("iron_ore", wanted).is_err() {
            return no(
                "mission_incomplete",
                format!("Objective incomplete: Deliver {wanted} Iron Ore"),
            );
        }
        self.active = None;
        self.credits += 1500;
        Ok(json!({"mission_id": id, "credits_earned": 1500}))
    }

    fn active_missions(&self) -> Value {
        self.active.iter().map(|wanted| json!({"mission_id": "5d0e9b37", "title": "Iron Supply Run", "objectives": [
            {"type": "deliver_item", "item_id": "iron_ore", "required": wanted, "completed": false, "target_base": self.home.map(|home| home.base)}]})).collect()
    }
}
