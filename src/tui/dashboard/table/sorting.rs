//! The order of the table.

use std::cmp::Ordering;

use actors::domain::event::{Activity, MysisStatus};
use actors::domain::state::LifeState;

use super::columns::Column;

/// A column and a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sorting {
    pub by: Column,
    /// The direction.
    pub from: SortDirection,
}

/// The direction of a sorting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortDirection {
    /// The useful end of this column first: `a`, the errored, the most, the newest.
    Normal,
    /// The other end first.
    Reversed,
}

impl Default for Sorting {
    fn default() -> Self {
        Sorting {
            by: Column::Name,
            from: SortDirection::Normal,
        }
    }
}

impl Sorting {
    /// Sorts by a column. The same column again reverses the direction.
    #[must_use]
    pub fn with_column(self, by: Column) -> Sorting {
        if self.by == by {
            return self.reverse();
        }
        Sorting {
            by,
            from: SortDirection::Normal,
        }
    }

    /// The reversed direction.
    #[must_use]
    pub fn reverse(self) -> Sorting {
        let from = match self.from {
            SortDirection::Normal => SortDirection::Reversed,
            SortDirection::Reversed => SortDirection::Normal,
        };
        Sorting { from, ..self }
    }

    /// Whether the order can change although no Mysis comes or goes.
    #[must_use]
    pub fn is_volatile(self) -> bool {
        self.by != Column::Name
    }

    /// Compares two Myses.
    #[must_use]
    pub fn compare(self, a: &MysisStatus, b: &MysisStatus) -> Ordering {
        let order = by_column(self.by, a, b);
        let order = match self.from {
            SortDirection::Normal => order,
            SortDirection::Reversed => order.reverse(),
        };
        order
            .then_with(|| compare_natural(&a.name, &b.name))
            .then_with(|| a.id.cmp(&b.id))
    }
}

fn by_column(column: Column, a: &MysisStatus, b: &MysisStatus) -> Ordering {
    let tokens = |status: &MysisStatus| {
        let totals = status.totals;
        totals.tokens_in.saturating_add(totals.tokens_out)
    };
    match column {
        Column::Mark | Column::Name => compare_natural(&a.name, &b.name),
        Column::State => state_rank(a.state).cmp(&state_rank(b.state)),
        Column::Doing => activity_rank(&a.activity).cmp(&activity_rank(&b.activity)),
        Column::Words | Column::Seen => b.last_activity_at.cmp(&a.last_activity_at),
        // Myses without an account come last.
        Column::Account => {
            (a.account.is_none(), &a.account).cmp(&(b.account.is_none(), &b.account))
        }
        Column::Provider => a.profile.provider.cmp(&b.profile.provider),
        Column::Model => a.model.cmp(&b.model),
        Column::Nudges => b.nudges.cmp(&a.nudges),
        Column::Turns => b.totals.turns.cmp(&a.totals.turns),
        Column::Tokens => tokens(b).cmp(&tokens(a)),
        Column::Cost => b.totals.cost_micros.cmp(&a.totals.cost_micros),
        Column::Latency => b.last_call_ms.cmp(&a.last_call_ms),
    }
}

fn state_rank(state: LifeState) -> u8 {
    match state {
        LifeState::Errored => 0,
        LifeState::Running => 1,
        LifeState::Idle => 2,
        LifeState::Stopped => 3,
    }
}

fn activity_rank(activity: &Activity) -> u8 {
    match activity {
        Activity::Paused(_) => 0,
        Activity::CoolingDown(_) => 1,
        Activity::Queueing(_) => 2,
        Activity::Connecting => 3,
        Activity::CallingModel | Activity::Answering(_) => 4,
        Activity::CallingTool(_) => 5,
        Activity::Travelling | Activity::Mining | Activity::Fighting => 6,
        Activity::Recording => 7,
        Activity::Pausing | Activity::InTransit | Activity::OnCooldown => 8,
        Activity::Rebuilding => 9,
        Activity::Resting => 10,
    }
}

/// Compares names with numbers in them by value: `alpha-2` before `alpha-10`.
#[must_use]
pub fn compare_natural(a: &str, b: &str) -> Ordering {
    let (mut a_rest, mut b_rest) = (a, b);
    loop {
        let (a_digits, b_digits) = (digits(a_rest), digits(b_rest));
        if a_digits > 0 && b_digits > 0 {
            let (a_number, b_number) = (&a_rest[..a_digits], &b_rest[..b_digits]);
            let (a_value, b_value) = (
                a_number.trim_start_matches('0'),
                b_number.trim_start_matches('0'),
            );
            let order = a_value
                .len()
                .cmp(&b_value.len())
                .then_with(|| a_value.cmp(b_value));
            if order != Ordering::Equal {
                return order;
            }
            (a_rest, b_rest) = (&a_rest[a_digits..], &b_rest[b_digits..]);
            continue;
        }
        let (a_next, b_next) = (a_rest.chars().next(), b_rest.chars().next());
        let (Some(a_letter), Some(b_letter)) = (a_next, b_next) else {
            return a_next.cmp(&b_next).then_with(|| a.cmp(b));
        };
        if a_letter != b_letter {
            return a_letter.cmp(&b_letter);
        }
        (a_rest, b_rest) = (
            &a_rest[a_letter.len_utf8()..],
            &b_rest[b_letter.len_utf8()..],
        );
    }
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["b", "a-10", "a-2", "a", "a-02", "世"];
        names.sort_by(|a, b| compare_natural(a, b));
        assert_eq!(names, ["a", "a-02", "a-2", "a-10", "b", "世"]);
    }

    proptest! {
        #[test]
        fn natural_order_is_an_order(names in proptest::collection::vec("[ab01]{0,5}", 3)) {
            let [a, b, c] = [&names[0], &names[1], &names[2]];
            prop_assert_eq!(compare_natural(a, b), compare_natural(b, a).reverse());
            if compare_natural(a, b).is_le() && compare_natural(b, c).is_le() {
                prop_assert!(compare_natural(a, c).is_le());
            }
            prop_assert_eq!(compare_natural(a, b).is_eq(), a == b);
        }
    }
}
