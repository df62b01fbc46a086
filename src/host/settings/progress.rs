//! `[progress]`: the detection of Myses without progress.

use zoea_domain::rules::ProgressRules;

use super::rule::{duration, on_or_off, provider_name, whole_number};
use super::section::Section;
use super::table::{ReadSection, read_keys};

impl ReadSection for ProgressRules {
    fn read_section(section: &mut Section<'_, '_>, providers: &[String]) -> Self {
        read_keys! { section;
            /// "off": no Mysis is watched.
            default watch = "on", on_or_off();
            /// Turns with tool calls in which neither credits nor cargo, places, missions or skills get better
            /// before the first step, 2 to 100000. Half as many between any two steps.
            default turns = 40, whole_number(2..=100_000);
            /// The shortest time before each step.
            default at_least = "10m", duration();
            /// The other provider (an example). Left out: the fallback of the Mysis' own; without one, that step
            /// is left out.
            optional provider = "openai", provider_name(providers, "provider");
            /// "off": a stuck Mysis gets further notices and is never parked.
            default park = "on", on_or_off();
        }
        Self {
            is_on: watch,
            turns,
            at_least,
            provider,
            parks: park,
        }
    }
}
