//! The terminal that the program was started in.

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Whether the terminal behind standard input is gone: its window was closed, or its connection
/// ended.
pub fn is_gone() -> bool {
    let input = std::io::stdin();
    let mut asked = [PollFd::new(&input, PollFlags::empty())];
    let at_once = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut asked, Some(&at_once)).is_ok() && asked[0].revents().contains(PollFlags::HUP)
}
