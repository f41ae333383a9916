//! The threads of a command: the first one works with the others, and each has room on its heap.

/// Makes this thread one of those that work side by side, so that what one alone does costs no change
/// of threads, and gives the others room.
pub(super) fn work_on_this_thread() {
    let pool = rayon::ThreadPoolBuilder::new().use_current_thread().start_handler(|_| make_room());
    // An error means that there is a pool already, which works as well.
    let _ = pool.build_global();
}

/// Leaves room at the end of this thread's heap. glibc 2.36 lets the heaps of all threads but the first
/// grow page by page, with a call of the system each time, for which the other threads wait; but a
/// large block that is given back stays at the end of the heap, untouched. It takes two: the first lies
/// outside of the heap, and tells glibc that blocks of that size are common.
fn make_room() {
    const ROOM: usize = 8 << 20;
    for _ in 0..2 {
        drop(std::hint::black_box(Vec::<u8>::with_capacity(ROOM)));
    }
}
