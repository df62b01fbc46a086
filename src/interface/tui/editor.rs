//! Lends the terminal to the operator's editor, and takes it back however the editor ends.

use std::fs::{self, File};
use std::io::{self, IsTerminal, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use actors::domain::order::MAX_ORDER_BYTES;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use zoea_system::files::without_mark;
use zoea_text::clean::clean_text;

use crate::slot::PictureSlot;
use crate::{acts, modes};

/// Becomes the operator's editor, which a variable names, maybe with options. The shell reads the variables.
const EDITOR_SCRIPT: &str = r#"for editor in "$VISUAL" "$EDITOR" vi; do
    case $editor in *[![:space:]]*) eval "exec $editor \"\$1\"" ;; esac
done"#;
/// How often it is looked whether the editor has ended, or the screen has to.
const LOOK_INTERVAL: Duration = Duration::from_millis(25);

/// Lets the operator's editor change a text. The terminal is the screen's again when this returns.
///
/// # Errors
/// The editor failed, or what it wrote is no text for an order: the text stays as it was.
pub(super) fn edit<P>(
    folder: &Path,
    text: &str,
    slot: &PictureSlot<P>,
) -> Result<Arc<str>, String> {
    let file = folder.join(format!("editing-{}.txt", std::process::id()));
    let stays = |why: String| format!("{why}; the text is unchanged");
    acts::write(&file, text).map_err(|error| stays(format!("{}: {error}", file.display())))?;
    let ended = with_terminal(slot, || run_editor(&file, slot));
    let read = match ended {
        Ok(status) if status.success() => read_file(&file),
        Ok(status) => Err(describe(status)),
        Err(error) => Err(error.to_string()),
    };
    // A file that stays holds what the operator wrote for this Mysis only.
    let _ = fs::remove_file(&file);
    read.map_err(stays)
}

/// Runs what needs the terminal while neither the screen nor its reader of keys uses it.
fn with_terminal<P, T>(
    slot: &PictureSlot<P>,
    run: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    slot.lend_input();
    modes::lend();
    let done = run();
    let back = modes::take_back();
    slot.take_input_back();
    back?;
    done
}

/// Runs the editor until it ends. It is ended where the screen is over.
fn run_editor<P>(file: &Path, slot: &PictureSlot<P>) -> io::Result<ExitStatus> {
    let mut command = Command::new("sh");
    command.args(["-c", EDITOR_SCRIPT, "sh"]).arg(file);
    if !io::stdin().is_terminal() {
        command.stdin(Stdio::from(File::open("/dev/tty")?));
    }
    wait_for(&command.spawn()?, slot)
}

fn wait_for<P>(child: &Child, slot: &PictureSlot<P>) -> io::Result<ExitStatus> {
    let pid = Pid::from_child(child);
    let mut is_announced = false;
    loop {
        let looked = waitpid(Some(pid), WaitOptions::NOHANG | WaitOptions::UNTRACED);
        match looked? {
            // The shell does not know it, and so could not continue it.
            Some((_, status)) if status.stopped() => kill_process(pid, Signal::CONT)?,
            Some((_, status)) => return Ok(ExitStatus::from_raw(status.as_raw())),
            None => {}
        }
        if slot.is_over() && !is_announced {
            is_announced = true;
            kill_process(pid, Signal::TERM)?;
        }
        std::thread::park_timeout(LOOK_INTERVAL);
    }
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(126 | 127), _) => {
            "this editor does not exist: set EDITOR to one that does".to_string()
        }
        (Some(code), _) => format!("the editor failed with {code}"),
        (None, Some(signal)) => format!("the editor was ended by signal {signal}"),
        (None, None) => "the editor failed".to_string(),
    }
}

/// The text in the file, clean and no longer than an order may be.
fn read_file(file: &Path) -> Result<Arc<str>, String> {
    let most = u64::try_from(MAX_ORDER_BYTES).unwrap_or(u64::MAX);
    let mut bytes = Vec::new();
    File::open(file)
        .and_then(|opened| opened.take(most + 1).read_to_end(&mut bytes))
        .map_err(|error| format!("what the editor wrote cannot be read: {error}"))?;
    if bytes.len() > MAX_ORDER_BYTES {
        return Err(format!(
            "what the editor wrote has more than {MAX_ORDER_BYTES} bytes"
        ));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| "what the editor wrote is not UTF-8 text".to_string())?;
    let text = without_mark(text);
    Ok(clean_text(&text).trim_end_matches('\n').into())
}
