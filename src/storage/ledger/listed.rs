//! Lists of values in statements. The driver keeps what it prepared by the text of a statement, so
//! that lists have few lengths.

/// The values, the last one again and again until there are as many as a power of two.
pub(super) fn padded(values: impl IntoIterator<Item = i64>) -> Vec<i64> {
    let mut values: Vec<i64> = values.into_iter().collect();
    if let Some(last) = values.last().copied() {
        values.resize(values.len().next_power_of_two(), last);
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_gets_no_value_that_it_does_not_have() {
        assert!(padded([]).is_empty());
        assert_eq!(padded([7]), vec![7_i64]);
        assert_eq!(padded([3, 1, 2]), vec![3_i64, 1, 2, 2]);
        assert_eq!(padded(0..9).len(), 16);
    }
}
