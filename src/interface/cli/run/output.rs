//! Where the operator sees the swarm: in a terminal, or as lines.

use std::sync::Arc;

use actors::domain::screen::Successor;
use actors::ui::TerminalLink;
use zoea_settings::{Environment, Settings};
use zoea_tui::TerminalGuard;

use super::farewell::RunBeginning;
use super::{RunArgs, StopReason, farewell};
use crate::host::home::Home;
use crate::interface::cli::global::GlobalArgs;
use crate::interface::cli::{out, screen};
use crate::interface::headless::Headless;

use crate::wiring::{Observers, RunningSwarm};

/// The operator's view of the swarm.
pub(super) enum Output {
    Lines(Headless),
    Screen {
        link: TerminalLink,
        terminal: TerminalGuard,
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
            let lines = Headless::start(args.format()).await;
            let lines = lines.map_err(|error| anyhow::anyhow!("open the output: {error}"))?;
            return Ok(Output::Lines(lines));
        }
        let (link, terminal) = screen::open_terminal(home, &settings.tui, &args.look, environment)?;
        Ok(Output::Screen { link, terminal })
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

    /// What the operator reads in the shell after the terminal is closed. What is not known after a moment, or when
    /// a signal asks the program to stop, is left out.
    pub(super) async fn farewell(
        &self,
        flight: &RunningSwarm,
        began: &RunBeginning,
        (args, global): (&RunArgs, &GlobalArgs),
        stop: impl Future<Output = ()>,
    ) -> Option<String> {
        let resume = match args.offline {
            true => global.command("run --offline", None),
            false => global.command("run --resume", None),
        };
        let goes_on = self.reason_to_quit() == StopReason::Replaced(Successor::Headless);
        let resume = (!goes_on).then_some(&*resume);
        match self {
            Output::Lines(_) => {
                let swarm = flight.swarm();
                let telling = async {
                    // A loss of the database is the error with which the program ends.
                    let standing = match swarm.ledger().loss() {
                        None => swarm.standing().await,
                        Some(_) => Arc::default(),
                    };
                    for text in farewell::describe_standing(&standing) {
                        out::note(&text);
                    }
                };
                farewell::in_time(farewell::MAX_SHORT_WAIT, telling, stop).await;
                None
            }
            Output::Screen { .. } => farewell::describe(flight, began, resume, stop).await,
        }
    }

    /// What the operator wants who has quit.
    pub(super) fn reason_to_quit(&self) -> StopReason {
        match self {
            Output::Lines(_) => StopReason::Asked,
            Output::Screen { link, .. } => match link.successor.get() {
                Some(successor) => StopReason::Replaced(*successor),
                None => StopReason::Asked,
            },
        }
    }

    /// Waits until the operator quits in the terminal.
    pub(super) async fn quit(&self) {
        match self {
            Output::Lines(_) => std::future::pending().await,
            Output::Screen { link, .. } => link.quit.cancelled().await,
        }
    }

    /// Closes it. Returns whether a farewell can be written.
    pub(super) async fn close(self) -> bool {
        match self {
            Output::Lines(headless) => {
                headless.stop().await;
                true
            }
            Output::Screen { terminal, .. } => terminal.stop(),
        }
    }
}
