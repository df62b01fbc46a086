//! The real program in a real terminal, operated by keys and read from the screen.

mod operating;
mod storm;
mod terminal;
