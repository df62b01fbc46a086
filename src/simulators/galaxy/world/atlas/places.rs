//! The places of a system: described by hand where captures name them, generated elsewhere.

use super::{
    Atlas, AtlasPoi, Base, BaseIx, CatalogueItem, Deposit, Dice, Position, SystemIx, atlas_index,
    home, named::NamedPlace, outposts, wild,
};

/// Gives a system its places.
pub(super) fn furnish_system(atlas: &mut Atlas, system: SystemIx, dice: Dice) {
    let id = atlas.system(system).id.clone();
    let roll = dice.roll("places", &[u64::from(system.0)]);
    match home::home_places(&id) {
        Some((description, places)) => {
            atlas.set_description(system, description.to_owned());
            for place in places {
                add_named(atlas, system, place);
            }
        }
        None => wild::furnish_unnamed(atlas, system, roll),
    }
    for (_, place) in outposts::ALL.iter().filter(|(at, _)| *at == id) {
        add_named(atlas, system, place);
    }
}

fn add_named(atlas: &mut Atlas, system: SystemIx, place: &NamedPlace) {
    let deposits = place
        .deposits
        .iter()
        .map(|(item, richness, full)| Deposit {
            item: CatalogueItem::known(item),
            richness: *richness,
            full: *full,
        })
        .collect();
    let poi = atlas.add_poi(AtlasPoi {
        id: place.id.to_owned(),
        name: place.name.to_owned(),
        description: place.description.to_owned(),
        kind: place.kind,
        system,
        position: Position {
            x: place.at.0,
            y: place.at.1,
        },
        class: place.class,
        base: None,
        deposits,
    });
    let Some(base) = &place.base else {
        return;
    };
    let (empire, police_level) = {
        let system = atlas.system(system);
        (system.empire, system.police_level)
    };
    atlas.pois[usize::from(poi.0)].base = Some(BaseIx(atlas_index(atlas.bases.len())));
    atlas.bases.push(Base {
        id: base.id.to_owned(),
        name: base.name.to_owned(),
        description: base.description.to_owned(),
        poi,
        empire,
        defense_level: police_level,
        is_home: base.is_home,
    });
}
