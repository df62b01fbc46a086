//! Layers: what lies over the view and has the keys.

pub mod composer;
pub mod form;
pub mod keys;
pub mod palette;
pub mod query;
pub mod question;

pub(crate) mod help;

mod actions;

use super::inspector::Inspector;
use super::text::tone::Tone;
use composer::Composer;
use form::MysisForm;
use palette::CommandPalette;
use query::Query;
use question::ConfirmDialog;

/// Something that lies over the view and has the keys.
#[derive(Clone, Debug)]
pub enum Overlay {
    /// The operator writes.
    Compose(Composer),
    /// The operator fills in a form.
    Form(Box<MysisForm>),
    /// The operator is asked.
    Confirm(ConfirmDialog),
    /// The operator writes a command.
    Palette(Box<CommandPalette>),
    /// The operator writes what to look for.
    Query(Query),
    /// The operator looks into an entry.
    Inspect(Box<Inspector>),
    /// What flew past.
    Log(LogView),
    /// What keys do, from this line on.
    Help(usize),
}

impl Overlay {
    /// The text being written.
    #[must_use]
    pub fn composer(&self) -> Option<&Composer> {
        if let Overlay::Compose(composer) = self {
            return Some(composer);
        }
        None
    }

    /// Whether it leaves the view in sight and lets the mouse through.
    #[must_use]
    pub fn is_thin(&self) -> bool {
        matches!(self, Overlay::Compose(_) | Overlay::Query(_))
    }
}

/// How the log is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogView {
    /// How many lines above the newest one the last line in sight is.
    pub back: usize,
    /// What is shown.
    pub least: LogFilter,
}

/// The least serious messages that are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFilter {
    /// All.
    #[default]
    All,
    /// Those that need attention.
    Warnings,
    /// Errors.
    Errors,
}

impl LogFilter {
    /// The next one, in the end all.
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

    /// What it is called.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            LogFilter::All => "all messages",
            LogFilter::Warnings => "warnings and errors",
            LogFilter::Errors => "errors only",
        }
    }
}
