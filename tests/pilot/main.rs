//! The pilot from outside: over real HTTP, and as a player of a small imitation of the game.

//mod faults;
mod game;
mod host;
mod playing;
//mod recording;
//mod refusing;
//mod served;
//mod serving;
//mod streaming;
