//! Ctrl-C: the first asks to stop and keep what there is, the second ends the program.

use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// Listens for Ctrl-C from now on; the flag becomes true with the first.
pub fn flag() -> &'static AtomicBool {
    let handler = || {
        if STOP.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(crate::INTERRUPTED));
        }
        eprintln!("\nstopping; what was computed is kept (Ctrl-C again to drop it)");
    };
    // A second call in one process finds the handler in place.
    let _ = ctrlc::set_handler(handler);
    &STOP
}

/// Was Ctrl-C pressed?
pub fn is_set() -> bool {
    STOP.load(Ordering::SeqCst)
}
