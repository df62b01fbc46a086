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
use super::map::MapView;
use super::search::SearchView;
use super::text::tone::Tone;
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
    /// The message log.
    Log(LogView),
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
            Overlay::Compose(_)
            | Overlay::Form(_)
            | Overlay::Confirm(_)
            | Overlay::Palette(_)
            | Overlay::Query(_)
            | Overlay::Inspect(_)
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

    /// Whether the view stays visible and clickable behind it.
    #[must_use]
    pub fn is_thin(&self) -> bool {
        matches!(self, Overlay::Compose(_) | Overlay::Query(_))
    }
}

/// The position and filter of the message log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogView {
    /// How many lines the log is scrolled up from its end.
    pub back: usize,
    /// The severity filter.
    pub least: LogFilter,
}

/// The least severity that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFilter {
    /// All messages.
    #[default]
    All,
    /// Warnings and errors.
    Warnings,
    /// Errors.
    Errors,
}

impl LogFilter {
    /// The next filter, in a cycle.
    #[must_use]
    pub fn next(self) -> LogFilter {
        match self {
            LogFilter::All => LogFilter::Warnings,
            LogFilter::Warnings => LogFilter::Errors,
            LogFilter::Errors => LogFilter::All,
        }
    }

    /// Whether a message is shown.
    #[must_use]
    pub fn shows(self, tone: Tone) -> bool {
        let is_error = matches!(tone, Tone::Fault | Tone::Errored);
        match self {
            LogFilter::All => true,
            LogFilter::Warnings => is_error || tone == Tone::Warning,
            LogFilter::Errors => is_error,
        }
    }

    /// The word that the screen shows.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            LogFilter::All => "all messages",
            LogFilter::Warnings => "warnings and errors",
            LogFilter::Errors => "errors only",
        }
    }
}
