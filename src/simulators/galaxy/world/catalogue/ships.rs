//! Ship classes: the five starter ships.

use super::super::empire::Empire;

/// The figures of a ship class.
#[derive(Debug)]
pub(crate) struct ShipClass {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) empire: Empire,
    pub(crate) description: &'static str,
    pub(crate) hull: u64,
    pub(crate) shield: u64,
    pub(crate) shield_recharge: u64,
    pub(crate) armor: u64,
    pub(crate) speed: u64,
    pub(crate) fuel: u64,
    pub(crate) cargo: u64,
    pub(crate) cpu: u64,
    pub(crate) power: u64,
    /// The numbers of weapon, defense and utility slots.
    pub(crate) slots: [u64; 3],
    pub(crate) modules: &'static [&'static str],
}

impl ShipClass {
    /// The ship of an empire's new players.
    pub(crate) fn starter(empire: Empire) -> &'static Self {
        match empire {
            Empire::Solarian => &SHIPS[0],
            Empire::Voidborn => &SHIPS[1],
            Empire::Crimson => &SHIPS[2],
            Empire::Nebula => &SHIPS[3],
            Empire::Outerrim => &SHIPS[4],
        }
    }

    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        SHIPS.iter()
    }
}

static SHIPS: [ShipClass; 5] = [
    ShipClass {
        id: "theoria",
        name: "Theoria",
        empire: Empire::Solarian,
        description: "Solarian starting hull.",
        hull: 100,
        shield: 55,
        shield_recharge: 1,
        armor: 5,
        speed: 1,
        fuel: 100,
        cargo: 70,
        cpu: 16,
        power: 28,
        slots: [1, 1, 3],
        modules: &["mining_laser_i", "pulse_laser_i"],
    },
    ShipClass {
        id: "threshold",
        name: "Threshold",
        empire: Empire::Voidborn,
        description: "Voidborn starting hull.",
        hull: 75,
        shield: 80,
        shield_recharge: 2,
        armor: 3,
        speed: 1,
        fuel: 95,
        cargo: 65,
        cpu: 16,
        power: 30,
        slots: [1, 2, 2],
        modules: &["mining_laser_i", "em_disruptor_i"],
    },
    ShipClass {
        id: "shard",
        name: "Shard",
        empire: Empire::Crimson,
        description: "Crimson starting hull.",
        hull: 110,
        shield: 40,
        shield_recharge: 1,
        armor: 8,
        speed: 1,
        fuel: 90,
        cargo: 60,
        cpu: 12,
        power: 28,
        slots: [2, 1, 1],
        modules: &["mining_laser_i", "autocannon_i", "autocannon_i"],
    },
    ShipClass {
        id: "prospect",
        name: "Prospect",
        empire: Empire::Nebula,
        description: "Nebula starting hull.",
        hull: 95,
        shield: 50,
        shield_recharge: 1,
        armor: 4,
        speed: 1,
        fuel: 130,
        cargo: 100,
        cpu: 13,
        power: 26,
        slots: [1, 1, 2],
        modules: &["mining_laser_i", "pulse_laser_i"],
    },
    ShipClass {
        id: "cobble",
        name: "Cobble",
        empire: Empire::Outerrim,
        description: "Outer Rim starting hull.",
        hull: 80,
        shield: 35,
        shield_recharge: 1,
        armor: 3,
        speed: 2,
        fuel: 120,
        cargo: 75,
        cpu: 12,
        power: 24,
        slots: [1, 1, 2],
        modules: &["mining_laser_i", "autocannon_i"],
    },
];

#[cfg(test)]
mod tests {
    use super::{super::modules::ModuleSpec, *};

    #[test]
    fn every_class_has_room_for_what_it_carries() {
        for empire in Empire::ALL {
            let class = ShipClass::starter(empire);
            assert_eq!(class.empire, empire);
            let fitted: Vec<_> = class
                .modules
                .iter()
                .map(|id| ModuleSpec::known(id))
                .collect();
            assert!(fitted.iter().map(|module| module.cpu).sum::<u64>() <= class.cpu);
            assert!(fitted.iter().map(|module| module.power).sum::<u64>() <= class.power);
            assert!(fitted.iter().all(|module| !module.name().is_empty()));
        }
    }
}
