//! One flow to several hosts.

use backwater_net::frames::spec::TransportSpec;

use crate::ethernet::{codes, read, try_read};

/// Hosts A to D at two switches; `flow` after `from = "A"`, `more` before the flows.
fn text(flow: &str, more: &str) -> String {
    format!(
        "engine = \"ethernet\"\n[run]\nduration = \"1 ms\"\n\
         [network]\nhosts = [\"A\", \"B\", \"C\", \"D\"]\nswitches = [\"S\", \"T\"]\n\
         [link]\nrate = \"1 Gbps\"\n{more}\
         [[links]]\nbetween = [\"A\", \"S\"]\n[[links]]\nbetween = [\"B\", \"S\"]\n\
         [[links]]\nbetween = [\"C\", \"T\"]\n[[links]]\nbetween = [\"D\", \"T\"]\n\
         [[links]]\nbetween = [\"S\", \"T\"]\n\
         [[flows]]\nname = \"f\"\nfrom = \"A\"\n{flow}"
    )
}

#[test]
fn a_list_is_several_flows_or_one_multicast() {
    let several = read(&text("to = [\"B\", \"C\"]\n", ""));
    assert_eq!(several.flows.len(), 2);
    let one = read(&text("to = [\"B\", \"C\"]\nmulticast = true\n", ""));
    let flow = &one.flows[0];
    assert_eq!((one.flows.len(), flow.name.as_str()), (1, "f"));
    assert_eq!((flow.destination, &flow.others[..]), (1, &[2][..]));
    // Greedy without a transport is TCP, but to several hosts.
    assert!(matches!(flow.transport, TransportSpec::Udp { .. }));
    let sources = "to = [\"C\", \"D\"]\nmulticast = true\ncount = 2\n";
    let many = read(&text(sources, "").replace("from = \"A\"", "from = [\"A\", \"B\"]"));
    let from: Vec<u32> = many.flows.iter().map(|flow| flow.source).collect();
    assert_eq!(from, [0, 0, 1, 1]);
    assert!(many.flows.iter().all(|flow| flow.others == [3]));
    // To one host it is a flow like others.
    let alone = read(&text("to = \"C\"\nmulticast = true\n", ""));
    assert!(!alone.flows[0].is_multicast());
    assert!(matches!(alone.flows[0].transport, TransportSpec::Tcp(_)));
}

#[test]
fn what_can_t_be_is_refused_with_the_reason() {
    let said = |flow: &str, more: &str| {
        let mistakes = try_read(&text(flow, more), &[]).expect_err("it is refused");
        mistakes.render(false)
    };
    let tcp = said(
        "to = [\"B\", \"C\"]\nmulticast = true\ntransport = \"tcp\"\n",
        "",
    );
    assert!(tcp.contains("a connection has one destination"), "{tcp}");
    let files = said(
        "to = [\"B\", \"C\"]\nmulticast = true\n\
         traffic = { kind = \"files\", size = \"1 kB\" }\n",
        "",
    );
    assert!(
        files.contains("a connection has one destination"),
        "{files}"
    );
    let twice = said("to = [\"B\", \"C\", \"B\"]\nmulticast = true\n", "");
    assert!(twice.contains("names `B` twice"), "{twice}");
    let own = said("to = [\"B\", \"A\"]\nmulticast = true\n", "");
    assert!(own.contains("sends to itself"), "{own}");
    let spread = said(
        "to = [\"B\", \"C\"]\nmulticast = true\n",
        "[switch]\nspread = \"frames\"\n",
    );
    assert!(spread.contains("take one tree"), "{spread}");
    let lost = text("to = [\"B\", \"C\"]\nmulticast = true\n", "")
        .replace("[[links]]\nbetween = [\"S\", \"T\"]\n", "");
    assert_eq!(codes(&lost), ["unreachable"]);
}

/// The headroom of each port where copies go is asked for; the group counts as one destination.
#[test]
fn headroom_is_checked_wherever_copies_go() {
    let flow_control = |kind: &str, xoff: &str| {
        format!(
            "[flow_control]\nkind = \"{kind}\"\nxoff = \"{xoff}\"\nxon = \"5 kB\"\n\
             [buffer]\nper_queue = \"20 kB\"\n"
        )
    };
    let to = "to = [\"B\", \"C\", \"D\"]\nmulticast = true\n";
    for kind in ["pause", "pfc", "destination"] {
        assert_eq!(
            codes(&text(to, &flow_control(kind, "10 kB"))),
            [""; 0],
            "{kind}"
        );
        let short = try_read(&text(to, &flow_control(kind, "19 kB")), &[]);
        let mistakes = short.expect_err("there is no headroom").render(false);
        // S to T and B, T to C and D; two frames of the group, whatever hosts are behind.
        let all = ["`S->T`", "3 more", "needs 3036 B"].map(|text| mistakes.contains(text));
        assert!(all == [true; 3] || kind == "pause", "{kind}: {mistakes}");
    }
}
