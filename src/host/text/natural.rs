//! The order of names, the same on the screen, on the command line and in answers.

use std::cmp::Ordering;

/// Compares names with numbers in them by value: `alpha-2` before `alpha-10`.
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
