//! `[supervision]`: the relaunch of failed Myses.

use zoea_domain::rules::{RelaunchPolicy, SupervisionRules};

use super::rule::{duration_above_zero, list_of, one_of, whole_number};
use super::section::Section;
use super::table::{ReadSection, read_keys};

impl ReadSection for SupervisionRules {
    fn read_section(section: &mut Section<'_, '_>, _: &[String]) -> Self {
        let policy = one_of([
            ("manual", RelaunchPolicy::Manual),
            ("transient", RelaunchPolicy::Transient),
            ("always", RelaunchPolicy::Always),
        ]);
        read_keys! { section;
            /// "manual": you relaunch it. "transient": it is relaunched after provider, network and crash faults.
            /// "always": after every fault.
            default relaunch = "transient", policy;
            /// The first and the longest wait before a relaunch; it doubles from one to the other.
            default backoff = ["1s", "5m"],
                list_of(2..=2, duration_above_zero()).map(|waits| (waits[0], waits[1]));
            /// After so many relaunches in this time it stays errored until you relaunch it.
            default max_relaunches = 5, whole_number(0..=1_000_000);
            default within = "10m", duration_above_zero();
        }
        let (first_wait, longest_wait) = backoff;
        if first_wait > longest_wait {
            section.reject(
                "backoff",
                "a list whose first wait is longer than its second",
                "the first wait, then the longest",
            );
        }
        Self {
            relaunch,
            first_wait,
            longest_wait,
            max_relaunches,
            within,
        }
    }
}
