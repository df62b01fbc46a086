//! The pilot.
