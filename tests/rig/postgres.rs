//! A Postgres server for tests: started once for a test binary, ended with it, with a database for
//! each test. Without a server, its tests are skipped with a message. Nothing in it survives a crash,
//! but for measurements there is one whose commits are on the disk.
//!
//! `ZOEA_TEST_POSTGRES=required` makes a missing server a failure.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use sea_orm::sqlx::{AssertSqlSafe, Connection, Executor, PgConnection};

/// Makes a cluster, starts it, reports that, and ends it when its input ends: that is when the
/// tests are over, however they ended. Its last argument says whether commits are on the disk.
const SCRIPT: &str = r#"
set -eu
directory=$1 port=$2 durable=$3
for more in /usr/local/bin /usr/lib/postgresql/*/bin; do PATH=$PATH:$more; done
cd "$directory"
initdb -D data -U zoea -A trust -E UTF8 --locale=C -N >log 2>&1 || { cat log >&2; exit 1; }
printf '%s\n' 'local all all trust' 'host all guarded 127.0.0.1/32 scram-sha-256' \
    'host all all 127.0.0.1/32 trust' >data/pg_hba.conf
printf '%s\n' "listen_addresses = '127.0.0.1'" "unix_socket_directories = '$directory'" \
    "fsync = $durable" "full_page_writes = $durable" 'max_connections = 400' 'shared_buffers = 32MB' \
    'autovacuum_naptime = 5s' >>data/postgresql.conf
if openssl req -new -x509 -days 2 -nodes -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
    -subj /CN=localhost -keyout data/server.key -out data/server.crt >/dev/null 2>&1; then
    chmod 600 data/server.key
    echo 'ssl = on' >>data/postgresql.conf
fi
pg_ctl -D data -w -l log -o "-p $port" start >/dev/null 2>&1 || { cat log >&2; exit 1; }
# What ends the tests by a signal to all of them does not end this.
trap '' HUP INT TERM
echo ready
cat >/dev/null
pg_ctl -D data -m immediate stop >/dev/null 2>&1 || true
rm -rf "$directory"
"#;

/// The server, as long as the process lives.
struct Server {
    port: u16,
    _guard: Child,
    /// The server ends when this is dropped.
    _alive: ChildStdin,
}

/// The address of a new, empty database; none without a server.
pub fn database() -> Option<String> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    new_database(SERVER.get_or_init(|| started("off")).as_ref()?)
}

/// The same on a server whose commits are on the disk, for measurements.
pub fn durable_database() -> Option<String> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    new_database(SERVER.get_or_init(|| started("on")).as_ref()?)
}

fn new_database(server: &Server) -> Option<String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!("test_{}", COUNT.fetch_add(1, Ordering::Relaxed));
    execute(
        &server.url("postgres"),
        &format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'"),
    );
    Some(server.url(&name))
}

/// Executes statements, each in a transaction of its own.
pub fn execute(url: &str, statements: &str) {
    let (url, statements) = (url.to_string(), statements.to_string());
    // A test may have a runtime of its own, which cannot wait for another one.
    let done = std::thread::spawn(move || {
        runtime().block_on(async {
            let mut connection = PgConnection::connect(&url).await.expect("a connection");
            for statement in statements.split(';') {
                connection
                    .execute(AssertSqlSafe(statement.to_string()))
                    .await
                    .expect("the statement is right");
            }
            connection.close().await.expect("it closes");
        });
    });
    done.join().expect("the statements are carried out");
}

/// The first column of a query's result, as text.
pub fn column(url: &str, query: &str) -> Vec<String> {
    let (url, query) = (url.to_string(), query.to_string());
    let asked = std::thread::spawn(move || {
        runtime().block_on(async {
            let mut connection = PgConnection::connect(&url).await.expect("a connection");
            let rows = sea_orm::sqlx::query_scalar(AssertSqlSafe(query))
                .fetch_all(&mut connection)
                .await
                .expect("the query is right");
            connection.close().await.expect("it closes");
            rows
        })
    });
    asked.join().expect("the query is answered")
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

impl Server {
    /// An address with a password, which must not appear anywhere.
    fn url(&self, database: &str) -> String {
        format!(
            "postgres://zoea:sesame-open-sesame@127.0.0.1:{}/{database}",
            self.port
        )
    }
}

fn started(durable: &str) -> Option<Server> {
    match start(durable) {
        Ok(server) => Some(server),
        Err(why) => {
            assert!(!is_required(), "no Postgres server: {why}");
            // Not by a macro, whose output is only shown for tests that fail.
            let _ = writeln!(
                std::io::stderr(),
                "\n!!!! POSTGRES IS NOT TESTED: no server can be had here: {why}\n"
            );
            None
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "settings are the program's; this is whether a test may be left out"
)]
fn is_required() -> bool {
    std::env::var("ZOEA_TEST_POSTGRES").is_ok_and(|value| value == "required")
}

fn start(durable: &str) -> Result<Server, String> {
    let directory = tempfile::Builder::new()
        .prefix("zoea-postgres-")
        .tempdir()
        .map_err(|error| error.to_string())?
        .keep();
    let mut why = String::new();
    // A port that is free now may be taken a moment later.
    for _ in 0..3 {
        match start_in(&directory, durable) {
            Ok(server) => return Ok(server),
            Err(error) => why = error,
        }
    }
    // The remains are of no use.
    let _ = std::fs::remove_dir_all(&directory);
    Err(why)
}

fn start_in(directory: &Path, durable: &str) -> Result<Server, String> {
    let text = |error: std::io::Error| error.to_string();
    let port = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .map_err(text)?
        .port();
    let path = directory.display().to_string();
    // Remains of an earlier try.
    let _ = std::fs::remove_dir_all(directory.join("data"));
    let mut guard = as_user(directory)?
        .args(["-c", SCRIPT, "sh", &path, &port.to_string(), durable])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(text)?;
    let alive = guard.stdin.take().ok_or("no pipe")?;
    let mut line = String::new();
    BufReader::new(guard.stdout.take().ok_or("no pipe")?)
        .read_line(&mut line)
        .map_err(text)?;
    if line.trim() != "ready" {
        let _ = guard.wait();
        return Err("initdb or pg_ctl failed, or there is none".to_string());
    }
    Ok(Server {
        port,
        _guard: guard,
        _alive: alive,
    })
}

/// A shell of a user who is not root.
pub(crate) fn as_another_user(directory: &Path) -> Command {
    as_user(directory).expect("there is a user for it")
}

fn as_user(directory: &Path) -> Result<Command, String> {
    let is_root = std::fs::metadata("/proc/self").map_err(|error| error.to_string())?;
    match is_root.uid() {
        0 => as_nobody(directory),
        _ => Ok(Command::new("sh")),
    }
}

/// A server refuses to run as root, so the user nobody runs it.
fn as_nobody(directory: &Path) -> Result<Command, String> {
    let number = |flag: &str| {
        let output = Command::new("id").args([flag, "nobody"]).output();
        let text = output.map_err(|error| error.to_string())?.stdout;
        let text = String::from_utf8_lossy(&text).trim().to_string();
        text.parse::<u32>()
            .map_err(|_| "there is no user nobody".to_string())
    };
    let (user, group) = (number("-u")?, number("-g")?);
    chown(directory, Some(user), Some(group)).map_err(|error| error.to_string())?;
    let mut command = Command::new("setpriv");
    command.args([
        &format!("--reuid={user}"),
        &format!("--regid={group}"),
        "--clear-groups",
        "sh",
    ]);
    Ok(command)
}
