//! Tests: a galaxy that is killed and rebuilt has everything that was recorded.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{
    frontend::{CallReply, ConnectionId, Frontend, GameCall, SessionRules},
    limits::GalaxyLimits,
};

const NOW: Duration = Duration::from_secs(1);

/// A frontend whose records are journalled, as the server does it.
struct Kept {
    frontend: Frontend,
    journal: Journal,
}

impl Kept {
    fn open(dir: &Path) -> anyhow::Result<Self> {
        let (world, journal) = Journal::open(dir, None, WorldRules::new)?;
        let rules = WorldRules::new(world.seed());
        let frontend = Frontend::new(world, &rules, GalaxyLimits::NONE, SessionRules::default());
        Ok(Self { frontend, journal })
    }

    fn call(&mut self, connection: ConnectionId, tool: &str, arguments: Value) -> Option<Value> {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object")
        };
        let call = GameCall {
            tool: tool.to_owned(),
            arguments,
            name: None,
        };
        let served = self.frontend.serve_call(connection, call, NOW);
        let now = self.frontend.world().now();
        self.journal.append(now, &served.records).unwrap();
        match served.reply {
            CallReply::Now(answer) => answer.ok(),
            CallReply::Later(_) => None,
        }
    }

    fn tick(&mut self) {
        let ticked = self.frontend.tick();
        let now = self.frontend.world().now();
        self.journal.append(now, &ticked.records).unwrap();
    }

    /// The state that a restart has to restore: the world with nobody logged in.
    fn lasting(&self) -> String {
        let mut world = World::load(
            WorldRules::new(self.frontend.world().seed()),
            &self.frontend.world().save(),
        )
        .unwrap();
        world.everybody_leaves();
        world.save()
    }
}

fn register(kept: &mut Kept, connection: ConnectionId, name: &str) {
    let arguments = json!({ "username": name, "empire": "solarian", "registration_code": "CODE" });
    assert!(kept.call(connection, "register", arguments).is_some());
}

fn newest_segment(dir: &Path) -> PathBuf {
    replay::segment_path(dir, *replay::segment_numbers(dir).unwrap().last().unwrap())
}

#[test]
fn a_killed_galaxy_comes_back_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let mut kept = Kept::open(dir.path()).unwrap();
    register(&mut kept, 1, "Ann");
    register(&mut kept, 2, "Ben");
    kept.call(1, "captains_log_add", json!({ "entry": "the belt pays" }));
    kept.call(1, "travel", json!({ "target_poi": "main_belt" }));
    kept.call(
        2,
        "accept_mission",
        json!({ "mission_id": "iron_supply_run" }),
    );
    for _ in 0..8 {
        kept.tick();
    }
    for _ in 0..5 {
        kept.call(1, "mine", json!({}));
        kept.call(2, "sell", json!({ "item_id": "iron_ore", "quantity": 1 }));
        kept.call(2, "chat", json!({ "channel": "system", "content": "hi" }));
        kept.tick();
    }
    kept.call(1, "travel", json!({ "target_poi": "sol_central" }));
    kept.tick();
    kept.call(2, "logout", json!({}));
    let before = kept.lasting();
    drop(kept);
    let again = Kept::open(dir.path()).unwrap();
    assert_eq!(again.lasting(), before);
    assert_eq!(again.frontend.world().online(), 0);
    drop(again);
    assert_eq!(
        Kept::open(dir.path()).unwrap().lasting(),
        before,
        "and once more"
    );
}

#[test]
fn an_unfinished_line_is_cut_off_and_a_damaged_one_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut kept = Kept::open(dir.path()).unwrap();
    register(&mut kept, 1, "Ann");
    let before = kept.lasting();
    drop(kept);
    let path = newest_segment(dir.path());
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("{whole}{{\"tick\":270001,\"pla")).unwrap();
    assert_eq!(Kept::open(dir.path()).unwrap().lasting(), before);
    let path = newest_segment(dir.path());
    fs::write(&path, format!("{{\"tick\":270000}}\nnonsense\n{whole}")).unwrap();
    let words = format!("{:#}", Kept::open(dir.path()).err().unwrap());
    assert!(
        words.contains(", line 2; put a copy of the data directory back"),
        "{words}"
    );
}

#[test]
fn a_damaged_snapshot_and_a_wrong_seed_say_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    drop(Kept::open(dir.path()).unwrap());
    let words = Journal::open(dir.path(), Some(7), WorldRules::new).unwrap_err();
    let words = format!("{words:#}");
    assert!(
        words.contains("made with seed 1, not with seed 7; give that seed"),
        "{words}"
    );
    fs::write(dir.path().join("snapshot.json"), "{\"format\":1,").unwrap();
    let words = format!("{:#}", Kept::open(dir.path()).err().unwrap());
    assert!(
        words.contains("move") && words.contains("to begin a new galaxy"),
        "{words}"
    );
}

#[test]
fn two_galaxies_do_not_share_a_directory() {
    let dir = tempfile::tempdir().unwrap();
    let first = Kept::open(dir.path()).unwrap();
    let words = format!("{:#}", Kept::open(dir.path()).err().unwrap());
    assert!(words.starts_with("another galaxy uses"), "{words}");
    drop(first);
    assert!(Kept::open(dir.path()).is_ok());
}

#[test]
fn files_are_private_and_do_not_pile_up() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut kept = Kept::open(&data).unwrap();
    for _ in 0..3 {
        kept.tick();
        kept.journal.take_snapshot(kept.frontend.world()).unwrap();
    }
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(&data).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
        names.push(path.file_name().unwrap().to_str().unwrap().to_owned());
    }
    names.sort();
    assert_eq!(
        names,
        ["galaxy.lock", "journal-000005.jsonl", "snapshot.json"]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn every_play_is_rebuilt(steps in proptest::collection::vec((0_u64..3, 0_usize..12, 0_u64..3), 1..60)) {
        let dir = tempfile::tempdir().unwrap();
        let mut kept = Kept::open(dir.path()).unwrap();
        for connection in 0..3 {
            register(&mut kept, connection, &format!("Pilot {connection}"));
        }
        for (connection, choice, ticks) in steps {
            let (tool, arguments) = match choice {
                0 | 1 => ("travel", json!({ "target_poi": "main_belt" })),
                2 | 3 => ("travel", json!({ "target_poi": "sol_central" })),
                4..=6 => ("mine", json!({})),
                7 => ("sell", json!({ "item_id": "iron_ore", "quantity": 2 })),
                8 => ("dock", json!({})),
                9 => ("jump", json!({ "target_system": "sirius" })),
                10 => ("chat", json!({ "channel": "local", "content": "hm" })),
                _ => ("accept_mission", json!({ "mission_id": "first_haul" })),
            };
            kept.call(connection, tool, arguments);
            for _ in 0..ticks {
                kept.tick();
            }
        }
        let before = kept.lasting();
        drop(kept);
        prop_assert_eq!(Kept::open(dir.path()).unwrap().lasting(), before);
    }
}
