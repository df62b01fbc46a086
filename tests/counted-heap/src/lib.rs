//! A heap that counts the bytes that a program has asked for and not given back. It is the system's
//! heap otherwise.
//!
//! It counts what was asked for, and not what a heap makes of that, so that equal work gives equal
//! counts on every machine. What C code (SQLite) holds is not in it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's heap, counted.
pub struct CountedHeap {
    held: AtomicUsize,
}

impl CountedHeap {
    /// A heap in which nothing is held yet.
    pub const fn new() -> CountedHeap {
        CountedHeap {
            held: AtomicUsize::new(0),
        }
    }

    /// The bytes that are held now.
    pub fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }
}

impl Default for CountedHeap {
    fn default() -> CountedHeap {
        CountedHeap::new()
    }
}

// SAFETY: every call is passed on to `System` as it came; the counters touch no memory of it.
unsafe impl GlobalAlloc for CountedHeap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.held.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.held.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.held.fetch_add(size, Ordering::Relaxed);
        self.held.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.realloc(place, layout, size) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        self.held.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(place, layout) }
    }
}
