//! The ids of calls that a server works on.

use super::*;

on_both!(the_id_of_a_task_is_recalled_until_the_result_is_stored);

async fn the_id_of_a_task_is_recalled_until_the_result_is_stored(books: Books) {
    let ledger = books.open().await;
    let rows = conversation();
    let call = CallKey {
        seq: Seq(5),
        position: 0,
    };
    let give = |task: Option<&str>| Write::CallTask {
        mysis: ALPHA,
        call,
        task: task.map(Into::into),
    };
    let recalled = async || ledger.load_history(ALPHA).await.unwrap().tasks;
    let mut writes = vec![create(ALPHA, "alpha"), Write::Mission(mission())];
    writes.extend(rows.iter().take(5).map(append));
    writes.push(give(Some("too early")));
    write(&ledger, writes).await.unwrap();
    assert!(recalled().await.is_empty(), "it has not been sent");
    let sent = Write::CallSent {
        mysis: ALPHA,
        call,
        at: Timestamp(7),
    };
    write(&ledger, vec![sent, give(Some("t-1"))]).await.unwrap();
    assert_eq!(recalled().await, [(call, "t-1".into())].into());
    write(&ledger, vec![give(None)]).await.unwrap();
    assert!(recalled().await.is_empty(), "it is sent again");
    write(&ledger, vec![give(Some("t-2"))]).await.unwrap();
    assert_eq!(recalled().await, [(call, "t-2".into())].into());
    write(&ledger, vec![append(&rows[5])]).await.unwrap();
    assert!(recalled().await.is_empty(), "it has a result");
    write(&ledger, vec![give(Some("too late"))]).await.unwrap();
    assert!(recalled().await.is_empty());
}
