//! Overlays: dialogs and lists over the view. The topmost one has the keys.

pub mod composer;
pub mod form;
pub mod keys;
pub mod palette;
pub mod query;
pub mod question;

pub(crate) mod help;

mod actions;

use super::books::BooksView;
use super::graphs::GraphView;
use super::inspector::Inspector;
use super::log::list::LogView;
use super::map::MapView;
use super::processes::ProcessesView;
use super::routine_editor::RoutineEditor;
use super::search::SearchView;
use composer::Composer;
use form::MysisForm;
use palette::CommandPalette;
use query::Query;
use question::ConfirmDialog;

/// A dialog or list over the view.
#[derive(Clone, Debug)]
pub enum Overlay {
    /// The composer.
    Compose(Composer),
    Form(Box<MysisForm>),
    /// A question.
    Confirm(ConfirmDialog),
    /// The palette.
    Palette(Box<CommandPalette>),
    /// The line of a search or filter.
    Query(Query),
    /// The inspector.
    Inspect(Box<Inspector>),
    /// The graphs.
    Graphs(Box<GraphView>),
    /// The books.
    Books(Box<BooksView>),
    /// A search across the swarm.
    Search(Box<SearchView>),
    /// The map.
    Map(Box<MapView>),
    /// The processes of the fleet.
    Processes(Box<ProcessesView>),
    /// The editor of a routine.
    Routine(Box<RoutineEditor>),
    /// The log.
    Log(Box<LogView>),
    /// The help screen, scrolled to this line.
    Help(usize),
}

impl Overlay {
    /// The composer, if this is one.
    #[must_use]
    pub fn composer(&self) -> Option<&Composer> {
        if let Overlay::Compose(composer) = self {
            return Some(composer);
        }
        None
    }

    /// The graphs, if these are they.
    pub fn graphs(&mut self) -> Option<&mut GraphView> {
        if let Overlay::Graphs(view) = self {
            return Some(view);
        }
        None
    }

    /// Asks again for what it waits for, because the answer may be lost.
    pub fn forget_read(&mut self) {
        match self {
            Overlay::Graphs(view) => view.forget_read(),
            Overlay::Books(view) => view.forget_read(),
            Overlay::Search(view) => view.forget_read(),
            Overlay::Map(view) => view.forget_read(),
            Overlay::Processes(view) => view.forget_read(),
            Overlay::Compose(_)
            | Overlay::Form(_)
            | Overlay::Confirm(_)
            | Overlay::Palette(_)
            | Overlay::Query(_)
            | Overlay::Inspect(_)
            | Overlay::Routine(_)
            | Overlay::Log(_)
            | Overlay::Help(_) => {}
        }
    }

    /// The map, if this is it.
    pub fn map(&mut self) -> Option<&mut MapView> {
        if let Overlay::Map(view) = self {
            return Some(view);
        }
        None
    }

    /// The list of processes, if this is it.
    pub fn processes(&mut self) -> Option<&mut ProcessesView> {
        if let Overlay::Processes(view) = self {
            return Some(view);
        }
        None
    }

    /// The log, if this is it.
    pub fn log(&mut self) -> Option<&mut LogView> {
        if let Overlay::Log(view) = self {
            return Some(view);
        }
        None
    }

    /// Whether the view stays visible and clickable behind it.
    #[must_use]
    pub fn is_thin(&self) -> bool {
        matches!(self, Overlay::Compose(_) | Overlay::Query(_))
    }
}
