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
use strum::EnumTryAs;

#[derive(Clone, Debug, EnumTryAs)]
pub enum Overlay {
    Compose(Composer),
    Form(Box<MysisForm>),
    Confirm(ConfirmDialog),
    Palette(Box<CommandPalette>),
    Query(Query),
    View(Box<dyn View>),
}

impl Overlay {
    /// Whether what is below stays visible and clickable.
    pub fn is_thin(&self) -> bool {
        matches!(self, Overlay::Compose(_) | Overlay::Query(_))
    }
}
