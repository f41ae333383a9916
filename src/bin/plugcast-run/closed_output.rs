//! Ends the program where standard output is closed, or open for reading alone, before anything is done. This is looked
//! at before the standard library starts: that opens each closed stream as the null device, after which it cannot be
//! told from one that a caller throws away.
#![allow(
    unsafe_code,
    reason = "the linker is told where the function's address belongs; no pointer is read here"
)]

use plugcast::runtime::answer::ENVIRONMENT;
use rustix::fs::{OFlags, fcntl_getfl};

/// The loader runs the functions of this section before `main`.
#[used]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static BEFORE_MAIN: extern "C" fn() = refuse_closed_output;

#[expect(clippy::disallowed_methods, reason = "`main`, which returns the exit code, has not begun")]
extern "C" fn refuse_closed_output() {
    let mode = fcntl_getfl(rustix::stdio::stdout()).map(|flags| flags & OFlags::RWMODE);
    if mode.is_err() || mode == Ok(OFlags::RDONLY) {
        // The standard library takes what it cannot write there for written, too.
        let message = b"warning: standard output is closed, so nothing was done\n";
        // Nothing can be done about a closed stream.
        let _ = rustix::io::write(rustix::stdio::stderr(), message);
        std::process::exit(i32::from(ENVIRONMENT));
    }
}
