//! Frames written out by hand, byte by byte.

use backwater_ends::TcpSpec;
use backwater_ends::queue_pair::{PacketKind, RocePacket};
use backwater_kernel::Time;

use super::*;

fn spec(transport: TransportSpec) -> EthernetSpec {
    let flow = FlowSpec {
        name: "f".into(),
        source: 1,
        destination: 0x0203,
        others: Vec::new(),
        class: 5,
        is_tagged: true,
        transport,
        traffic: TrafficSpec::Infinite {
            start: Time::ZERO,
            bytes: None,
        },
    };
    EthernetSpec {
        seed: 1,
        stop_at: Time(1),
        warm_up: Time::ZERO,
        nodes: Vec::new(),
        links: Vec::new(),
        rules: backwater_net::frames::spec::FrameRules::shortest(backwater_kernel::Duration(1)),
        flows: vec![flow.clone(), flow.clone(), flow],
        outages: Vec::new(),
    }
}

fn view(content: Content, bytes: u32) -> FrameView {
    FrameView {
        flow: u32::MAX,
        number: 3,
        source: 0x01_0a0b,
        destination: 4,
        receivers: (0, 1),
        class: 0,
        bytes,
        is_tagged: false,
        is_ect: false,
        is_marked: false,
        born: Time::ZERO,
        content,
    }
}

fn encode(frame: &FrameView) -> (Vec<u8>, u32) {
    Encoder::new(&spec(TransportSpec::Tcp(TcpSpec::modern()))).bytes(frame)
}

/// `head` and zeros up to a least frame without its check sequence.
fn padded(head: &[u8]) -> (Vec<u8>, u32) {
    (head.to_vec(), 60)
}

#[test]
fn a_pause_frame_is_that_of_annex_31b() {
    let found = encode(&view(Content::Pause { quanta: 0x1234 }, 64));
    let head = [
        0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, // to MAC control
        0x02, 0x00, 0x00, 0x01, 0x0a, 0x0b, // from the node
        0x88, 0x08, 0x00, 0x01, // PAUSE
        0x12, 0x34, // quanta
    ];
    assert_eq!(found, padded(&head));
}

#[test]
fn a_pfc_frame_is_that_of_annex_31d() {
    let content = Content::Pfc {
        stops: 0b1010_0001,
        resumes: 0b0001_0000,
        quanta: 0xabcd,
    };
    let head = [
        0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, // to MAC control
        0x02, 0x00, 0x00, 0x01, 0x0a, 0x0b, // from the node
        0x88, 0x08, 0x01, 0x01, // PFC
        0x00, 0xb1, // classes 7, 5 and 0 stop, and 4 goes on
        0xab, 0xcd, 0, 0, 0, 0, 0, 0, 0, 0, 0xab, 0xcd, 0, 0, 0xab, 0xcd, // times, from 0 on
    ];
    assert_eq!(encode(&view(content, 64)), padded(&head));
}

#[test]
fn a_stop_of_a_destination_names_it() {
    let content = Content::StopDestination {
        class: 3,
        destination: 0x0102,
        quanta: 0xffff,
    };
    let head = [
        0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, // to MAC control
        0x02, 0x00, 0x00, 0x01, 0x0a, 0x0b, // from the node
        0x88, 0x08, 0x01, 0x02, // experimental
        0x00, 0x08, 0xff, 0xff, // class 3, until cancelled
        0x02, 0x00, 0x00, 0x00, 0x01, 0x02, // frames to this station
    ];
    assert_eq!(encode(&view(content, 64)), padded(&head));
}

#[test]
fn credit_names_its_class_and_what_it_says() {
    let content = Content::Credit {
        lane: backwater_net::frames::probe::Gate::Class(3),
        message: backwater_net::frames::probe::CreditMessage::Sync,
        value: 0x0102_0304,
    };
    let head = [
        0x01, 0x80, 0xc2, 0x00, 0x00, 0x01, // to MAC control
        0x02, 0x00, 0x00, 0x01, 0x0a, 0x0b, // from the node
        0x88, 0x08, 0x01, 0x03, // experimental
        0x02, 0x08, // a statement, of class 3
        0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04, // units sent
    ];
    assert_eq!(encode(&view(content, 64)), padded(&head));
}

#[test]
fn a_tagged_segment_is_written_like_this() {
    let segment = Segment {
        seq: 0x1_0000_00ff,
        bytes: 1000,
        ack: 0x0f,
        window: 0x20_0000,
        flags: flags::ACK | flags::PSH | flags::ECE,
        sack_blocks: 1,
        sack: [(0x1f, 0x2f), (0, 0), (0, 0)],
        is_again: false,
        echoes_first: false,
        further: 0,
    };
    let content = Content::Tcp {
        segment,
        is_forward: true,
    };
    let frame = FrameView {
        flow: 2,
        number: 0x1_0007,
        source: 1,
        destination: 0x0203,
        receivers: (0, 1),
        class: 5,
        is_tagged: true,
        is_ect: true,
        is_marked: true,
        ..view(content, 1000 + 40 + 12 + 22)
    };
    let (bytes, length) = encode(&frame);
    let by_hand = [
        0x02, 0x00, 0x00, 0x00, 0x02, 0x03, // to
        0x02, 0x00, 0x00, 0x00, 0x00, 0x01, // from
        0x81, 0x00, 0xa0, 0x00, // tag: priority 5
        0x08, 0x00, // IPv4
        0x45, 0xa3, 0x04, 0x1c, // 20 bytes, class 5, marked; 1052 bytes
        0x00, 0x07, 0x40, 0x00, // number, do not fragment
        0x40, 0x06, 0x20, 0x2f, // 64 hops, TCP, checksum
        0x0a, 0x00, 0x00, 0x01, 0x0a, 0x00, 0x02, 0x03, // from, to
        0xee, 0x4a, 0x00, 0x09, // port 61002 to port 9
        0x00, 0x00, 0x01, 0x00, // position 255 after 2^32, and SYN
        0x00, 0x00, 0x00, 0x10, // up to 15 was received
        0x80, 0x58, 0x40, 0x00, // 32 bytes; ECE, ACK, PSH; window, 128 bytes each
        0x2f, 0xd6, 0x00, 0x00, // checksum
        0x01, 0x01, 0x05, 0x0a, // two of nothing; SACK, 10 bytes
        0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00, 0x30, // the block
    ];
    assert_eq!(bytes, by_hand);
    assert_eq!(length, 1070);
}

