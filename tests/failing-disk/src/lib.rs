//! A disk that fails on command: a library for `LD_PRELOAD` that replaces the C library's file
//! calls and makes those on the store's own files (`zoea.db` and its companions) fail.
//!
//! The test writes the plan of failures into a file of 64-bit words, which this library maps
//! (`ZOEA_FAILING_DISK`). Each call has [`ERRNO`], [`LEFT`], [`SKIP`] and [`IS_TORN`], and behind
//! them the numbers of its failures by error, and of its calls if they are counted. All other calls
//! go to the kernel by `syscall`: looking up the C library's functions would need memory before
//! there is any. The library replaces the wall clock in the same way: see [`clock`].

#![cfg(target_os = "linux")]

pub mod clock;

use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use libc::{c_char, c_int, c_long, c_void, mode_t, off64_t, size_t, ssize_t};

/// The words of each call. The calls are in the order of [`Call`].
pub const WORDS: usize = 16;
/// The error of the failure.
pub const ERRNO: usize = 0;
/// The number of failures that are left; [`u64::MAX`] means until that is changed.
pub const LEFT: usize = 1;
/// The number of calls that pass first.
pub const SKIP: usize = 2;
/// Whether half of the data is written before the error.
pub const IS_TORN: usize = 3;
/// The numbers of failures: a word for each of [`ERRORS`].
pub const STRUCK: usize = 4;
/// The number of calls while [`IS_COUNTED`] is set.
pub const CALLED: usize = 8;
/// Whether calls are counted.
pub const IS_COUNTED: usize = 9;
/// The errors that are counted.
pub const ERRORS: [c_int; 4] = [libc::ENOSPC, libc::EIO, libc::EDQUOT, libc::EINTR];
/// The size of the file in bytes.
pub const BYTES: usize = 4096;

/// The calls by the kernel's names.
#[derive(Clone, Copy)]
#[repr(usize)]
pub enum Call {
    /// `pwrite64`
    Pwrite64,
    Fsync,
    Fdatasync,
    Ftruncate,
    /// `openat`, under any of its names
    Openat,
    Mmap,
    /// `pread64`
    Pread64,
}

/// The mapped file; null before it is mapped and without a file.
static CONTROL: AtomicPtr<AtomicU64> = AtomicPtr::new(std::ptr::null_mut());

#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;

extern "C" fn begin() {
    // SAFETY: the name ends in a NUL; what is returned is null or a text of the environment, which
    // nobody has changed yet. The file is as long as what is mapped.
    unsafe {
        let path = libc::getenv(c"ZOEA_FAILING_DISK".as_ptr());
        if path.is_null() {
            return;
        }
        let file = libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path, libc::O_RDWR) as c_int;
        if file < 0 {
            return;
        }
        let mapped = libc::syscall(
            libc::SYS_mmap,
            std::ptr::null::<c_void>(),
            BYTES,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED,
            file,
            0 as c_long,
        );
        libc::syscall(libc::SYS_close, file);
        if mapped > 0 {
            CONTROL.store(mapped as *mut AtomicU64, Ordering::Release);
        }
    }
}

fn control_word(place: usize) -> Option<&'static AtomicU64> {
    let control = CONTROL.load(Ordering::Acquire);
    if control.is_null() || place >= BYTES / size_of::<AtomicU64>() {
        return None;
    }
    // SAFETY: the mapping stays for ever, is aligned to a page, and holds so many bytes.
    Some(unsafe { &*control.add(place) })
}

fn word(call: Call, place: usize) -> Option<&'static AtomicU64> {
    control_word(call as usize * WORDS + place)
}

/// The error with which this call has to fail, if it has to.
fn injected_error(call: Call, is_ours: impl FnOnce() -> bool) -> Option<c_int> {
    let left = word(call, LEFT)?;
    let is_armed = left.load(Ordering::Acquire) > 0;
    let is_counted = word(call, IS_COUNTED)?.load(Ordering::Acquire) > 0;
    if !(is_armed || is_counted) || !is_ours() {
        return None;
    }
    if is_counted {
        word(call, CALLED)?.fetch_add(1, Ordering::AcqRel);
    }
    if !is_armed {
        return None;
    }
    let passes = |count: u64| count.checked_sub(1);
    let skip = word(call, SKIP)?;
    if skip
        .fetch_update(Ordering::AcqRel, Ordering::Acquire, passes)
        .is_ok()
    {
        return None;
    }
    left.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| match left {
        0 => None,
        u64::MAX => Some(u64::MAX),
        left => Some(left - 1),
    })
    .ok()?;
    let error = word(call, ERRNO)?.load(Ordering::Acquire) as c_int;
    if let Some(place) = ERRORS.iter().position(|known| *known == error) {
        word(call, STRUCK + place)?.fetch_add(1, Ordering::AcqRel);
    }
    Some(error)
}

fn fail(error: c_int) {
    // SAFETY: every thread has its own, always.
    unsafe { *libc::__errno_location() = error };
}

/// Whether a path is one of the store's files.
fn is_store(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    [
        &b"zoea.db"[..],
        b"zoea.db-wal",
        b"zoea.db-shm",
        b"zoea.db-journal",
    ]
    .contains(&name)
}

