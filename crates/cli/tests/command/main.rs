//! The command line from outside: what it prints, writes and returns.

mod nasty;
mod papers;
mod pipes;
mod runs;
mod stopping;
mod support;
mod trace;
mod words;
