//! The wall clock, set ahead of the machine's clock as the test says. Other clocks are unchanged.

use std::sync::atomic::Ordering;

use libc::{c_int, c_void, clockid_t, time_t, timespec, timeval};

/// The word with the seconds by which the wall clock is ahead; a negative number means behind.
pub const AHEAD: usize = 500;

fn ahead() -> time_t {
    let word = super::control_word(AHEAD);
    word.map_or(0, |word| word.load(Ordering::Acquire).cast_signed())
}

/// # Safety
/// As of the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: clockid_t, into: *mut timespec) -> c_int {
    // SAFETY: the caller's own call.
    let failed = unsafe { libc::syscall(libc::SYS_clock_gettime, clock, into) };
    let is_wall = matches!(clock, libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE);
    if failed == 0 && is_wall {
        // SAFETY: the kernel has just written there.
        unsafe { (*into).tv_sec += ahead() };
    }
    failed as c_int
}

/// # Safety
/// As of the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gettimeofday(into: *mut timeval, zone: *mut c_void) -> c_int {
    // SAFETY: the caller's own call.
    let failed = unsafe { libc::syscall(libc::SYS_gettimeofday, into, zone) };
    if failed == 0 && !into.is_null() {
        // SAFETY: the kernel has just written there.
        unsafe { (*into).tv_sec += ahead() };
    }
    failed as c_int
}

/// # Safety
/// As of the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn time(into: *mut time_t) -> time_t {
    let mut now = timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: there is room for what is asked; the caller's own place is null or can be written.
    unsafe {
        clock_gettime(libc::CLOCK_REALTIME, &raw mut now);
        if !into.is_null() {
            *into = now.tv_sec;
        }
    }
    now.tv_sec
}
