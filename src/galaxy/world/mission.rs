//! Missions: what stations ask for, and how far a pilot has got with it.

mod templates;

use serde::{Deserialize, Serialize};

use super::{
    atlas::{Atlas, BaseIx},
    calendar::DAY,
    catalogue::{Item, Skill},
    id::Id,
};

/// Missions that a pilot may have at once.
pub(super) const MOST_ACTIVE: usize = 5;

/// A mission as stations offer it.
#[derive(Debug)]
pub(super) struct Template {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) kind: &'static str,
    pub(super) difficulty: u64,
    /// Name and title of who asks.
    pub(super) giver: (&'static str, &'static str),
    pub(super) task: Task,
    pub(super) credits: u64,
    pub(super) skill: Skill,
    pub(super) xp: u64,
    pub(super) dialog: Dialog,
    pub(super) is_repeatable: bool,
    pub(super) chain_next: Option<&'static str>,
}

/// What has to be done.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    /// Bring so many of an item to the station that asked.
    Deliver(&'static str, u64),
    /// Bring up so many units of anything.
    Mine(u64),
    /// Sell so many units of anything.
    Sell(u64),
    /// Enter so many systems for the first time.
    Survey(u64),
}

/// What the giver says.
#[derive(Debug)]
pub(super) struct Dialog {
    pub(super) offer: &'static str,
    pub(super) accept: &'static str,
    pub(super) decline: &'static str,
    pub(super) complete: &'static str,
}

/// Something a pilot did that a mission may count.
#[derive(Clone, Copy, Debug)]
pub(super) enum Deed {
    Mined(u64),
    Sold(u64),
    Surveyed,
}

/// A template by its id, so that it can be saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
struct Named(usize);

/// A mission that a pilot has accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Active {
    pub(super) id: Id,
    template: Named,
    pub(super) base: BaseIx,
    pub(super) accepted: u64,
    /// Of deeds; deliveries are counted when somebody looks.
    pub(super) done: u64,
}

/// A mission that a pilot has completed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Completed {
    template: Named,
    pub(super) at: u64,
}

impl Template {
    /// What this base offers: deliveries only of what its own system's belts give.
    pub(super) fn offered(atlas: &Atlas, base: BaseIx) -> impl Iterator<Item = &'static Self> {
        templates::ALL
            .iter()
            .filter(move |template| template.is_offered(atlas, base))
    }

    /// Whether a pilot who has completed these may take it (again).
    pub(super) fn is_open_to(&self, completed: &[Completed]) -> bool {
        self.is_repeatable || completed.iter().all(|done| done.template().id != self.id)
    }

    fn named(&self) -> Named {
        let at = templates::ALL
            .iter()
            .position(|template| template.id == self.id);
        Named(at.expect("templates exist in the table only"))
    }

    fn is_offered(&self, atlas: &Atlas, base: BaseIx) -> bool {
        let base = atlas.base(base);
        match self.task {
            Task::Deliver(item, _) => {
                let system = atlas.system(atlas.poi(base.poi).system);
                let mut pois = system.pois.iter().map(|poi| atlas.poi(*poi));
                let item = Item::known(item);
                base.is_home && pois.any(|poi| poi.deposits.iter().any(|found| found.item == item))
            }
            Task::Mine(_) => base.is_home,
            Task::Sell(_) | Task::Survey(_) => true,
        }
    }
}

impl Task {
    /// How many of whatever it counts.
    pub(super) fn required(self) -> u64 {
        match self {
            Self::Deliver(_, count)
            | Self::Mine(count)
            | Self::Sell(count)
            | Self::Survey(count) => count,
        }
    }

    pub(super) fn item(self) -> Option<Item> {
        match self {
            Self::Deliver(item, _) => Some(Item::known(item)),
            Self::Mine(_) | Self::Sell(_) | Self::Survey(_) => None,
        }
    }

    /// The objective's type on the wire.
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Deliver(..) => "deliver_item",
            Self::Mine(_) => "mine_resource",
            Self::Sell(_) => "sell_items",
            Self::Survey(_) => "visit_systems",
        }
    }

    pub(super) fn describe(self) -> String {
        match self {
            Self::Deliver(item, count) => format!("Deliver {count} {}", Item::known(item).name()),
            Self::Mine(count) => format!("Mine {count} units of any resource"),
            Self::Sell(count) => format!("Sell {count} units of anything"),
            Self::Survey(count) => format!("Visit {count} systems that are new to you"),
        }
    }
}

impl Active {
    pub(super) fn new(id: Id, template: &Template, base: BaseIx, now: u64) -> Self {
        Self {
            id,
            template: template.named(),
            base,
            accepted: now,
            done: 0,
        }
    }

    pub(super) fn template(&self) -> &'static Template {
        self.template.template()
    }

    /// By its own id, or by its template's.
    pub(super) fn is_called(&self, id: &str) -> bool {
        self.template().id == id || self.id.to_string() == id
    }

    pub(super) fn expires(&self) -> u64 {
        self.accepted + DAY
    }

    pub(super) fn count(&mut self, deed: Deed) {
        match (self.template().task, deed) {
            (Task::Mine(_), Deed::Mined(count)) | (Task::Sell(_), Deed::Sold(count)) => {
                self.done += count;
            }
            (Task::Survey(_), Deed::Surveyed) => self.done += 1,
            (
                Task::Deliver(..) | Task::Mine(_) | Task::Sell(_) | Task::Survey(_),
                Deed::Mined(_) | Deed::Sold(_) | Deed::Surveyed,
            ) => {}
        }
    }
}

impl Completed {
    pub(super) fn new(template: &Template, at: u64) -> Self {
        Self {
            template: template.named(),
            at,
        }
    }

    pub(super) fn template(&self) -> &'static Template {
        self.template.template()
    }
}

impl Named {
    fn template(self) -> &'static Template {
        &templates::ALL[self.0]
    }
}

impl From<Named> for String {
    fn from(named: Named) -> Self {
        named.template().id.to_owned()
    }
}

impl TryFrom<String> for Named {
    type Error = String;

    fn try_from(id: String) -> Result<Self, Self::Error> {
        let at = templates::ALL.iter().position(|template| template.id == id);
        at.map(Self)
            .ok_or_else(|| format!("unknown mission `{id}`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{dice::Dice, empire::Empire};

    #[test]
    fn every_home_wants_iron_and_templates_are_sound() {
        let atlas = Atlas::new(Dice::new(1));
        for empire in Empire::ALL {
            let offered: Vec<&str> = Template::offered(&atlas, atlas.home_base(empire))
                .map(|template| template.id)
                .collect();
            assert!(offered.contains(&"iron_supply_run"), "{empire:?}");
        }
        for template in templates::ALL {
            assert_eq!(
                Named::try_from(template.id.to_owned()),
                Ok(template.named())
            );
            assert!(template.task.required() > 0);
            let next = template
                .chain_next
                .map(|next| Named::try_from(next.to_owned()));
            assert!(next.is_none_or(|next| next.is_ok()));
            if let Some(item) = template.task.item() {
                assert!(item.value() > 0);
            }
        }
    }
}
