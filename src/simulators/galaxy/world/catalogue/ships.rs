//! Ship classes: the five starter ships.

use serde::Deserialize;

use super::{super::empire::Empire, CATALOGUE};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShipClass {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) empire: Empire,
    pub(crate) description: String,
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
    pub(crate) modules: Vec<String>,
}

impl ShipClass {
    pub(crate) fn starter(empire: Empire) -> &'static Self {
        Self::all()
            .find(|class| class.empire == empire)
            .expect("each empire has a starter ship; a test walks them all")
    }

    pub(crate) fn all() -> impl Iterator<Item = &'static Self> {
        CATALOGUE.ships.iter()
    }
}

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
