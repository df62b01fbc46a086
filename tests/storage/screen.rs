//! The screen of the real program: its contents, and the files that it writes on command.

use std::io::{Read, Write};
use std::sync::mpsc::channel;
use std::time::Duration;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use zoea_rig::{Home, until};

/// Opens the first Mysis' conversation, writes the screen to files, and quits. Returns every byte
/// that went to the terminal, and its screens without line ends.
pub(crate) fn of_first_mysis(home: &Home) -> Vec<u8> {
    let (rows, columns) = (60, 200);
    let size = PtySize {
        rows,
        cols: columns,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pty = native_pty_system().openpty(size).expect("a terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_zoea"));
    command.arg("--home");
    command.arg(home.path());
    command.arg("run");
    command.cwd(home.path());
    command.env("TERM", "xterm-256color");
    command.env("LANG", "C.UTF-8");
    let mut child = pty.slave.spawn_command(command).expect("it starts");
    drop(pty.slave);
    let mut keys = pty.master.take_writer().expect("a keyboard");
    let mut reader = pty.master.try_clone_reader().expect("its output");
    let (sender, output) = channel();
    std::thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(count) = reader.read(&mut buffer) {
            if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut screen = vt100::Parser::new(
        rows.try_into().expect("a size"),
        columns.try_into().expect("a size"),
        0,
    );
    let mut seen = Vec::new();
    let mut press = |key: &str| {
        keys.write_all(key.as_bytes()).expect("the key");
        keys.flush().expect("the key");
    };
    let mut wait_for = |what: &str, is_there: &dyn Fn(&str) -> bool| {
        until(what, || {
            if let Ok(bytes) = output.recv_timeout(Duration::from_millis(20)) {
                screen.process(&bytes);
                seen.extend_from_slice(&bytes);
            }
            is_there(&screen.screen().contents()).then_some(())
        });
        seen.extend(screen.screen().contents().replace('\n', "").into_bytes());
    };
    wait_for("the table", &|text| text.contains("alpha"));
    press("\r");
    wait_for("the conversation", &|text| text.contains("Remember"));
    press("P");
    wait_for("the screen is written", &|_| has_dump(home));
    press("q");
    until("it ends", || {
        press("y");
        child.try_wait().expect("a status")
    });
    while let Ok(bytes) = output.try_recv() {
        seen.extend_from_slice(&bytes);
    }
    seen
}

fn has_dump(home: &Home) -> bool {
    // The directory does not exist before the first file is written.
    std::fs::read_dir(home.file("screens"))
        .into_iter()
        .flatten()
        .flatten()
        .any(|entry| entry.file_name().to_string_lossy().ends_with(".svg"))
}
