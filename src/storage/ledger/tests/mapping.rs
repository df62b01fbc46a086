//! The map of systems from stored results.

use actors::domain::system_map::{SystemMap, SystemMapQuery};

use super::*;

on_both!(the_newest_results_of_looks_make_the_map_and_others_do_not);

fn called(seq: i64, tool: &str, arguments: &str, text: &str, status: CallStatus) -> [Write; 2] {
    let id = format!("call_{seq}");
    let call = CallRecord {
        name: tool.into(),
        arguments: arguments.into(),
        read_only: true,
        ..mining(&id)
    };
    let asked = RowBody::Call {
        utterance: said("", seq - 1),
        calls: vec![call],
    };
    let result = RowBody::Result {
        call: CallKey {
            seq: Seq(seq),
            position: 0,
        },
        text: text.into(),
        meta: ResultMeta {
            tool: tool.into(),
            status,
            ..mined(&id, text)
        },
    };
    [append(&row(seq, asked)), append(&row(seq + 1, result))]
}

fn lanes_of(map: &SystemMap) -> Vec<(&str, &str)> {
    let id = |place: usize| &*map.systems[place].id;
    let lanes = map.lanes.iter();
    lanes.map(|(from, to)| (id(*from), id(*to))).collect()
}

async fn the_newest_results_of_looks_make_the_map_and_others_do_not(books: Books) {
    let (ledger, _) = filled(&books).await;
    let empty = ledger.system_map(SystemMapQuery::default()).await.unwrap();
    assert_eq!(empty, SystemMap::default());
    let look = |id: &str, to: &str| {
        format!(
            r#"{{"system":{{"id":"{id}","name":"{id}","connections":[{{"system_id":"{to}"}}]}}}}"#
        )
    };
    let grouped = "System: Haven (haven) | Empire: nebula\nConnections (1):\nsystem_id\tname\tdistance\ngold_run\tGold Run\t357 GU\n";
    let map =
        r#"{"systems":[{"system_id":"sol","position":{"x":5,"y":-2},"connections":["old"]}]}"#;
    let done = CallStatus::Done;
    let calls = [
        called(20, "get_system", "{}", &look("sol", "old"), done),
        called(22, "get_system", "{}", &look("sol", "sirius"), done),
        called(24, "spacemolt", r#"{"action":"get_system"}"#, grouped, done),
        called(
            26,
            "spacemolt",
            r#"{"action":"mine"}"#,
            &look("mined", "x"),
            done,
        ),
        called(28, "mine", "{}", &look("also_mined", "x"), done),
        called(
            30,
            "get_system",
            "{}",
            &look("failed", "x"),
            CallStatus::Failed,
        ),
        called(32, "get_map", "{}", map, done),
        called(34, "get_system", "{}", &look("sol", "sirius"), done),
    ];
    write(&ledger, calls.into_iter().flatten().collect())
        .await
        .unwrap();
    let query = SystemMapQuery {
        occupied: vec!["unseen".into()],
    };
    let map = ledger.system_map(query).await.unwrap();
    let ids: Vec<&str> = map.systems.iter().map(|system| &*system.id).collect();
    assert_eq!(ids, ["gold_run", "haven", "old", "sirius", "sol", "unseen"]);
    assert_eq!(lanes_of(&map), [("gold_run", "haven"), ("sirius", "sol")]);
    let sol = &map.systems[4];
    assert_eq!(sol.position, (5.0, -2.0));
    assert_eq!(sol.seen_at, Some(Timestamp(1035)));
    assert_eq!(map.systems[5].seen_at, None);
}
