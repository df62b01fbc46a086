//! Seats: whose terminal shows the dashboard, and so what quitting ends.

/// Whose terminal it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seat {
    /// The program's own: whoever quits there ends the program.
    #[default]
    Own,
    /// One of another process (`zoea attach`): whoever quits there leaves, and the swarm goes on.
    Attached,
}
