//! Functions of the C library that a static program links and does not need, in their shortest form; the linker takes
//! these first. Without the library's own messages and their translations, dynamic loading, the names and stacks of
//! threads, and unwinding, the program is a tenth smaller (`cargo run --example sizes` leaves the C library out).
#![allow(unsafe_code, reason = "symbols of another library are replaced; no pointer is read here")]

use std::ffi::{c_char, c_int, c_void};

/// Ends the program after a failed assertion.
#[unsafe(no_mangle)]
extern "C" fn __assert_fail(_: *const c_char, _: *const c_char, _: c_int, _: *const c_char) -> ! {
    std::process::abort()
}

/// Leaves a message in English.
#[unsafe(no_mangle)]
extern "C" fn __dcgettext(_: *const c_char, message: *const c_char, _: c_int) -> *const c_char {
    message
}

/// The same under its public name.
#[unsafe(no_mangle)]
extern "C" fn dcgettext(_: *const c_char, message: *const c_char, _: c_int) -> *const c_char {
    message
}

/// Finds no symbol: a static program has none to find.
#[unsafe(no_mangle)]
extern "C" fn dlsym(_: *mut c_void, _: *const c_char) -> *mut c_void {
    std::ptr::null_mut()
}

/// Reports no stack: the standard library would only name it where one overflows.
#[unsafe(no_mangle)]
extern "C" fn pthread_getattr_np(_: *mut c_void, _: *mut c_void) -> c_int {
    const NOT_SUPPORTED: c_int = 38;
    NOT_SUPPORTED
}

/// Names no thread.
#[unsafe(no_mangle)]
extern "C" fn pthread_setname_np(_: *mut c_void, _: *const c_char) -> c_int {
    0
}

/// Prints none of the library's own reports, such as those of the allocator.
#[unsafe(no_mangle)]
extern "C" fn fprintf(_: *mut c_void, _: *const c_char) -> c_int {
    0
}

/// The same for its warnings, such as those of a malformed `/etc/host.conf`.
#[unsafe(no_mangle)]
extern "C" fn __fxprintf(_: *mut c_void, _: *const c_char) -> c_int {
    0
}

/// Walks no stack: the program has neither tables to do so nor names to show. As nothing calls them then, the readers of
/// debug information in the standard library are left out: a sixteenth of the program.
#[unsafe(no_mangle)]
extern "C" fn _Unwind_Backtrace(_: *mut c_void, _: *mut c_void) -> c_int {
    const END_OF_STACK: c_int = 5;
    END_OF_STACK
}

/// Replaces the rest of the unwinder, which is never called: a panic aborts, and no thread is cancelled.
macro_rules! uncalled {
    ($($name:ident)*) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name() -> ! {
                std::process::abort()
            }
        )*
    };
}

uncalled! {
    _Unwind_FindEnclosingFunction _Unwind_ForcedUnwind _Unwind_GetCFA _Unwind_GetDataRelBase _Unwind_GetIP
    _Unwind_GetIPInfo _Unwind_GetLanguageSpecificData _Unwind_GetRegionStart _Unwind_GetTextRelBase _Unwind_Resume
    _Unwind_SetGR _Unwind_SetIP __gcc_personality_v0
}
