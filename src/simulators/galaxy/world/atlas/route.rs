//! The shortest way between two systems, by jumps.

use std::collections::VecDeque;

use super::{System, SystemIx};

/// Searches breadth first. Among equally short ways the order of the lanes decides.
pub(super) fn shortest_route(
    systems: &[System],
    from: SystemIx,
    to: SystemIx,
) -> Option<Vec<SystemIx>> {
    let mut came_from: Vec<Option<SystemIx>> = vec![None; systems.len()];
    let mut open = VecDeque::from([from]);
    came_from[usize::from(from.0)] = Some(from);
    while let Some(here) = open.pop_front() {
        if here == to {
            return Some(walk_back(&came_from, from, to));
        }
        for next in &systems[usize::from(here.0)].lanes {
            let seen = &mut came_from[usize::from(next.0)];
            if seen.is_none() {
                *seen = Some(here);
                open.push_back(*next);
            }
        }
    }
    None
}

fn walk_back(came_from: &[Option<SystemIx>], from: SystemIx, to: SystemIx) -> Vec<SystemIx> {
    let mut way = vec![to];
    let mut here = to;
    while let Some(before) = came_from[usize::from(here.0)]
        && here != from
    {
        way.push(before);
        here = before;
    }
    way.reverse();
    way
}
