//! `zoea processes`: the processes that share one database, and draining one.

use clap::Subcommand;
use zoea_contract::ProcessJson;
use zoea_text::figures::group_digits;

use crate::interface::cli::listing::{ListOrder, Listed};
use crate::interface::cli::out::{self, Column};
use crate::interface::cli::shown;
use crate::interface::cli::swarm_client::SwarmClient;
use crate::interface::control::call::ControlCall;

/// An order to a process.
#[derive(Debug, Subcommand)]
pub(super) enum ProcessOrder {
    /// Move the Myses of a process to the others; it takes no new ones until it ends.
    Drain {
        /// The name of the process.
        name: String,
    },
    /// Let a process take Myses again.
    Undrain {
        /// The name of the process.
        name: String,
    },
}

impl ListOrder for ProcessOrder {
    type Listed = ProcessJson<'static>;

    async fn carry_out(&self, client: &SwarmClient) -> anyhow::Result<()> {
        let (call, line) = match self {
            ProcessOrder::Drain { name } => (
                ControlCall::DrainProcess { name: name.clone() },
                format!("{name} gives its Myses to the others and takes none"),
            ),
            ProcessOrder::Undrain { name } => (
                ControlCall::UndrainProcess { name: name.clone() },
                format!("{name} takes Myses again"),
            ),
        };
        client.call(call).await?;
        Ok(out::line(&line)?)
    }
}

impl Listed for ProcessJson<'static> {
    const COLUMNS: &'static [Column] = &[
        Column::text("NAME"),
        Column::text("STATE"),
        Column::figure("MYSES"),
        Column::figure("RUNNING"),
        Column::figure("CAPACITY"),
        Column::text("SINCE"),
        Column::text("LAST SEEN"),
        Column::text("VERSION"),
        Column::text("HOST"),
        Column::text("DIRECTORY"),
    ];
    const NONE: Option<&'static str> = Some(
        "there is no process to list: only processes that share a PostgreSQL database are listed \
         (`database_url` under [store]), for a day after their end; `zoea status` shows the one program of this home",
    );

    fn call() -> ControlCall {
        ControlCall::ListProcesses {}
    }

    fn cells(self) -> Vec<String> {
        let here = if self.here { " (this one)" } else { "" };
        let until = self.until.as_deref();
        vec![
            format!("{}{here}", self.name),
            self.state.to_string(),
            group_digits(self.myses),
            group_digits(self.running),
            group_digits(self.capacity),
            shown::time(&self.since),
            until.map_or_else(|| "now".to_string(), shown::time),
            self.version.to_string(),
            self.host.to_string(),
            self.directory.to_string(),
        ]
    }
}
