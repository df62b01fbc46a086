//! `[routines]`: what the runtime does with rounds that Myses repeat.

use zoea_domain::routine::{CircleMode, RoutineRules};

use super::rule::one_of;
use super::section::Section;
use super::table::{ReadSection, read_keys};

impl ReadSection for RoutineRules {
    fn read_section(section: &mut Section<'_, '_>, _: &[String]) -> Self {
        read_keys! { section;
            /// A round that earned three times in a row can go on as a routine, without the model. "offer": model and
            /// you are told how to start it; "auto": it begins by itself with the next turn; "off": nothing is told.
            /// Routines that a model or you write can be started in any case.
            default mode = "offer", one_of([
                ("offer", CircleMode::Offer),
                ("auto", CircleMode::Auto),
                ("off", CircleMode::Off),
            ]);
        }
        Self { mode }
    }
}
