//! The floor: the least that the same turns can cost. A process of its own plays them in a bare
//! loop for each agent: the requests that the program sent, written and read as JSON, over the
//! program's HTTP client, and three rows a turn in a table without an index.
//!
//! It promises what the program does: the call is durable before it leaves, the result before the
//! model is asked again, and the words before the next turn. Calls are stored as sent, so that a
//! turn takes three commits; those of many agents share one. It has no screen, no rules, no search,
//! no books and no limits.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::Duration;

use sea_orm::sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqliteSynchronous,
};
use sea_orm::sqlx::{self, ConnectOptions, Connection};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use zoea_rig::process_figures::ProcessFigures;

use crate::mock::Requests;

/// The first argument of the process that plays.
const ROLE: &str = "the-floor";
/// The program's pause between two turns.
const PAUSE: Duration = Duration::from_secs(2);
/// The program's pages, and how many it collects before it moves them to their places.
const PAGE_BYTES: u32 = 1024;
const CHECKPOINT_PAGES: &str = "4000";
/// The most rows in one commit.
const MAX_GROUP: usize = 512;

/// The process that plays, seen from the bench.
pub(crate) struct Floor {
    child: Child,
    directory: PathBuf,
}

impl Floor {
    pub(crate) fn start(
        directory: &Path,
        address: SocketAddr,
        agents: usize,
        requests: &Requests,
    ) -> Floor {
        for (name, request) in [
            ("first", &requests.first),
            ("second", &requests.second),
            ("call", &requests.call),
        ] {
            std::fs::write(directory.join(name), request.to_string()).expect("a request");
        }
        let own = std::env::current_exe().expect("a bench has a path");
        let child = Command::new(own)
            .arg(ROLE)
            .arg(directory)
            .arg(address.to_string())
            .arg(agents.to_string())
            .spawn()
            .expect("the floor starts");
        Floor {
            child,
            directory: directory.to_path_buf(),
        }
    }

    pub(crate) fn figures(&self) -> ProcessFigures {
        ProcessFigures::of(self.child.id())
    }

    pub(crate) fn database(&self) -> u64 {
        let file = std::fs::metadata(self.directory.join("floor.db"));
        file.map_or(0, |file| file.len())
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        self.child.kill().expect("the floor ends");
        self.child.wait().expect("the floor ends");
    }
}

/// What the process that plays was told.
pub(crate) struct Role {
    directory: PathBuf,
    address: String,
    agents: usize,
}

/// Whether this process is one that plays.
pub(crate) fn role(arguments: &[String]) -> Option<Role> {
    let [role, directory, address, agents, ..] = arguments else {
        return None;
    };
    (role == ROLE).then(|| Role {
        directory: directory.into(),
        address: address.clone(),
        agents: agents.parse().expect("a number"),
    })
}

impl Role {
    /// Plays until it is killed.
    pub(crate) fn play(self) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let (rows, waiting) = mpsc::channel(self.agents);
            let read = |name: &str| {
                let text = std::fs::read(self.directory.join(name)).expect("a request");
                serde_json::from_slice(&text).expect("JSON")
            };
            let turn = Arc::new(Turn {
                http: zoea_http::build_client().expect("a client"),
                model: format!("http://{}/v1/chat/completions", self.address),
                game: format!("http://{}/mcp", self.address),
                first: read("first"),
                second: read("second"),
                call: read("call"),
                rows,
            });
            for agent in 0..self.agents {
                tokio::spawn(play_turns(turn.clone(), agent as i64));
            }
            store_rows(&self.directory.join("floor.db"), waiting).await;
        });
    }
}

/// What a turn is made of, the same for all agents.
struct Turn {
    http: reqwest::Client,
    model: String,
    game: String,
    first: Value,
    second: Value,
    call: Value,
    rows: mpsc::Sender<Row>,
}

struct Row {
    agent: i64,
    seq: i64,
    kind: &'static str,
    content: String,
    stored: oneshot::Sender<()>,
}

async fn play_turns(turn: Arc<Turn>, agent: i64) {
    for number in 0.. {
        let answer = turn.post(&turn.model, &turn.first).await;
        let call = answer["choices"][0]["message"]["tool_calls"].to_string();
        turn.keep(agent, number * 3, "call", call).await;
        let result = turn.post(&turn.game, &turn.call).await;
        let result = result["result"]["content"][0]["text"].as_str();
        let result = result.expect("a text").to_string();
        turn.keep(agent, number * 3 + 1, "result", result).await;
        let answer = turn.post(&turn.model, &turn.second).await;
        let words = answer["choices"][0]["message"]["content"].as_str();
        let words = words.expect("words").to_string();
        turn.keep(agent, number * 3 + 2, "reply", words).await;
        tokio::time::sleep(PAUSE).await;
    }
}

impl Turn {
    async fn post(&self, url: &str, request: &Value) -> Value {
        let sent = self.http.post(url).json(request).send().await;
        let body = sent.expect("an answer").bytes().await.expect("a body");
        serde_json::from_slice(&body).expect("JSON")
    }

    /// Returns once the row is durable.
    async fn keep(&self, agent: i64, seq: i64, kind: &'static str, content: String) {
        let (stored, is_stored) = oneshot::channel();
        let row = Row {
            agent,
            seq,
            kind,
            content,
            stored,
        };
        self.rows.send(row).await.expect("the store");
        is_stored.await.expect("the store");
    }
}

/// Commits what waits, again and again.
async fn store_rows(file: &Path, mut waiting: mpsc::Receiver<Row>) {
    let mut connection = open(file).await.expect("a database");
    let mut group = Vec::new();
    while waiting.recv_many(&mut group, MAX_GROUP).await > 0 {
        commit(&mut connection, &group).await.expect("a commit");
        for row in group.drain(..) {
            // An agent waits for its row.
            let _ = row.stored.send(());
        }
    }
}

async fn open(file: &Path) -> sqlx::Result<SqliteConnection> {
    let mut connection = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .page_size(PAGE_BYTES)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("wal_autocheckpoint", CHECKPOINT_PAGES)
        .disable_statement_logging()
        .connect()
        .await?;
    let table = "CREATE TABLE message (id INTEGER PRIMARY KEY, agent INTEGER NOT NULL, \
                 seq INTEGER NOT NULL, kind TEXT NOT NULL, content TEXT NOT NULL)";
    sqlx::query(table).execute(&mut connection).await?;
    Ok(connection)
}

async fn commit(connection: &mut SqliteConnection, group: &[Row]) -> sqlx::Result<()> {
    let mut transaction = connection.begin().await?;
    for row in group {
        sqlx::query("INSERT INTO message (agent, seq, kind, content) VALUES (?, ?, ?, ?)")
            .bind(row.agent)
            .bind(row.seq)
            .bind(row.kind)
            .bind(&*row.content)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await
}
