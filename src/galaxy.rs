//! The galaxy.
