//! The file format: pcapng (draft-ietf-opsawg-pcapng), as much of it as a capture needs.
//!
//! Five kinds of blocks are written: section header, interface description, name resolution,
//! enhanced packet and interface statistics. They are few and flat, and the one crate for them
//! (`pcap-file`) takes no note of `if_tsresol` in its last release, so a nanosecond would become a
//! microsecond.
//!
//! Numbers are little-endian on every machine: a run gives the same file everywhere.

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const INTERFACE_DESCRIPTION: u32 = 1;
const NAME_RESOLUTION: u32 = 4;
const INTERFACE_STATISTICS: u32 = 5;
const ENHANCED_PACKET: u32 = 6;
/// How a reader finds out the order of bytes.
const ORDER: u32 = 0x1a2b_3c4d;
/// Ethernet.
const LINK_TYPE: u16 = 1;
/// Time stamps count 10^-9 s.
const NANOSECONDS: u8 = 9;

/// Nodes named in one block, so that none is too long for readers.
const NAMES_A_BLOCK: usize = 1_000;

/// What has a name.
mod record {
    pub const END: u16 = 0;
    pub const IPV4: u16 = 1;
    pub const MAC: u16 = 3;
}

/// Codes of options, by block.
mod option {
    pub const COMMENT: u16 = 1;
    pub const SECTION_PROGRAM: u16 = 4;
    pub const INTERFACE_NAME: u16 = 2;
    pub const INTERFACE_DESCRIPTION: u16 = 3;
    pub const INTERFACE_MAC: u16 = 6;
    pub const INTERFACE_SPEED: u16 = 8;
    pub const INTERFACE_TIME_UNIT: u16 = 9;
    pub const INTERFACE_FCS_BITS: u16 = 13;
    pub const STATISTICS_RECEIVED: u16 = 4;
}

/// Where packets are caught: one direction of a link.
#[derive(Clone, Debug)]
pub struct Interface {
    /// As readers show it.
    pub name: String,
    /// A sentence on it; empty for none.
    pub description: String,
    /// Address of the node that sends there.
    pub mac: [u8; 6],
    /// Bits per second.
    pub speed_bps: u64,
}

/// A node and its addresses.
#[derive(Clone, Debug)]
pub struct Named {
    /// As readers show it.
    pub name: String,
    /// On its links.
    pub mac: [u8; 6],
    /// None of a switch.
    pub address: Option<[u8; 4]>,
}

/// Blocks on their way to a file.
#[derive(Debug)]
pub struct Blocks {
    snap_bytes: u32,
    bytes: Vec<u8>,
    /// The block being made.
    body: Vec<u8>,
    /// Packets so far, by interface.
    packets: Vec<u64>,
}

impl Blocks {
    /// None yet, of so many interfaces; of each packet at most `snap_bytes` are kept.
    pub fn new(interfaces: usize, snap_bytes: u32) -> Blocks {
        Blocks {
            snap_bytes,
            bytes: Vec::new(),
            body: Vec::new(),
            packets: vec![0; interfaces],
        }
    }

    /// What there is of them.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// The section header. `program` and `comment` are for readers.
    pub fn section(&mut self, program: &str, comment: &str) {
        self.body.extend(ORDER.to_le_bytes());
        self.body.extend([1, 0, 0, 0]);
        // The section's length is not known beforehand.
        self.body.extend(u64::MAX.to_le_bytes());
        self.option(option::SECTION_PROGRAM, program.as_bytes());
        self.option(option::COMMENT, comment.as_bytes());
        self.end_options();
        self.block(SECTION_HEADER);
    }

    /// The next interface.
    pub fn interface(&mut self, interface: &Interface) {
        self.body.extend(LINK_TYPE.to_le_bytes());
        self.body.extend([0, 0]);
        self.body.extend(self.snap_bytes.to_le_bytes());
        self.option(option::INTERFACE_NAME, interface.name.as_bytes());
        let description = interface.description.as_bytes();
        self.option(option::INTERFACE_DESCRIPTION, description);
        self.option(option::INTERFACE_MAC, &interface.mac);
        self.option(option::INTERFACE_SPEED, &interface.speed_bps.to_le_bytes());
        self.option(option::INTERFACE_TIME_UNIT, &[NANOSECONDS]);
        self.option(option::INTERFACE_FCS_BITS, &[0]);
        self.end_options();
        self.block(INTERFACE_DESCRIPTION);
    }

    /// Names nodes for readers.
    pub fn names(&mut self, nodes: &[Named]) {
        for nodes in nodes.chunks(NAMES_A_BLOCK) {
            for node in nodes {
                self.name(record::MAC, &node.mac, &node.name);
                if let Some(address) = &node.address {
                    self.name(record::IPV4, address, &node.name);
                }
            }
            self.body.extend(record::END.to_le_bytes());
            self.body.extend([0, 0]);
            self.block(NAME_RESOLUTION);
        }
    }

    /// An address and its name, which ends with a zero.
    fn name(&mut self, kind: u16, address: &[u8], name: &str) {
        let most = usize::from(u16::MAX) - address.len() - 1;
        let name = name.split('\0').next().unwrap_or("").as_bytes();
        let name = &name[..name.len().min(most)];
        let value = [address, name, &[0]].concat();
        self.option(kind, &value);
    }

