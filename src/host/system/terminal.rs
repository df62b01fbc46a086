//! The terminal that the program was started in, and the other end of its streams.

use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Whether the terminal behind standard input is gone: its window was closed, or its connection
/// ended.
pub fn is_gone() -> bool {
    has(&std::io::stdin(), PollFlags::HUP)
}

/// Whether nobody can read standard output any more: the pipe or the terminal behind it is closed.
pub fn is_unread() -> bool {
    has(&rustix::stdio::stdout(), PollFlags::HUP | PollFlags::ERR)
}

fn has(stream: &impl AsFd, ends: PollFlags) -> bool {
    let mut asked = [PollFd::new(stream, PollFlags::empty())];
    let at_once = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut asked, Some(&at_once)).is_ok() && asked[0].revents().intersects(ends)
}
