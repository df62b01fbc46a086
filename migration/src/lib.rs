//! The schema, step by step.