    /// A packet of `length` bytes that begins with `bytes` and goes on with zeros.
    pub fn packet(&mut self, interface: u32, at_ns: u64, bytes: &[u8], length: u32) {
        let kept = self.snap_bytes.min(length) as usize;
        self.stamp(interface, at_ns);
        self.body.extend((kept as u32).to_le_bytes());
        self.body.extend(length.to_le_bytes());
        let start = self.body.len();
        self.body.extend(bytes);
        self.body.resize(start + kept, 0);
        self.pad();
        if let Some(packets) = self.packets.get_mut(interface as usize) {
            *packets += 1;
        }
        self.block(ENHANCED_PACKET);
    }

    /// How many packets each interface had. A file without that is as readable.
    pub fn statistics(&mut self, at_ns: u64) {
        for interface in 0..self.packets.len() {
            self.stamp(interface as u32, at_ns);
            let received = self.packets[interface].to_le_bytes();
            self.option(option::STATISTICS_RECEIVED, &received);
            self.end_options();
            self.block(INTERFACE_STATISTICS);
        }
    }

    fn stamp(&mut self, interface: u32, at_ns: u64) {
        self.body.extend(interface.to_le_bytes());
        self.body.extend(((at_ns >> 32) as u32).to_le_bytes());
        self.body.extend((at_ns as u32).to_le_bytes());
    }

    /// An option, if it says something; longer than its length field can say, it is cut.
    fn option(&mut self, code: u16, value: &[u8]) {
        if value.is_empty() {
            return;
        }
        let value = &value[..value.len().min(usize::from(u16::MAX))];
        self.body.extend(code.to_le_bytes());
        self.body.extend((value.len() as u16).to_le_bytes());
        self.body.extend(value);
        self.pad();
    }

    fn end_options(&mut self) {
        self.body.extend([0; 4]);
    }

    fn pad(&mut self) {
        self.body.resize(self.body.len().next_multiple_of(4), 0);
    }

    /// The body as a block: type and length before it, the length again behind it.
    fn block(&mut self, kind: u32) {
        let length = (self.body.len() as u32 + 12).to_le_bytes();
        self.bytes.extend(kind.to_le_bytes());
        self.bytes.extend(length);
        self.bytes.append(&mut self.body);
        self.bytes.extend(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(program: &str) -> Blocks {
        let interface = Interface {
            name: "A -> B".into(),
            description: String::new(),
            mac: [2, 0, 0, 0, 0, 7],
            speed_bps: 10_000_000,
        };
        let mut file = Blocks::new(1, 8);
        file.section(program, "");
        file.interface(&interface);
        file
    }

    #[test]
    fn headers_are_as_the_draft_draws_them() {
        let mut file = file("bw");
        file.statistics(0);
        let bytes = file.bytes();
        let section = [
            0x0a, 0x0d, 0x0d, 0x0a, 40, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 255, 255, 255,
            255, 255, 255, 255, 255, 4, 0, 2, 0, b'b', b'w', 0, 0, 0, 0, 0, 0, 40, 0, 0, 0,
        ];
        assert_eq!(bytes[..40], section);
        let interface = [
            1, 0, 0, 0, 76, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 2, 0, 6, 0, b'A', b' ', b'-', b'>',
            b' ', b'B', 0, 0, 6, 0, 6, 0, 2, 0, 0, 0, 0, 7, 0, 0, 8, 0, 8, 0, 0x80, 0x96, 0x98, 0,
            0, 0, 0, 0, 9, 0, 1, 0, 9, 0, 0, 0, 13, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 76, 0, 0, 0,
        ];
        assert_eq!(bytes[40..116], interface);
        assert_eq!(bytes[116..120], [5, 0, 0, 0], "statistics");
    }

    #[test]
    fn names_stand_behind_their_addresses() {
        let mut file = file("bw");
        let before = file.bytes.len();
        let node = |name: &str, address| Named {
            name: name.into(),
            mac: [2, 0, 0, 0, 0, 7],
            address,
        };
        let nodes = [node("Ada", Some([10, 0, 0, 7])), node("S", None)];
        file.names(&nodes);
        let block = [
            4, 0, 0, 0, 56, 0, 0, 0, 3, 0, 10, 0, 2, 0, 0, 0, 0, 7, b'A', b'd', b'a', 0, 0, 0, 1,
            0, 8, 0, 10, 0, 0, 7, b'A', b'd', b'a', 0, 3, 0, 8, 0, 2, 0, 0, 0, 0, 7, b'S', 0, 0, 0,
            0, 0, 56, 0, 0, 0,
        ];
        assert_eq!(file.bytes[before..], block);
    }

    #[test]
    fn a_packet_keeps_its_length_and_loses_its_tail() {
        let mut file = file("bw");
        let before = file.bytes.len();
        file.packet(0, 0x1_0000_0002, &[9; 11], 60);
        let block = [
            6, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 8, 0, 0, 0, 60, 0, 0, 0,
            9, 9, 9, 9, 9, 9, 9, 9, 40, 0, 0, 0,
        ];
        assert_eq!(file.bytes[before..], block);
        file.packet(0, 0, &[9; 3], 5);
        let padded = [5, 0, 0, 0, 5, 0, 0, 0, 9, 9, 9, 0, 0, 0, 0, 0, 40, 0, 0, 0];
        assert!(file.bytes.ends_with(&padded));
        assert_eq!(file.packets, [2]);
    }
}
