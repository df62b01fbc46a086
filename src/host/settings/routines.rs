//! `[routines]`: what the runtime does with rounds that Myses repeat.

use zoea_domain::routine::{CircleMode, RoutineRules};

use super::rule::one_of;
use super::section::Section;
use super::table::{ReadSection, read_keys};

impl ReadSection for RoutineRules {
    fn read_section(section: &mut Section<'_, '_>, _: &[String]) -> Self {
        read_keys! { section;
            /// What happens with a round that earned three times in a row and can go on as a routine, without the
            /// model. "offer": you and the model get a notice with its name; "auto": it begins with the next turn;
            /// "off": nothing. Routines that you or a model write can always be started.
            default mode = "offer", one_of([
                ("offer", CircleMode::Offer),
                ("auto", CircleMode::Auto),
                ("off", CircleMode::Off),
            ]);
        }
        Self { mode }
    }
}
