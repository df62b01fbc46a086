//! The screen: the terminal as the environment and the command line want it.

use std::io::IsTerminal;
use std::sync::Arc;

use actors::domain::dashboard::appearance::{Appearance, Letters, Theme};
use actors::domain::dashboard::figures::UtcOffset;
use actors::ui::{self, Bridge};
use anyhow::Context;
use tokio_util::sync::CancellationToken;

use crate::settings::Environment;
use crate::tui::theme::Depth;
use crate::tui::{Options, Terminal};

/// Takes the terminal over. The bridge is for the Commander; the token says that the operator wants
/// to quit.
///
/// # Errors
/// There is no terminal, or it does not obey.
pub(super) fn open(
    environment: &Environment,
) -> anyhow::Result<(Bridge, Terminal, CancellationToken)> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        anyhow::bail!("there is no terminal here; give --headless to run without one");
    }
    let (address, handle) = ui::address();
    let (screen, terminal) =
        Terminal::start(handle, options(environment)).context("open the terminal")?;
    let quit = CancellationToken::new();
    let bridge = Bridge {
        screen,
        address: Arc::new(address),
        quit: quit.clone(),
        exporter: None,
    };
    Ok((bridge, terminal, quit))
}

fn options(environment: &Environment) -> Options {
    let is_set = |name: &str| environment.get(name).is_some_and(|value| !value.is_empty());
    let holds = |name: &str, words: &[&str]| {
        environment
            .get(name)
            .and_then(|value| value.to_str())
            .is_some_and(|value| words.iter().any(|word| value.to_lowercase().contains(word)))
    };
    let theme = if is_set("NO_COLOR") {
        Theme::NoColour
    } else {
        Theme::Dark
    };
    let is_true = holds("COLORTERM", &["truecolor", "24bit"]);
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find(|name| is_set(name));
    let is_ascii = locale.is_some_and(|name| !holds(name, &["utf-8", "utf8"]));
    Options {
        appearance: Appearance {
            theme,
            letters: if is_ascii {
                Letters::Ascii
            } else {
                Letters::Unicode
            },
            offset: local_offset(),
            ..Appearance::default()
        },
        depth: if is_true { Depth::True } else { Depth::Indexed },
        ..Options::default()
    }
}

/// How far the operator's clock is from UTC.
fn local_offset() -> UtcOffset {
    UtcOffset(chrono::Local::now().offset().local_minus_utc() / 60)
}
