//! The command line from outside: what it prints, writes and returns.

mod fabric;
mod nasty;
mod papers;
mod pipes;
mod runs;
mod stopping;
mod support;
mod trace;
mod words;
