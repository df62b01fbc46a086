//! The roles of the configuration, with the routines in the home that they offer.

use std::path::Path;
use std::sync::Arc;

use actors::domain::role::{RoleBook, RoleRoutine, RoleRules};
use serde_json::{Map, Value};
use zoea_settings::{RoleSettings, Settings};
use zoea_system::files;

use crate::host::home::Home;

const MAX_ROUTINE_BYTES: u64 = 64 << 10;

pub(super) fn role_book(settings: &Settings, home: &Home) -> RoleBook {
    let folder = home.routines();
    let roles = settings.roles.iter();
    let myses = settings.myses.iter();
    RoleBook {
        roles: roles
            .map(|(name, role)| (name.as_str().into(), Arc::new(role_rules(role, &folder))))
            .collect(),
        default: settings.swarm.rules.roles.default.clone(),
        myses: myses
            .filter_map(|mysis| Some((mysis.name.as_str().into(), mysis.role.clone()?)))
            .collect(),
    }
}

fn role_rules(role: &RoleSettings, folder: &Path) -> RoleRules {
    let routines = role.routines.iter().map(|name| RoleRoutine {
        name: name.as_str().into(),
        text: read_routine(&folder.join(format!("{name}.json"))),
    });
    RoleRules {
        routines: routines.collect(),
        ..role.rules.clone()
    }
}

/// The text of a routine, or why it cannot be read.
fn read_routine(file: &Path) -> Result<Arc<str>, Arc<str>> {
    let text = files::read_text(file, MAX_ROUTINE_BYTES)
        .map_err(|error| Arc::from(format!("{}: {error}", file.display())))?;
    match serde_json::from_str::<Map<String, Value>>(&text) {
        Ok(_) => Ok(text.into()),
        Err(error) => Err(format!("{}: {error}", file.display()).into()),
    }
}
