//! Files of htsim, as the public Ultra Ethernet simulator reads them (uet-htsim).

pub mod connections;
pub mod fat_tree;
mod triggers;
