//! What the model sees, held against all rules of DESIGN 5 at once, for histories that nobody wrote.

mod lives;
mod properties;
mod reading;
mod regressions;