/// Whether an open file is one of the store's.
fn is_stores(file: c_int) -> bool {
    if file < 0 {
        return false;
    }
    let mut link = *b"/proc/self/fd/\0\0\0\0\0\0\0\0\0\0\0\0";
    let (mut digits, mut count, mut rest) = ([0_u8; 10], 0, file);
    while count == 0 || rest > 0 {
        digits[count] = b'0' + (rest % 10) as u8;
        (count, rest) = (count + 1, rest / 10);
    }
    for place in 0..count {
        link[14 + place] = digits[count - 1 - place];
    }
    let mut target = [0_u8; 1024];
    // SAFETY: both buffers are as long as said, and the link's name ends in a NUL.
    let length = unsafe {
        libc::syscall(
            libc::SYS_readlinkat,
            libc::AT_FDCWD,
            link.as_ptr(),
            target.as_mut_ptr(),
            target.len(),
        )
    };
    usize::try_from(length).is_ok_and(|length| is_store(&target[..length]))
}

/// # Safety
/// As of the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pwrite64(
    file: c_int,
    from: *const c_void,
    count: size_t,
    offset: off64_t,
) -> ssize_t {
    if let Some(error) = injected_error(Call::Pwrite64, || is_stores(file)) {
        let is_torn = word(Call::Pwrite64, IS_TORN);
        if is_torn.is_some_and(|word| word.load(Ordering::Acquire) != 0) {
            // SAFETY: the caller's buffer is twice as long.
            unsafe { libc::syscall(libc::SYS_pwrite64, file, from, count / 2, offset) };
        }
        fail(error);
        return -1;
    }
    // SAFETY: the caller's own call.
    unsafe { libc::syscall(libc::SYS_pwrite64, file, from, count, offset) as ssize_t }
}

/// # Safety
/// As of the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pread64(
    file: c_int,
    into: *mut c_void,
    count: size_t,
    offset: off64_t,
) -> ssize_t {
    if let Some(error) = injected_error(Call::Pread64, || is_stores(file)) {
        fail(error);
        return -1;
    }
    // SAFETY: the caller's own call.
    unsafe { libc::syscall(libc::SYS_pread64, file, into, count, offset) as ssize_t }
}

/// # Safety
/// As of the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fsync(file: c_int) -> c_int {
    if let Some(error) = injected_error(Call::Fsync, || is_stores(file)) {
        fail(error);
        return -1;
    }
    // SAFETY: the caller's own call.
    unsafe { libc::syscall(libc::SYS_fsync, file) as c_int }
}

/// # Safety
/// As of the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fdatasync(file: c_int) -> c_int {
    if let Some(error) = injected_error(Call::Fdatasync, || is_stores(file)) {
        fail(error);
        return -1;
    }
    // SAFETY: the caller's own call.
    unsafe { libc::syscall(libc::SYS_fdatasync, file) as c_int }
}

/// # Safety
/// As of the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ftruncate64(file: c_int, length: off64_t) -> c_int {
    if let Some(error) = injected_error(Call::Ftruncate, || is_stores(file)) {
        fail(error);
        return -1;
    }
    // SAFETY: the caller's own call.
    unsafe { libc::syscall(libc::SYS_ftruncate, file, length) as c_int }
}

/// The mode counts only where the flags say so; it is passed in a register either way.
///
/// # Safety
/// As of the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn openat64(
    directory: c_int,
    path: *const c_char,
    flags: c_int,
    mode: mode_t,
) -> c_int {
    let is_ours = || {
        // SAFETY: a path ends in a NUL.
        is_store(unsafe { std::ffi::CStr::from_ptr(path) }.to_bytes())
    };
    if let Some(error) = injected_error(Call::Openat, is_ours) {
        fail(error);
        return -1;
    }
    // SAFETY: the caller's own call.
    unsafe { libc::syscall(libc::SYS_openat, directory, path, flags, mode) as c_int }
}

/// # Safety
/// As of the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: mode_t) -> c_int {
    // SAFETY: the caller's own call.
    unsafe { openat64(libc::AT_FDCWD, path, flags, mode) }
}

/// # Safety
/// As of the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mmap64(
    at: *mut c_void,
    length: size_t,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: off64_t,
) -> *mut c_void {
    if let Some(error) = injected_error(Call::Mmap, || is_stores(file)) {
        fail(error);
        return libc::MAP_FAILED;
    }
    // SAFETY: the caller's own call; the kernel's answer is the address, or an error that `syscall`
    // makes a minus one of, which is what MAP_FAILED is.
    unsafe {
        libc::syscall(libc::SYS_mmap, at, length, protection, flags, file, offset) as *mut c_void
    }
}

/// The same call under another name of the C library.
macro_rules! also_called {
    ($name:ident as $other:ident($($argument:ident: $kind:ty),*) -> $answer:ty) => {
        /// # Safety
        /// As of the C library's.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $other($($argument: $kind),*) -> $answer {
            // SAFETY: the caller's own call.
            unsafe { $name($($argument),*) }
        }
    };
}

also_called!(pwrite64 as pwrite(file: c_int, from: *const c_void, count: size_t, offset: off64_t) -> ssize_t);
also_called!(ftruncate64 as ftruncate(file: c_int, length: off64_t) -> c_int);
also_called!(openat64 as openat(directory: c_int, path: *const c_char, flags: c_int, mode: mode_t) -> c_int);
also_called!(open64 as open(path: *const c_char, flags: c_int, mode: mode_t) -> c_int);
also_called!(mmap64 as mmap(at: *mut c_void, length: size_t, protection: c_int, flags: c_int, file: c_int, offset: off64_t) -> *mut c_void);
