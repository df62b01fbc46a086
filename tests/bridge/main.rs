//! The real program in a real terminal, operated by keys and read from the screen.

mod attaching;
mod operating;
mod reloading;
mod storm;
mod terminal;
