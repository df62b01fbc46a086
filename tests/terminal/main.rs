//! The real program in a real terminal, operated by keys and read from the screen.

mod attaching;
mod books;
mod command_line;
mod editing;
mod events;
mod first_minute;
mod freezing;
mod leaving;
mod linking;
mod mapping;
mod operating;
mod proving;
mod readme;
mod reloading;
mod resizing;
mod setup;
mod silence;
mod storm;
mod terminal;
