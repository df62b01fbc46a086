//! The inside: the swarm itself.
