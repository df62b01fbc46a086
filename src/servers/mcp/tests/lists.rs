//! Lists in pages: where they end.

use super::*;

/// A server whose list has these pages: the tools of each, and the cursor after it.
async fn names_of(pages: Vec<(Value, Value)>) -> (Vec<String>, usize) {
    let server = Server::start(move |seen| match seen.body["method"].as_str() {
        Some("tools/list") => {
            let cursor = &seen.body["params"]["cursor"];
            let place = cursor.as_str().map_or(0, |cursor| {
                let is_it = |next: &Value| *next == *cursor || next.as_u64() == cursor.parse().ok();
                let named = pages.iter().position(|(_, next)| is_it(next));
                named.expect("a cursor of ours") + 1
            });
            // Behind the last page stands the first one again.
            let (tools, next) = &pages[place % pages.len()];
            json(&result(seen, &json!({"tools": tools, "nextCursor": next})))
        }
        _ => usual(seen),
    })
    .await;
    let listing = server.open().await.tools().await.expect("tools");
    assert_eq!(listing.left_out(), None);
    let names = listing.tools.iter().map(|tool| tool.name.to_string());
    let lists = server.methods();
    let lists = lists.iter().filter(|method| *method == "tools/list");
    (names.collect(), lists.count())
}

fn page(name: &str, next: Value) -> (Value, Value) {
    (json!([tool(name)]), next)
}

#[tokio::test]
async fn a_list_ends_at_an_empty_cursor_or_at_one_that_was_there_before() {
    for (pages, lists) in [
        (vec![page("a", json!(""))], 1),
        (vec![page("a", Value::Null)], 1),
        (vec![page("a", json!(false))], 1),
        (vec![page("a", json!("on"))], 2),
        (vec![page("a", json!("1")), page("b", json!(""))], 2),
        (vec![page("a", json!(1)), page("b", Value::Null)], 2),
        (
            vec![
                page("a", json!("1")),
                page("b", json!("2")),
                page("c", json!("3")),
            ],
            4,
        ),
        (vec![(json!([]), json!("1")), page("a", Value::Null)], 2),
    ] {
        let wanted: Vec<&str> = ["a", "b", "c"]
            .into_iter()
            .filter(|name| pages.iter().any(|(tools, _)| tools[0]["name"] == *name))
            .collect();
        let text = format!("{pages:?}");
        assert_eq!(
            names_of(pages).await,
            (wanted.iter().map(ToString::to_string).collect(), lists),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_server_that_does_not_heed_cursors_is_asked_twice() {
    let count = AtomicUsize::new(0);
    let server = Server::start(move |seen| match seen.body["method"].as_str() {
        Some("tools/list") => {
            let next = count.fetch_add(1, Ordering::Relaxed).to_string();
            json(&result(
                seen,
                &json!({"tools": [tool("mine")], "nextCursor": next}),
            ))
        }
        _ => usual(seen),
    })
    .await;
    let listing = server.open().await.tools().await.expect("tools");
    assert_eq!((names(&listing), listing.left_out()), (vec!["mine"], None));
    assert_eq!(server.methods().len(), 4);
}

#[tokio::test]
async fn of_a_list_without_an_end_what_was_read_is_taken() {
    let count = AtomicUsize::new(0);
    let server = Server::start(move |seen| match seen.body["method"].as_str() {
        Some("tools/list") => {
            let place = count.fetch_add(1, Ordering::Relaxed);
            let tools = match place {
                0 => json!([tool("mine")]),
                _ => json!([]),
            };
            json(&result(
                seen,
                &json!({"tools": tools, "nextCursor": place.to_string()}),
            ))
        }
        _ => usual(seen),
    })
    .await;
    let listing = server.open().await.tools().await.expect("tools");
    assert_eq!(names(&listing), ["mine"]);
    let text = listing.left_out().expect("a word on the rest");
    assert!(text.contains("no end after 200 pages"), "{text}");
}

#[tokio::test]
async fn a_tool_that_is_called_as_a_task_only_is_left_out_and_named() {
    let server = Server::start(|seen| match seen.body["method"].as_str() {
        Some("tools/list") => {
            let with = |name: &str, execution: Value| {
                let mut tool = tool(name);
                tool["execution"] = execution;
                tool
            };
            let tools = json!([
                with("study", json!({"taskSupport": "required"})),
                with("mine", json!({"taskSupport": "optional"})),
                with("dock", json!({"taskSupport": "forbidden"})),
                with("jump", json!("required")),
            ]);
            json(&result(seen, &json!({"tools": tools})))
        }
        _ => usual(seen),
    })
    .await;
    let listing = server.open().await.tools().await.expect("tools");
    assert_eq!(names(&listing), ["mine", "dock", "jump"]);
    let text = listing.left_out().expect("a word on the one");
    assert_eq!(text, "1 left out: study (it is called as a task only)");
}
