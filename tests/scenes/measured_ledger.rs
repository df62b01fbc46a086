//! A ledger on a real file, for measurements.

use actors::domain::ids::{MysisId, Timestamp};
use actors::domain::record::{MysisProfile, NewMysis};
use actors::domain::write::{Author, Batch, Write};
use actors::ports::Ledger;
use sea_orm::ConnectionTrait;
use zoea_ledger::SqlLedger;

/// A ledger on a real file, with one Mysis in it.
pub struct MeasuredLedger {
    pub runtime: tokio::runtime::Runtime,
    pub ledger: SqlLedger,
    directory: tempfile::TempDir,
}

impl MeasuredLedger {
    /// The Mysis has so many rows.
    pub fn with_rows(rows: i64) -> MeasuredLedger {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("zoea.db");
        let ledger = runtime.block_on(SqlLedger::open(&path)).expect("a ledger");
        let create = Batch {
            author: Author::Commander,
            writes: vec![Write::Create(Box::new(NewMysis {
                id: MysisId(1),
                profile: MysisProfile::of("m1", "local"),
                at: Timestamp(0),
            }))],
        };
        let created = runtime.block_on(ledger.commit(vec![create]));
        assert_eq!(created, [Ok(())]);
        let mut measured = MeasuredLedger {
            runtime,
            ledger,
            directory,
        };
        measured.fill(rows);
        measured
    }

    /// Writes `rows` rows of history for the Mysis, past the ledger for speed. Each turn of
    /// four rows has a result of 400 bytes.
    fn fill(&mut self, rows: i64) {
        let file = self.directory.path().join("zoea.db");
        let url = format!("sqlite://{}", file.display());
        let places = format!(
            "WITH RECURSIVE place(seq) AS \
             (SELECT 1 UNION ALL SELECT seq + 1 FROM place WHERE seq < {rows}) "
        );
        let calls = "INSERT INTO tool_call \
            (mysis_id, seq, position, call_id, name, arguments, status, read_only) \
            SELECT 1, seq, 0, 'call_' || seq, 'mine', '{}', 'done', 0 FROM place \
            WHERE seq % 4 = 2";
        let messages = "INSERT INTO message (mysis_id, seq, at, turn, kind, content, metadata, \
            horizon, call_seq, call_position) \
            SELECT 1, seq, seq, (seq + 3) / 4, \
            CASE seq % 4 WHEN 1 THEN 'prompt' WHEN 2 THEN 'call' WHEN 3 THEN 'result' \
                ELSE 'reply' END, \
            CASE seq % 4 WHEN 2 THEN '' WHEN 3 THEN printf('%.400c', 'x') ELSE 'go on' END, \
            CASE seq % 4 WHEN 3 THEN '{\"tool\":\"mine\",\"status\":\"done\"}' END, \
            CASE WHEN seq % 4 IN (0, 2) THEN seq - 1 END, \
            CASE seq % 4 WHEN 3 THEN seq - 1 END, CASE seq % 4 WHEN 3 THEN 0 END FROM place";
        self.runtime.block_on(async {
            let database = sea_orm::Database::connect(url).await.expect("the database");
            for insert in [calls, messages] {
                // The columns are those of the ledger's present tables; a change of a table shows
                // here.
                let insert = insert.replacen("SELECT", &format!("{places}SELECT"), 1);
                database.execute_unprepared(&insert).await.expect("rows");
            }
            database.close().await.expect("closed");
            // Opening the ledger counts the rows that are not in the index yet.
            self.ledger.close().await;
            self.ledger = SqlLedger::open(&file).await.expect("the ledger again");
        });
    }
}
