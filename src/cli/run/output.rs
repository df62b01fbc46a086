//! Where the operator sees the swarm: in a terminal, or as lines.

use actors::ui::TerminalLink;
use tokio_util::sync::CancellationToken;
use zoea_tui::TerminalGuard;

use super::RunArgs;
use crate::cli::screen;
use crate::headless::{Format, Headless};
use crate::home::Home;

use crate::settings::{Environment, Settings};
use crate::wiring::Observers;

/// The operator's view of the swarm.
pub(super) enum Output {
    Lines(Headless),
    Screen {
        link: TerminalLink,
        terminal: TerminalGuard,
        quit: CancellationToken,
    },
}

impl Output {
    pub(super) async fn open(
        args: &RunArgs,
        home: &Home,
        settings: &Settings,
        environment: &Environment,
    ) -> anyhow::Result<Output> {
        if args.headless {
            return Ok(Output::Lines(open_output(args.format()).await?));
        }
        let (link, terminal, quit) =
            screen::open_terminal(home, &settings.tui, &args.look, environment)?;
        Ok(Output::Screen {
            link,
            terminal,
            quit,
        })
    }

    pub(super) fn observers(&self) -> Observers {
        match self {
            Output::Lines(headless) => Observers {
                watchers: vec![headless.watcher()],
                link: None,
            },
            Output::Screen { link, .. } => Observers {
                watchers: Vec::new(),
                link: Some(link.clone()),
            },
        }
    }

    /// Waits until the operator quits in the terminal.
    pub(super) async fn quit(&self) {
        match self {
            Output::Lines(_) => std::future::pending().await,
            Output::Screen { quit, .. } => quit.cancelled().await,
        }
    }

    pub(super) async fn close(self) {
        match self {
            Output::Lines(headless) => headless.stop().await,
            Output::Screen { terminal, .. } => terminal.stop(),
        }
    }
}

pub(super) async fn open_output(format: Format) -> anyhow::Result<Headless> {
    Headless::start(format)
        .await
        .map_err(|error| anyhow::anyhow!("open the output: {error}"))
}
