//! The engines' own rules, as the last word: what runs must be what was called sound.
//!
//! Every rule has a check of its own before, which knows the place and the way on. This is for
//! those that someone forgot.

use std::fmt::Display;

use crate::Engine;
use crate::prelude::*;

/// Has the engine look at what it is to run.
pub(crate) fn check(at: &At, engine: &Engine, mistakes: &mut Diagnostics) {
    match engine {
        Engine::Packet(packet) => tell(at, backwater_net::verify(&packet.network), mistakes),
        Engine::Flit(fabric) => tell(at, backwater_flit::verify(fabric), mistakes),
        Engine::Ethernet(found) => {
            tell(at, backwater_net::frames::verify(&found.network), mistakes)
        }
    }
}

fn tell<E: Display>(at: &At, result: Result<(), E>, mistakes: &mut Diagnostics) {
    let Err(error) = result else { return };
    Diagnostic::error("refused", format!("the engine can't run this: {error}"))
        .at(at, "it would not start")
        .help("change what the message names")
        .tell(mistakes);
}
