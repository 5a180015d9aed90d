//! What ports do about stops.

use backwater_kernel::{Channels, Duration};
use backwater_net::frames::spec::Obeyed;

use crate::ethernet::{codes, try_read};

/// A switch between two hosts, at rates of their own.
fn network(into: &str, out: &str, more: &str) -> String {
    format!(
        "engine = \"ethernet\"\n[run]\nduration = \"1 ms\"\n\
         [network]\nhosts = [\"I\", \"E\"]\nswitches = [\"S\"]\n\
         [link]\nrate = \"{into}\"\n[[links]]\nbetween = [\"S\", \"E\"]\nrate = \"{out}\"\n\
         [flow_control]\nkind = \"pfc\"\nheadroom = \"unchecked\"\n{more}\n\
         [[flows]]\nname = \"a\"\nfrom = \"I\"\nto = \"E\"\ntransport = \"udp\"\n\
         traffic = {{ kind = \"constant\", rate = \"5 Mbps\" }}\n"
    )
}

/// Response times of I, of S towards I, of S towards E, and of E.
fn responses(text: &str) -> [u64; 4] {
    let scenario = try_read(text, &[]).unwrap_or_else(|found| panic!("{}", found.render(false)));
    let spec = &scenario.ethernet().expect("for Ethernet").network;
    // `[[links]]` come first.
    [2, 3, 0, 1].map(|id| {
        let Duration(ps) = spec.links.channel(id).stopped.response;
        ps
    })
}

#[test]
fn the_standard_gives_each_port_a_response_by_its_rate() {
    let both = "[switch]\nresponse = \"ieee\"\n[host]\nresponse = \"ieee\"";
    for (rate, bit_ps, quanta) in [
        ("10 Mbps", 100_000.0, 1),
        ("100 Mbps", 10_000.0, 1),
        ("1 Gbps", 1_000.0, 2),
        ("10 Gbps", 100.0, 67),
        ("25 Gbps", 40.0, 80),
        ("40 Gbps", 25.0, 118),
        ("50 Gbps", 20.0, 147),
        ("100 Gbps", 10.0, 394),
        ("200 Gbps", 5.0, 453),
        ("400 Gbps", 2.5, 905),
        ("800 Gbps", 1.25, 905),
    ] {
        let time = (f64::from(quanta * 512) * bit_ps) as u64;
        let ten = 67 * 512 * 100;
        let found = responses(&network(rate, "10 Gbps", both));
        assert_eq!(found, [time, time, ten, ten], "{rate}");
    }
}

#[test]
fn a_node_may_differ_from_the_standard() {
    let own = "[switch]\nresponse = \"ieee\"\n[host]\nresponse = \"ieee\"\n\
               [[nodes]]\nname = \"E\"\nresponse = \"1 us\"";
    let limit = 394 * 512 * 10;
    let found = responses(&network("100 Gbps", "100 Gbps", own));
    assert_eq!(found, [limit, limit, limit, 1_000_000]);
    let alone = "[[nodes]]\nname = \"E\"\nresponse = \"ieee\"";
    let found = responses(&network("100 Gbps", "100 Gbps", alone));
    assert_eq!(found, [0, 0, 0, limit]);
}

#[test]
fn a_rate_without_a_limit_is_refused_where_it_matters() {
    let hosts = "[host]\nresponse = \"ieee\"";
    let text = network("2.5 Gbps", "100 Gbps", hosts);
    let Err(mistakes) = try_read(&text, &[]) else {
        panic!("there is no limit at 2.5 Gbps");
    };
    let told = mistakes.render(false);
    assert!(told.contains("`I->S`") && told.contains("800"), "{told}");
    // A host with a time of its own needs none.
    let own = format!("{hosts}\n[[nodes]]\nname = \"I\"\nresponse = \"1 us\"");
    assert_eq!(codes(&network("2.5 Gbps", "100 Gbps", &own)), [""; 0]);
}

/// What S obeys of E, and what I obeys of S.
fn obeyed(scheme: &str, link: &str) -> [Obeyed; 2] {
    let meant = match scheme {
        "kind = \"none\"" => "",
        _ => "headroom = \"unchecked\"",
    };
    let text = format!(
        "engine = \"ethernet\"\n[run]\nduration = \"1 ms\"\n\
         [network]\nhosts = [\"I\", \"E\"]\nswitches = [\"S\"]\n\
         [switch]\nclasses = 5\n\
         [link]\nrate = \"100 Mbps\"\n[[links]]\nbetween = [\"I\", \"S\"]\n{link}\n\
         [flow_control]\n{scheme}\n{meant}\n\
         [[flows]]\nname = \"a\"\nfrom = \"I\"\nto = \"E\"\ntransport = \"udp\"\n\
         traffic = {{ kind = \"constant\", rate = \"5 Mbps\" }}\n"
    );
    let scenario = try_read(&text, &[]).unwrap_or_else(|found| panic!("{}", found.render(false)));
    let spec = &scenario.ethernet().expect("for Ethernet").network;
    // The link of I stands first.
    [2_u32, 0].map(|id| spec.links.channel(id).stopped.by)
}

#[test]
fn ports_obey_what_the_file_puts_under_flow_control() {
    let (none, all) = (Obeyed::NONE, 0b1_1111);
    let pfc = |classes| Obeyed { classes, ..none };
    let by_host = |destinations| Obeyed {
        destinations,
        ..none
    };
    let pause = Obeyed { port: true, ..none };
    for (scheme, link, wanted) in [
        ("kind = \"none\"", "", [none; 2]),
        ("kind = \"n23\"", "", [none; 2]),
        ("kind = \"pause\"", "", [pause; 2]),
        ("kind = \"pause\"\nclasses = [1]", "", [pause; 2]),
        ("kind = \"pfc\"", "", [pfc(all); 2]),
        ("kind = \"pfc\"\nclasses = [3, 4]", "", [pfc(0b1_1000); 2]),
        ("kind = \"destination\"\nclasses = [0]", "", [by_host(1); 2]),
        (
            "kind = \"pfc\"\ndetect = \"inputs\"",
            "flow_control = { kind = \"none\" }",
            [pfc(all), none],
        ),
        (
            "kind = \"pfc\"\ndetect = \"inputs\"",
            "forward = { flow_control = { kind = \"n23\", classes = [3] } }",
            [pfc(all), pfc(0b1_0111)],
        ),
    ] {
        assert_eq!(obeyed(scheme, link), wanted, "{scheme} {link}");
    }
}
