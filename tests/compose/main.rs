//! What the model sees, held against all rules of DESIGN 5 at once, for histories that nobody wrote.

mod history;
mod judge;
mod life;
mod properties;
mod reading;
mod regressions;
