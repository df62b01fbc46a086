//! The list of all views. From here the hints, the help, the settings of keys and the palette have them.

pub mod waits;

use std::sync::LazyLock;

use super::keys::Binding;
use super::toolkit::view::{Opening, ViewSpec};
use super::{books, graphs, help, inspector, log, map, processes, routine_editor, search};

/// All views, in the order of the hints and the help.
pub const VIEWS: &[ViewSpec] = &[
    inspector::SPEC,
    graphs::SPEC,
    books::SPEC,
    search::SPEC,
    map::SPEC,
    processes::SPEC,
    waits::SPEC,
    routine_editor::SPEC,
    log::actions::SPEC,
    log::actions::WHOLE_SPEC,
    help::SPEC,
];

pub static OPENING_KEYS: LazyLock<Vec<Binding<Opening>>> =
    LazyLock::new(|| VIEWS.iter().filter_map(|view| view.opening).collect());
