//! The player's decisions, one situation at a time.
