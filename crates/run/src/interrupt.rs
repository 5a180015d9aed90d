//! Signals that ask to stop, of which Ctrl-C sends one: the first keeps what there is, a second of
//! any kind ends the program at once.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);
static SIGNAL: AtomicUsize = AtomicUsize::new(0);
static TOLD: AtomicBool = AtomicBool::new(false);

/// Above the number of the signal in an exit status, as shells have it.
const BY_SIGNAL: i32 = 128;
/// What Ctrl-C sends.
const SIGINT: usize = 2;

/// Listens from now on; the flag becomes true with the first signal.
pub fn flag() -> &'static AtomicBool {
    #[cfg(not(target_family = "wasm"))]
    signals::listen();
    &STOP
}

/// Did a signal ask to stop? Whoever sees it first says so.
pub fn is_set() -> bool {
    let is_set = STOP.load(Ordering::SeqCst);
    if is_set && !TOLD.swap(true, Ordering::SeqCst) {
        log::info!("\nstopping; what was computed is kept (Ctrl-C again to discard it)");
    }
    is_set
}

/// The exit status of a program that a signal stopped: 130 after Ctrl-C, 143 after SIGTERM, 129
/// after SIGHUP.
pub fn status() -> u8 {
    let signal = match SIGNAL.load(Ordering::SeqCst) {
        0 => SIGINT,
        signal => signal,
    };
    u8::try_from(BY_SIGNAL as usize + signal).unwrap_or(u8::MAX)
}

/// Where there are any: a program in a browser gets none, and whoever started it ends it.
#[cfg(not(target_family = "wasm"))]
mod signals {
    use std::sync::Once;

    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::flag::{register, register_conditional_shutdown, register_usize};

    use super::{BY_SIGNAL, SIGNAL, STOP};

    static LISTENING: Once = Once::new();

    pub fn listen() {
        LISTENING.call_once(|| {
            #[cfg(unix)]
            if !is_ignored(signal_hook::consts::SIGHUP) {
                listen_to(signal_hook::consts::SIGHUP);
            }
            listen_to(SIGINT);
            listen_to(SIGTERM);
        });
    }

    /// What is done at a signal happens in this order. Without a handler the signal ends the
    /// program, as if it did not listen.
    fn listen_to(signal: i32) {
        let _ = register_conditional_shutdown(signal, BY_SIGNAL + signal, &STOP)
            .and_then(|_| register_usize(signal, &SIGNAL, signal as usize))
            .and_then(|_| register(signal, &STOP));
    }

    /// Did whoever started the program see to it that it does not get this signal, as `nohup`
    /// does?
    #[cfg(unix)]
    fn is_ignored(signal: i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
    }
}
