//! A pgbouncer in front of a Postgres server of the tests. Where none is installed, its tests are left
//! out with a message.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::postgres::as_another_user;
use crate::{Process, until};

/// A running pgbouncer, which ends when this is dropped.
pub struct Pooler {
    _process: Process,
    /// The address of the database through it.
    pub url: String,
    _directory: TempDir,
}

impl Pooler {
    /// A pooler in this mode (`session`, `transaction` or `statement`) before the database at this
    /// address; none where there is no pgbouncer.
    pub fn before(url: &str, mode: &str) -> Option<Pooler> {
        let installed = Command::new("sh")
            .args(["-c", "PATH=$PATH:/usr/sbin command -v pgbouncer >/dev/null"])
            .status();
        if !installed.is_ok_and(|status| status.success()) {
            // Not by a macro, whose output is only shown for tests that fail.
            let _ = writeln!(
                std::io::stderr(),
                "\n!!!! POOLERS ARE NOT TESTED: there is no pgbouncer here\n"
            );
            return None;
        }
        let directory = tempfile::tempdir().expect("a directory");
        // Free again before the pooler binds it, and before anybody asks whether it listens.
        let port = {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            listener.local_addr().expect("an address").port()
        };
        let (_, place) = url.rsplit_once('@').expect("a user");
        let (server, database) = place.split_once('/').expect("a database");
        let (host, server_port) = server.split_once(':').expect("a port");
        let settings = format!(
            "[databases]\n{database} = host={host} port={server_port} dbname={database} user=zoea\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
             auth_type = any\npool_mode = {mode}\ndefault_pool_size = 20\n"
        );
        let file = directory.path().join("pgbouncer.ini");
        std::fs::write(&file, settings).expect("its settings");
        let mut command = as_another_user(directory.path());
        command
            .args(["-c", "PATH=$PATH:/usr/sbin exec pgbouncer -q \"$0\""])
            .arg(&file)
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        let process = Process::spawn_into(command, Stdio::null());
        until("the pooler listens", || {
            TcpStream::connect(("127.0.0.1", port)).ok()
        });
        Some(Pooler {
            _process: process,
            url: format!("postgres://zoea@127.0.0.1:{port}/{database}"),
            _directory: directory,
        })
    }
}
