//! What stands in the graphs beside the curves: the operator's orders and the errors, at their times.

use actors::domain::ids::Timestamp;

use crate::operator::Operator;
use crate::snapshots::normal;

const SIZE: (u16, u16) = (120, 40);

/// The columns of a sign in the graphs, title left out.
fn columns_of(operator: &Operator, sign: char) -> Vec<usize> {
    let page = operator.board.layout().page();
    let text = operator.text();
    let rows = text.lines().skip(usize::from(page.y));
    let rows = rows.take(usize::from(page.height));
    rows.flat_map(|row| {
        let places = row.chars().enumerate();
        places.filter(|(_, found)| *found == sign).map(|(at, _)| at)
    })
    .collect()
}

#[test]
fn orders_of_this_session_are_marked_where_they_were_given() {
    let mut operator = Operator::at(normal(), SIZE);
    operator.keys("g");
    assert!(columns_of(&operator, '▾').is_empty());
    operator.keys("gs");
    operator.now = Timestamp(operator.now.0 + 30 * 60_000);
    operator.keys("g");
    let [column] = columns_of(&operator, '▾')[..] else {
        panic!("one mark: {}", operator.text());
    };
    // The figures of the graph stand at its right.
    assert!(
        (32..48).contains(&column),
        "in the middle of the hour: {column}"
    );
    // Those who stop already refuse it, which is no order that was carried out.
    let mut operator = Operator::at(normal(), SIZE);
    operator.keys("/halcyon<enter>sg");
    assert!(columns_of(&operator, '▾').is_empty());
}

#[test]
fn a_graph_has_the_errors_of_its_mysis_alone() {
    let mut operator = Operator::at(normal(), SIZE);
    let ids = operator.swarm.ids();
    let text = operator.swarm.fail(ids[1], "HTTP 404", operator.now);
    operator.receives(&text);
    operator.keys("g");
    assert_eq!(columns_of(&operator, '✖').len(), 1, "{}", operator.text());
    let mut marked = |names: &str| {
        operator.keys(&format!("<esc>:mark {names}<enter>g"));
        columns_of(&operator, '✖').len()
    };
    assert_eq!(marked("alpha,bravo"), 1);
    assert_eq!(marked("alpha,ceres"), 0);
}

#[test]
fn graphs_of_letters_alone_have_a_curve_and_an_axis() {
    let mut operator = Operator::at(normal(), SIZE);
    operator.keys(":letters ascii<enter>g");
    let text = operator.text();
    assert!(text.is_ascii(), "{text}");
    assert!(columns_of(&operator, '#').len() > 40, "{text}");
    assert!(!text.contains("???") && !text.contains("-?"), "{text}");
}

#[test]
fn a_low_graph_has_no_two_labels_in_one_row() {
    for rows in 10..=20 {
        let mut operator = Operator::at(normal(), (40, rows));
        operator.keys("g");
        let text = operator.text();
        let body = usize::from(operator.board.layout().body.y);
        let is_value = |line: &str| {
            let label: String = line.chars().take(5).collect();
            !["", "0", "30.0k", "60.0k", "cr/h"].contains(&label.trim())
        };
        let page = usize::from(operator.board.layout().page().height);
        let mut lines = text.lines().skip(body).take(page);
        let wrong = lines.find(|line| is_value(line));
        assert_eq!(wrong, None, "{rows}: {text}");
        assert!(text.contains("60.0k "), "{rows}: {text}");
    }
}
