//! Tests of the columns.

use super::*;

#[test]
fn every_column_has_one_word_and_one_place() {
    let all: Vec<Column> = Column::all().collect();
    assert_eq!(all.len(), COLUMNS.len());
    for column in all {
        assert_eq!(Column::parse(column.word()), Some(column));
        assert_eq!(column.spec().column, column);
    }
}

#[test]
fn every_head_is_whole_in_its_narrowest_column_and_in_fifteen_letters() {
    for spec in &COLUMNS {
        let (least, ..) = spec.widths;
        assert!(
            spec.title.len() <= usize::from(least.min(15)),
            "{}",
            spec.title
        );
    }
}

#[test]
fn columns_fill_every_width_and_never_more() {
    let all: Vec<Column> = Column::all().collect();
    let folded = BTreeSet::from([Column::Words, Column::Provider]);
    for width in 0..400 {
        for placed in [
            fitting_columns((width, 0), &BTreeSet::new()),
            fitting_columns((width, 32), &BTreeSet::new()),
            fitting_columns((width, 0), &folded),
            chosen_columns((width, 32), &all),
            chosen_columns((width, 0), &[Column::Tokens, Column::Name]),
        ] {
            let end = placed.iter().map(|column| column.x + column.width).max();
            let end = end.unwrap_or(0);
            assert!(end <= width, "{width}: {placed:?}");
            let has_text = placed.iter().any(|one| one.column > Column::Mark);
            if width >= 40 && has_text {
                assert_eq!(end, width, "{placed:?}");
            }
            let overlaps = placed
                .windows(2)
                .any(|two| two[0].x + two[0].width > two[1].x);
            assert!(!overlaps, "{width}: {placed:?}");
        }
    }
}

#[test]
fn columns_that_the_operator_chose_stand_in_that_order() {
    let chosen = [Column::Tokens, Column::Name, Column::State];
    let placed = chosen_columns((60, 0), &chosen);
    let shown: Vec<Column> = placed.iter().map(|placed| placed.column).collect();
    assert_eq!(
        shown,
        [Column::Mark, Column::Tokens, Column::Name, Column::State]
    );
}

#[test]
fn a_long_name_is_whole_before_the_words_are_wide() {
    let width_of = |names| {
        let placed = fitting_columns((120, names), &BTreeSet::new());
        let name = placed.iter().find(|one| one.column == Column::Name);
        name.expect("a column of names").width
    };
    assert_eq!((width_of(5), width_of(17)), (11, 17));
    assert!(width_of(32) >= 18);
}
