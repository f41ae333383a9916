//! Parallel work, if there is enough of it. For the few files of most plugins threads cost more than they gain:
//! creating them, waking them, and a heap for each.

use std::sync::Once;

use rayon::prelude::*;

/// The number of files from which threads pay off: with fewer, the first one is done before the others have woken up.
const THREADS_FROM: usize = 200;

/// Whether work over so many files runs in parallel. The threads are created when they are first needed.
pub fn uses_threads(files: usize) -> bool {
    static POOL_CREATED: Once = Once::new();
    if files < THREADS_FROM {
        return false;
    }
    POOL_CREATED.call_once(work_on_this_thread);
    true
}

/// Applies `f` to each item, keeping the order; `files` is the number of files that the items stand for.
pub fn map<T: Send, R: Send>(items: Vec<T>, files: usize, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    map_with(items, files, || (), |(), item| f(item))
}

/// Like [`map`], with a value that each thread creates once, such as a buffer.
pub fn map_with<T: Send, R: Send, S>(
    items: Vec<T>,
    files: usize,
    made: impl Fn() -> S + Sync + Send,
    f: impl Fn(&mut S, T) -> R + Sync + Send,
) -> Vec<R> {
    if uses_threads(files) {
        // Large enough chunks to be worth distributing.
        let part = items.len() / 64 + 1;
        return items.into_par_iter().with_min_len(part).map_init(made, f).collect();
    }
    let mut own = made();
    items.into_iter().map(|item| f(&mut own, item)).collect()
}

/// Makes this thread part of the pool, so that serial work costs no thread switch, and reserves heap space for the
/// others.
fn work_on_this_thread() {
    let pool = rayon::ThreadPoolBuilder::new().use_current_thread().start_handler(|_| make_room());
    // An error means that a pool already exists, which works as well.
    let _ = pool.build_global();
}

/// Reserves room at the end of this thread's heap. glibc 2.36 grows the heap of every thread but the first page by
/// page, with a system call each time that makes the other threads wait; but a large freed block remains at the end of
/// the heap. It takes two blocks: the first is mapped outside of the heap, and freeing it tells glibc that blocks of
/// that size are common.
fn make_room() {
    const ROOM: usize = 24 << 20;
    for _ in 0..2 {
        drop(std::hint::black_box(Vec::<u8>::with_capacity(ROOM)));
    }
}
