//! Links between switches that are asked for more than they carry.

use super::codes;

/// Links between switches are summed along the ways of flows, and the two numbers that are told
/// differ.
#[test]
fn links_between_switches_are_asked_for_what_crosses_them() {
    let text = |rates: [&str; 2], spread: &str, links: &str| {
        let flow = |name: &str, from: &str, to: &str, rate: &str| {
            format!(
                "[[flows]]\nname = {name:?}\nfrom = {from:?}\nto = {to:?}\n\
                 transport = \"udp\"\npayload = \"1472 B\"\n\
                 traffic = {{ kind = \"constant\", rate = {rate:?} }}\n"
            )
        };
        format!(
            "engine = \"ethernet\"\n[run]\nduration = \"1 ms\"\n[link]\nrate = \"1 Gbps\"\n\
             [switch]\nspread = \"{spread}\"\n\
             [network]\nhosts = [\"A\", \"B\", \"C\", \"D\"]\nswitches = [\"S\", \"T\"{}]\n\
             [[links]]\nbetween = [\"A\", \"S\"]\n[[links]]\nbetween = [\"B\", \"S\"]\n\
             [[links]]\nbetween = [\"T\", \"C\"]\n[[links]]\nbetween = [\"T\", \"D\"]\n\
             [[links]]\nbetween = [\"S\", \"T\"]\n{links}\n{}{}",
            if links.contains("\"M\"") {
                ", \"M\", \"N\""
            } else {
                ""
            },
            flow("a", "A", "C", rates[0]),
            flow("b", "B", "D", rates[1])
        )
    };
    let told = |rates: [&str; 2], spread: &str, links: &str| {
        let text = text(rates, spread, links);
        let warnings = super::try_read(&text, &[]).expect("it is sound").warnings;
        match warnings.is_empty() {
            true => String::new(),
            false => warnings.render(false),
        }
    };
    // 1,472 of 1,538 bytes are payload: 957.1 Mbps fill the link.
    assert_eq!(told(["478 Mbps", "479 Mbps"], "flows", ""), "");
    let over = told(["480 Mbps", "478.6 Mbps"], "flows", "");
    assert!(
        over.contains("more comes to a link between switches than it carries"),
        "{over}"
    );
    assert!(
        over.contains("`S->T` is to carry 1.002 Gbps on the wire"),
        "{over}"
    );
    assert!(over.contains("it has 1.000 Gbps; about "), "{over}");
    // The control: on a wider link, and where frames are spread over two.
    assert_eq!(
        told(["480 Mbps", "480 Mbps"], "flows", "rate = \"2 Gbps\""),
        ""
    );
    let ways = [["S", "M"], ["M", "T"], ["S", "N"], ["N", "T"]];
    let ways = ways
        .map(|ends| format!("[[links]]\nbetween = {ends:?}\n"))
        .concat();
    let over_both = |spread: &str| {
        let text = text(["800 Mbps", "800 Mbps"], spread, &ways);
        let text = text.replace("[[links]]\nbetween = [\"S\", \"T\"]\n", "");
        codes(&text).contains(&"overload")
    };
    assert!(!over_both("frames"));
    // A host that can't send it is told of, not the link behind it.
    let host = told(["1 Gbps", "10 Mbps"], "flows", "");
    assert!(
        host.contains("a host sends more") && !host.contains("between"),
        "{host}"
    );
}
