//! When channels are cut.

use alloc::format;
use alloc::string::String;

use super::OutageSpec;

/// Refuses outages of channels that are not there (there are so many links), or that take no
/// time.
pub(super) fn check_outages(outages: &[OutageSpec], links: usize) -> Result<(), String> {
    for (id, outage) in outages.iter().enumerate() {
        if outage.channel as usize >= 2 * links {
            return Err(format!("outage {id} cuts a channel that does not exist"));
        }
        if outage.from >= outage.until {
            return Err(format!("outage {id} ends before it begins"));
        }
    }
    Ok(())
}
