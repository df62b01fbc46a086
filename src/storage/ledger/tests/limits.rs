//! Limits that several processes share, on a real server.

use actors::domain::held::{HeldKind, HeldText, TrialClaim};
use actors::domain::ids::Lane;
use actors::domain::sharing::{LimitClaim, LimitKind, LimitNeed};
use actors::ports::{LimitNews, LimitReport, SharedLimits};

use super::leases::{after, opened};
use super::*;

/// A process, and what it uses of one limit of six.
struct Asker {
    ledger: SqlLedger,
    kind: LimitKind,
    part: u64,
    used: u64,
}

impl Asker {
    async fn of(books: &Books, home: impl Into<HomeClaim>, kind: LimitKind) -> Asker {
        Asker {
            ledger: opened(books, home).await,
            kind,
            part: 0,
            used: 0,
        }
    }

    /// Asks for this much, and returns the part. It uses all that it wants of it.
    async fn asks(&mut self, wanted: u64) -> u64 {
        let claim = LimitClaim {
            lane: Lane::Provider("p".into()),
            kind: self.kind,
            group: None,
            limit: 6,
            held: self.part,
            used: self.used,
            need: LimitNeed { wanted, unit: 1 },
        };
        let limits = self.ledger.shared_limits().expect("they are shared");
        let report = LimitReport {
            claims: vec![claim],
            ..LimitReport::default()
        };
        let news = limits.renew(report).await.expect("the server answers");
        self.part = news.parts[0].part;
        self.used = self.part.min(wanted);
        self.part
    }
}

async fn let_expire(asker: &Asker) {
    let expire = "UPDATE allowance SET expires_at = clock_timestamp()";
    let writer = &asker.ledger.inner.writer;
    writer.execute_unprepared(expire).await.unwrap();
}

#[tokio::test]
async fn what_one_process_gives_up_another_one_gets_and_a_dead_ones_part_comes_back() {
    let Some(books) = Books::server() else {
        return;
    };
    let mut one = Asker::of(&books, "one", LimitKind::InFlight).await;
    let mut other = Asker::of(&books, "other", LimitKind::InFlight).await;
    assert_eq!(one.asks(9).await, 6, "it is alone");
    assert_eq!(other.asks(9).await, 0);
    assert_eq!(one.asks(9).await, 3);
    assert_eq!(other.asks(9).await, 0, "one may still use all of it");
    assert_eq!(one.asks(9).await, 3);
    assert_eq!(other.asks(9).await, 3);
    assert_eq!((one.asks(1).await, other.asks(9).await), (1, 3));
    assert_eq!((one.asks(1).await, other.asks(9).await), (1, 5));

    // The other one dies.
    let_expire(&one).await;
    assert_eq!(one.asks(9).await, 6);
    // It has been away for too long, and what it holds is another's.
    assert_eq!(other.asks(9).await, 0);
    // One ends in good order.
    one.ledger.close().await;
    assert_eq!(other.asks(9).await, 6);
    // A process of the same home follows one that may live, and one that was killed.
    let mut beside = Asker::of(&books, "other", LimitKind::InFlight).await;
    assert_eq!(beside.asks(9).await, 0);
    let killed = after(&[&other.ledger, &beside.ledger]);
    let mut next = Asker::of(&books, killed, LimitKind::InFlight).await;
    assert_eq!(next.asks(9).await, 6, "its calls ended with it");
}

#[tokio::test]
async fn tokens_of_a_process_that_is_gone_count_for_a_minute() {
    let Some(books) = Books::server() else {
        return;
    };
    let mut one = Asker::of(&books, "one", LimitKind::Tokens).await;
    assert_eq!(one.asks(4).await, 6);
    assert_eq!(one.asks(4).await, 6, "and four are used");
    let killed = after(&[&one.ledger]);
    let mut next = Asker::of(&books, killed, LimitKind::Tokens).await;
    assert_eq!(next.asks(9).await, 2);
    let later = "UPDATE allowance SET expires_at = clock_timestamp() - interval '61 seconds' \
                 WHERE used = 4";
    let writer = &next.ledger.inner.writer;
    writer.execute_unprepared(later).await.unwrap();
    assert_eq!(next.asks(9).await, 6);
}

#[tokio::test]
async fn a_file_and_a_command_share_no_limits() {
    assert!(Books::file().open().await.shared_limits().is_none());
    let Some(Books::Server(address)) = Books::server() else {
        return;
    };
    let command = SqlLedger::open_server(&address, "home".into(), ProcessKind::Command).await;
    assert!(command.unwrap().shared_limits().is_none());
}

const BRAVO: MysisId = MysisId(2);

