//! Layers over the table and the conversation: dialogs, and views. The topmost one has the keys.

pub mod composer;
pub mod form;
pub mod keys;
pub mod palette;
pub mod query;
pub mod question;

pub mod layers;

pub(super) mod writing;

mod actions;

use super::toolkit::view::View;
use composer::Composer;
use form::MysisForm;
use palette::CommandPalette;
use query::Query;
use question::ConfirmDialog;

#[derive(Clone, Debug)]
pub enum Overlay {
    Compose(Composer),
    Form(Box<MysisForm>),
    Confirm(ConfirmDialog),
    Palette(Box<CommandPalette>),
    Query(Query),
    View(Box<dyn View>),
}

impl Overlay {
    #[must_use]
    pub fn composer(&self) -> Option<&Composer> {
        if let Overlay::Compose(composer) = self {
            return Some(composer);
        }
        None
    }

    #[must_use]
    pub fn view(&self) -> Option<&dyn View> {
        if let Overlay::View(view) = self {
            return Some(&**view);
        }
        None
    }

    pub fn view_mut(&mut self) -> Option<&mut dyn View> {
        if let Overlay::View(view) = self {
            return Some(&mut **view);
        }
        None
    }

    /// Whether what is below stays visible and clickable.
    #[must_use]
    pub fn is_thin(&self) -> bool {
        matches!(self, Overlay::Compose(_) | Overlay::Query(_))
    }
}
