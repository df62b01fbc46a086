//! Homes that cannot be written: what can be read of them, and that no copy of them is left.

use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, Output};

use zoea_rig::{Home, Process, ending_signals, texts, until};

/// A home on a mount of its own that cannot be written, which ends with each command. The folder is where copies of
/// it are made.
struct ReadOnlyHome {
    home: Home,
    copies: tempfile::TempDir,
}

impl ReadOnlyHome {
    /// A home with a Mysis that has a message. `None` where no mount can be made.
    fn new() -> Option<ReadOnlyHome> {
        let home = Home::new();
        home.configure("http://127.0.0.1:9/v1", "", "");
        home.ok(&["mysis", "create", "alpha"]);
        home.ok(&["send", "alpha", "Mine iron ore."]);
        let copies = tempfile::tempdir().expect("a folder");
        let read_only = ReadOnlyHome { home, copies };
        let tried = read_only.command(&["man"]).output().ok();
        let is_made = |output: &Output| {
            output.status.code() != Some(77) && !output.stderr.starts_with(b"unshare")
        };
        if tried.filter(is_made).is_some() {
            return Some(read_only);
        }
        // Not by a macro, whose output is only shown for tests that fail.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            b"\n!!!! READ-ONLY HOMES ARE NOT TESTED: no mount can be made here\n",
        );
        None
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let script = "mount --bind \"$1\" \"$1\" && mount -o remount,ro,bind \"$1\" || exit 77; \
                      zoea=$2; home=$1; shift 2; exec \"$zoea\" --home \"$home\" \"$@\"";
        let mut command = Command::new("unshare");
        command
            .args(["-rm", "sh", "-c", script, "sh"])
            .arg(self.home.path())
            .arg(zoea_rig::program())
            .args(arguments)
            .env("TMPDIR", self.copies.path());
        command
    }

    fn run(&self, arguments: &[&str]) -> (bool, String, String) {
        let output = self.command(arguments).output().expect("it runs");
        let (out, error) = texts(&output);
        (output.status.success(), out, error)
    }

    /// What there is of copies now.
    fn copies(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.copies.path()).expect("a folder");
        entries
            .map(|entry| entry.expect("an entry").path())
            .collect()
    }
}

#[test]
fn a_home_that_cannot_be_written_can_be_looked_into() {
    let Some(read_only) = ReadOnlyHome::new() else {
        return;
    };
    let home = &read_only.home;
    home.ok(&["freeze"]);
    std::fs::create_dir(home.file("routines")).expect("a folder");
    std::fs::write(home.file("routines/watch.json"), "{}").expect("a file");
    let minute_ago = chrono::Utc::now().timestamp_millis() - 60_000;
    let choices = format!("{{\"looked\":{minute_ago}}}");
    std::fs::write(home.file("zoea.views.json"), choices).expect("a file");
    for (arguments, printed) in [
        (&["status"][..], "alpha"),
        (&["status"], "FROZEN since"),
        (&["log", "alpha"], "Mine iron ore."),
        (&["search", "iron"], "alpha 1"),
        (&["events"], "Mine iron ore."),
        (&["export"], "Mine iron ore."),
        (&["db", "check"], "✓"),
        (&["books"], ""),
        (&["mysis", "list"], "alpha"),
        (&["routine", "list"], "watch: a file in "),
        (&["report", "--since", "looked"], "# Zoea Nova, "),
    ] {
        let (is_ok, out, error) = read_only.run(arguments);
        assert!(is_ok, "{arguments:?}: {error}");
        assert!(out.contains(printed), "{arguments:?}: {out}");
        assert!(error.contains("read from a copy"), "{arguments:?}: {error}");
    }
    let rows = || home.lines(&["log", "alpha", "--json"]);
    let before = rows();
    let (is_ok, _, error) = read_only.run(&["send", "alpha", "Sell it."]);
    assert!(!is_ok && error.contains("Read-only file system"), "{error}");
    assert_eq!(rows(), before);
    std::fs::remove_file(home.file("zoea.db")).expect("a database");
    let (is_ok, _, error) = read_only.run(&["status"]);
    assert!(!is_ok && error.contains("is missing or empty"), "{error}");
    assert_eq!(read_only.copies(), [] as [PathBuf; 0]);
}

#[test]
fn a_signal_leaves_no_copy_of_a_home_that_cannot_be_written() {
    let Some(read_only) = ReadOnlyHome::new() else {
        return;
    };
    for (name, number) in ending_signals() {
        let mut following = Process::spawn(read_only.command(&["events", "--follow"]));
        let is_printed =
            std::iter::from_fn(|| following.line()).any(|line| line.contains("Mine iron ore."));
        assert!(is_printed, "it ended");
        let copies = until("a copy", || {
            let copies = read_only.copies();
            (!copies.is_empty()).then_some(copies)
        });
        assert_eq!(copies.len(), 1, "{copies:?}");
        following.signal(name);
        assert_eq!(following.wait().signal(), Some(number));
        assert_eq!(read_only.copies(), [] as [PathBuf; 0], "{name}");
    }
}