#[test]
fn frames_for_several_hosts_go_to_the_address_of_a_group() {
    let content = Content::Udp {
        bytes: 100,
        number: 0,
        has_rtp: false,
    };
    let frame = FrameView {
        source: 1,
        destination: GROUP | 0x81_0203,
        receivers: (0, 3),
        ..view(content, 100 + 28 + 18)
    };
    let (bytes, _) = encode(&frame);
    let tag_bytes = usize::from(frame.is_tagged) * 4;
    // The low 23 bits of 232.129.2.3.
    assert_eq!(bytes[..6], [0x01, 0x00, 0x5e, 0x01, 0x02, 0x03]);
    assert_eq!(bytes[30 + tag_bytes..][..4], [232, 0x81, 0x02, 0x03]);
}

#[test]
fn a_picture_s_datagram_carries_rtp() {
    let content = Content::Udp {
        bytes: 500,
        number: 0x1_0002,
        has_rtp: true,
    };
    let frame = FrameView {
        flow: 1,
        source: 1,
        destination: 2,
        born: Time(2_000_000_000_000),
        ..view(content, 500 + 40 + 18)
    };
    let (bytes, length) = encode(&frame);
    assert_eq!(length, 500 + 40 + 14);
    assert_eq!(bytes[23], 17, "UDP");
    // Port 61001 to port 5004; UDP, RTP and payload.
    assert_eq!(bytes[34..40], [0xee, 0x49, 0x13, 0x8c, 0x02, 0x08]);
    // Version 2; type; number 2; 180,000 ticks; flow.
    let rtp = [0x80, 96, 0, 2, 0x00, 0x02, 0xbf, 0x20, 0, 0, 0, 1];
    assert_eq!(bytes[42..], rtp);
}

#[test]
fn a_short_frame_is_padded_and_a_window_scaled_if_it_must_be() {
    let ack = Segment {
        flags: flags::ACK,
        window: 4_194_304,
        ..Segment::default()
    };
    let content = |segment| Content::Tcp {
        segment,
        is_forward: false,
    };
    let (bytes, length) = encode(&FrameView {
        flow: 0,
        ..view(content(ack), 64)
    });
    assert_eq!((bytes.len(), length), (54, 60), "the rest is padding");
    assert_eq!(
        bytes[34..38],
        [0, 9, 0xee, 0x48],
        "back from the server's port"
    );
    assert_eq!(bytes[48..50], [0x80, 0x00], "4 MiB in units of 128");
    let syn = Segment {
        flags: flags::SYN,
        ..ack
    };
    let (bytes, _) = encode(&FrameView {
        flow: 0,
        ..view(content(syn), 64)
    });
    assert_eq!(bytes[48..50], [0xff, 0xff], "SYN can't scale");
    for (window, shift) in [
        (0, 0),
        (65_535, 0),
        (65_536, 1),
        (4_194_304, 7),
        (u32::MAX, 14),
    ] {
        assert_eq!(window_shift(window), shift, "{window}");
    }
}

#[test]
fn ports_tell_flows_apart() {
    assert_eq!(ports(0, 9), (61_000, 9));
    assert_eq!(ports(4_535, 9), (65_535, 9));
    assert_eq!(ports(4_536, 9), (61_000, 61_000));
    assert_eq!(ports(4_537, 5004), (61_001, 61_000));
    let all: std::collections::BTreeSet<_> = (0..100_000).map(|flow| ports(flow, 9)).collect();
    assert_eq!(all.len(), 100_000);
}

/// What a switch states to a source: ICMP, whose quote is the head of a packet of data.
#[test]
fn a_stated_rate_quotes_the_flow() {
    let packet = RocePacket {
        kind: PacketKind::Rate,
        seq: 4_000_000_000,
        ..RocePacket::default()
    };
    let content = Content::Roce {
        packet,
        is_forward: false,
    };
    let frame = FrameView {
        flow: 1,
        source: 2,
        destination: 1,
        ..view(content, 74)
    };
    let (bytes, length) = encode(&frame);
    assert_eq!((bytes.len(), length), (70, 70));
    assert_eq!(bytes[23], 1, "ICMP");
    assert_eq!(bytes[26..34], [10, 0, 0, 2, 10, 0, 0, 1], "to the source");
    assert_eq!(bytes[34..36], [253, 0], "an experiment");
    // 400 units of 10 Mb/s, with eight bits behind.
    assert_eq!(bytes[38..42], [0, 1, 0x90, 0]);
    assert_eq!(bytes[51], 17, "UDP");
    assert_eq!(bytes[54..62], [10, 0, 0, 1, 10, 0, 0, 2], "from the source");
    assert_eq!(bytes[62..66], [0xee, 0x49, 0x12, 0xb7], "RoCE v2");
}
