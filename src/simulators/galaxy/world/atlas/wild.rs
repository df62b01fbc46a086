//! The places of a generated system.

use fastrand::Rng;

use super::{Atlas, AtlasPoi, CatalogueItem, Deposit, PoiKind, Position, SystemIx};

/// Gives a generated system a star, some planets and, with luck, deposits.
pub(super) fn furnish_unnamed(atlas: &mut Atlas, system: SystemIx, mut roll: Rng) {
    let described = atlas.system(system);
    let (id, name) = (described.id.clone(), described.name.clone());
    let is_lawless = described.police_level == 0;
    let description = match (described.is_stronghold, is_lawless) {
        (true, _) => format!("Pirates hold {name}."),
        (false, true) => format!("{name} lies beyond the reach of any police."),
        (false, false) => format!("{name} is patrolled from the capital."),
    };
    atlas.set_description(system, description);
    for find in roll_places(&name, is_lawless, &mut roll) {
        let poi = AtlasPoi {
            id: format!("{id}_{}", find.suffix),
            name: find.name,
            description: String::new(),
            kind: find.kind,
            system,
            position: find.at,
            class: find.class,
            base: None,
            deposits: find.deposits,
        };
        atlas.add_poi(poi);
    }
}

struct WildPlace {
    suffix: String,
    name: String,
    kind: PoiKind,
    at: Position,
    class: Option<&'static str>,
    deposits: Vec<Deposit>,
}

impl WildPlace {
    fn new(suffix: &str, name: String, kind: PoiKind, at: Position) -> Self {
        Self {
            suffix: suffix.to_owned(),
            name,
            kind,
            at,
            class: None,
            deposits: Vec::new(),
        }
    }
}

fn roll_places(name: &str, is_lawless: bool, roll: &mut Rng) -> Vec<WildPlace> {
    const PLANET_CLASSES: [&str; 5] = ["terran", "desert", "ocean", "barren", "gas_giant"];
    let centre = Position { x: 0.0, y: 0.0 };
    let mut finds = vec![WildPlace::new(
        "star",
        name.to_owned(),
        PoiKind::Sun,
        centre,
    )];
    for (number, numeral) in ["I", "II", "III"].iter().enumerate().take(roll.usize(..4)) {
        let (suffix, title) = (
            format!("planet_{}", number + 1),
            format!("{name} {numeral}"),
        );
        finds.push(WildPlace {
            class: Some(PLANET_CLASSES[roll.usize(..PLANET_CLASSES.len())]),
            ..WildPlace::new(&suffix, title, PoiKind::Planet, random_spot(roll, 1.0))
        });
    }
    if roll.u8(..10) < 6 {
        let at = random_spot(roll, 2.0);
        finds.push(WildPlace {
            deposits: belt_deposits(roll, is_lawless),
            ..WildPlace::new("belt", format!("{name} Belt"), PoiKind::AsteroidBelt, at)
        });
    }
    if roll.u8(..10) < 3 {
        let at = random_spot(roll, 3.0);
        finds.push(WildPlace {
            deposits: vec![random_deposit(roll, "hydrogen_gas", 30_000)],
            ..WildPlace::new("gas_cloud", format!("{name} Cloud"), PoiKind::GasCloud, at)
        });
    }
    if roll.u8(..10) < 3 {
        let at = random_spot(roll, 4.0);
        finds.push(WildPlace {
            deposits: vec![
                random_deposit(roll, "water_ice", 30_000),
                random_deposit(roll, "nitrogen_ice", 12_000),
            ],
            ..WildPlace::new(
                "ice_field",
                format!("{name} Ice Field"),
                PoiKind::IceField,
                at,
            )
        });
    }
    if roll.u8(..100) < 4 {
        let at = random_spot(roll, 4.0);
        finds.push(WildPlace::new(
            "relic",
            format!("{name} Relic"),
            PoiKind::Relic,
            at,
        ));
    }
    finds
}

/// A random position between this distance from the star and the rim at 6 units.
fn random_spot(roll: &mut Rng, from: f64) -> Position {
    let mut coordinate = || (roll.f64() * (6.0 - from) * 10.0).round() / 10.0;
    Position {
        x: from + coordinate() / 2.0,
        y: coordinate() / 2.0,
    }
}

/// The deposits of a belt: common ore everywhere, expensive ore only without police.
fn belt_deposits(roll: &mut Rng, is_lawless: bool) -> Vec<Deposit> {
    const COMMON_ORES: [&str; 7] = [
        "iron_ore",
        "copper_ore",
        "lead_ore",
        "carbon_ore",
        "aluminum_ore",
        "silicon_ore",
        "nickel_ore",
    ];
    const DEAR_ORES: [&str; 9] = [
        "lithium_ore",
        "vanadium_ore",
        "titanium_ore",
        "cobalt_ore",
        "silver_ore",
        "tungsten_ore",
        "gold_ore",
        "iridium_ore",
        "platinum_ore",
    ];
    let mut common = COMMON_ORES;
    let mut dear = DEAR_ORES;
    roll.shuffle(&mut common);
    roll.shuffle(&mut dear);
    let kinds = roll.usize(1..=3);
    let mut deposits: Vec<Deposit> = common[..kinds]
        .iter()
        .map(|ore| random_deposit(roll, ore, 40_000))
        .collect();
    if is_lawless {
        let kinds = roll.usize(1..=2);
        deposits.extend(
            dear[..kinds]
                .iter()
                .map(|ore| random_deposit(roll, ore, 8_000)),
        );
    }
    deposits
}

fn random_deposit(roll: &mut Rng, item: &str, about: u64) -> Deposit {
    Deposit {
        item: CatalogueItem::known(item),
        richness: roll.u64(10..=80),
        full: about / 2 + roll.u64(0..about),
    }
}
