//! Fully connected routers.

use backwater_kernel::BuildError;

use super::Size;

pub(super) fn size(routers: u32, terminals: u32) -> Result<Size, BuildError> {
    let routers = u64::from(routers);
    Size::new(
        routers,
        routers * routers.saturating_sub(1),
        routers * u64::from(terminals),
    )
}

pub(super) fn each_channel(routers: u32, visit: &mut impl FnMut(u32, u32)) {
    for from in 0..routers {
        for to in (0..routers).filter(|to| *to != from) {
            visit(from, to);
        }
    }
}
