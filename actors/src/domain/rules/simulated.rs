//! What is simulated.

/// Which servers the program itself simulates. Nothing that is earned there is real.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Simulated {
    /// None.
    #[default]
    Nothing,
    Game,
    GameAndModel,
}

impl Simulated {
    /// What the operator is told; empty if nothing is simulated.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Simulated::Nothing => "",
            Simulated::Game => "simulated game",
            Simulated::GameAndModel => "simulated game and model",
        }
    }
}
