//! Layers: what lies over the view and has the keys.

use super::composer::Composer;
use super::form::Form;
use super::inspector::Inspector;
use super::palette::Palette;
use super::query::Query;
use super::question::Question;
use super::tone::Tone;

/// Something that lies over the view and has the keys.
#[derive(Clone, Debug)]
pub enum Overlay {
    /// The operator writes.
    Compose(Composer),
    /// The operator fills in a form.
    Form(Box<Form>),
    /// The operator is asked.
    Question(Question),
    /// The operator writes a command.
    Palette(Box<Palette>),
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
    pub least: Least,
}

/// The least serious messages that are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Least {
    /// All.
    #[default]
    All,
    /// Those that need attention.
    Warnings,
    /// Errors.
    Errors,
}

impl Least {
    /// The next one, in the end all.
    #[must_use]
    pub fn next(self) -> Least {
        match self {
            Least::All => Least::Warnings,
            Least::Warnings => Least::Errors,
            Least::Errors => Least::All,
        }
    }

    /// Whether a message is shown.
    #[must_use]
    pub fn shows(self, tone: Tone) -> bool {
        let is_error = matches!(tone, Tone::Fault | Tone::Errored);
        match self {
            Least::All => true,
            Least::Warnings => is_error || tone == Tone::Warning,
            Least::Errors => is_error,
        }
    }

    /// What it is called.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Least::All => "all messages",
            Least::Warnings => "warnings and errors",
            Least::Errors => "errors only",
        }
    }
}
