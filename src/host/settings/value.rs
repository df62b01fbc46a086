//! `[value]`: the parking of Myses that cost more than they bring.

use zoea_domain::rules::ValueRules;

use super::rule::{hours_of_a_week, whole_number_from};
use super::section::Section;
use super::table::{ReadSection, read_keys};

impl ReadSection for ValueRules {
    fn read_section(section: &mut Section<'_, '_>, _: &[String]) -> Self {
        read_keys! { section;
            /// A Mysis that brings fewer credits for a US dollar is parked until you send it something. Never one
            /// whose credits, or the price of one of whose calls, are not known. Left out: none is parked for that.
            optional park_below = 2000, whole_number_from(1..);
            /// The time over which credits and dollars are counted, from the start of the program and from your last
            /// order on, 10m to 7days.
            default window = "6h", hours_of_a_week();
        }
        Self { park_below, window }
    }
}