/// What a process learns that wants to make these trials, and knows the texts that are held back by a stamp.
async fn learns(ledger: &SqlLedger, trials: Vec<TrialClaim>, held_stamp: i64) -> LimitNews {
    let limits = ledger.shared_limits().expect("they are shared");
    let report = LimitReport {
        trials,
        held_stamp,
        ..LimitReport::default()
    };
    limits.renew(report).await.expect("the server answers")
}

fn trial(by: MysisId, number: i64, texts: &[i64]) -> TrialClaim {
    TrialClaim {
        provider: "p".into(),
        by,
        number,
        texts: texts.to_vec(),
    }
}

fn claims(news: &LimitNews) -> Vec<TrialClaim> {
    news.trials
        .iter()
        .map(|listed| listed.claim.clone())
        .collect()
}

#[tokio::test]
async fn a_text_is_tried_by_one_process_and_twelve_trials_an_hour_are_for_all() {
    let Some(books) = Books::server() else {
        return;
    };
    let one = opened(&books, "one").await;
    let other = opened(&books, "other").await;
    let (first, same, another) = (
        trial(ALPHA, 1, &[7, -8]),
        trial(BRAVO, 1, &[-8]),
        trial(BRAVO, 2, &[9]),
    );
    let listed = learns(&one, vec![first.clone()], 0).await;
    assert_eq!(claims(&listed), std::slice::from_ref(&first));
    // Its answer was lost, and it asks again.
    let listed = learns(&one, vec![first.clone()], 0).await;
    assert_eq!(claims(&listed), std::slice::from_ref(&first));
    let listed = learns(&other, vec![same.clone(), another.clone()], 0).await;
    assert_eq!(claims(&listed), [first.clone(), another.clone()]);
    // The verdict did not come within a minute.
    let age = "UPDATE trial SET began = began - interval '61 seconds'";
    one.inner.writer.execute_unprepared(age).await.unwrap();
    let listed = learns(&other, vec![same.clone()], 0).await;
    assert_eq!(claims(&listed), [first, another, same]);
    assert!(listed.trials[0].age >= std::time::Duration::from_secs(61));
    for number in 10..30 {
        learns(&one, vec![trial(ALPHA, number, &[number])], 0).await;
    }
    assert_eq!(learns(&other, Vec::new(), 0).await.trials.len(), 12);
    let elsewhere = TrialClaim {
        provider: "q".into(),
        ..trial(ALPHA, 40, &[])
    };
    assert_eq!(learns(&other, vec![elsewhere], 0).await.trials.len(), 13);
    let age = "UPDATE trial SET began = began - interval '1 hour'";
    one.inner.writer.execute_unprepared(age).await.unwrap();
    assert_eq!(
        learns(&one, vec![trial(ALPHA, 50, &[])], 0)
            .await
            .trials
            .len(),
        1
    );
}

#[tokio::test]
async fn what_one_process_holds_back_or_releases_the_others_know() {
    let Some(books) = Books::server() else {
        return;
    };
    let one = opened(&books, "one").await;
    let other = opened(&books, "other").await;
    assert_eq!(
        learns(&other, Vec::new(), 0).await.held,
        None,
        "there is none"
    );
    let held = Arc::new(HeldText {
        kind: HeldKind::Text,
        provider: "p".into(),
        model: "m".into(),
        text: "Rex says".into(),
        mysis: ALPHA,
        seq: Seq(7),
        is_local: false,
        said: "HTTP 400".into(),
        proof: "3 with it failed, 1 without it was served".into(),
        at: Timestamp(1),
        doubted_at: Timestamp(1),
    });
    let change = |write| {
        let batch = Batch {
            author: Author::Commander,
            writes: vec![write],
        };
        one.commit(vec![batch])
    };
    assert_eq!(change(Write::HoldText(held.clone())).await, [Ok(())]);
    let (stamp, texts) = learns(&other, Vec::new(), 0).await.held.expect("news");
    assert_eq!(texts, [HeldText::clone(&held)]);
    assert_eq!(
        learns(&other, Vec::new(), stamp).await.held,
        None,
        "it is known"
    );
    let doubted = Arc::new(HeldText {
        doubted_at: Timestamp(2),
        ..HeldText::clone(&held)
    });
    assert_eq!(change(Write::HoldText(doubted)).await, [Ok(())]);
    let (next, _) = learns(&other, Vec::new(), stamp).await.held.expect("news");
    assert_eq!(change(Write::ReleaseText(held)).await, [Ok(())]);
    let (_, texts) = learns(&other, Vec::new(), next).await.held.expect("news");
    assert_eq!(texts, []);
}
