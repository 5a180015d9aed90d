//! What `[[series]]` stands for.

use backwater_net::frames::spec::Measure;

use crate::ethernet::{ONE_SWITCH, try_read};

fn found(series: &str) -> Result<Vec<(String, Measure)>, String> {
    let text = format!("{ONE_SWITCH}\n[[series]]\nname = \"x\"\n{series}\n");
    let scenario = try_read(&text, &[]).map_err(|mistakes| mistakes.to_string())?;
    let ethernet = scenario.ethernet().expect("for Ethernet");
    let series = ethernet.series.iter();
    Ok(series.map(|one| (one.name.clone(), one.measure)).collect())
}

fn names(series: &str) -> Vec<String> {
    let found = found(series).expect(series);
    found.into_iter().map(|(name, _)| name).collect()
}

#[test]
fn a_wildcard_stands_for_several() {
    assert_eq!(names("measure = \"queue\"\non = \"A->D\""), ["x"]);
    let leaving = ["x (A->D)", "x (A->S)"];
    assert_eq!(names("measure = \"queue\"\non = \"A->*\""), leaving);
    assert_eq!(names("measure = \"rate\"\non = \"* -> D\""), ["x (A->D)"]);
    let all = ["x (D->A)", "x (A->D)", "x (S->A)", "x (A->S)"];
    assert_eq!(names("measure = \"stops\"\non = \"all\""), all);
    assert_eq!(names("measure = \"marks\"\non = \"*->*\""), all);
    assert_eq!(names("measure = \"buffer\"\non = \"all\""), ["x (A)"]);
    assert_eq!(names("measure = \"buffer\"\non = \"A\""), ["x"]);
    let flows = ["x (f[1])", "x (f[2])", "x (f[3])"];
    assert_eq!(names("measure = \"goodput\"\nflow = \"f\""), flows);
    assert_eq!(names("measure = \"window\"\nflow = \"all\""), flows);
    assert_eq!(names("measure = \"goodput\"\nflow = \"f[2]\""), ["x"]);
}

#[test]
fn inputs_are_those_of_switches_that_count_them() {
    let inputs = "measure = \"input\"\non = \"all\"";
    let error = found(inputs).expect_err("detected at outputs");
    assert!(error.contains("no switch counts"), "{error}");
    let text = ONE_SWITCH.replace("kind = \"pause\"", "kind = \"pause\"\ndetect = \"inputs\"");
    let read = |series: &str| {
        let text =
            format!("{text}\n[buffer]\nper_input = \"500 kB\"\n[[series]]\nname = \"x\"\n{series}");
        try_read(&text, &[]).map_err(|mistakes| mistakes.to_string())
    };
    let scenario = read(inputs).expect("inputs are counted");
    let series = &scenario.ethernet().expect("for Ethernet").series;
    let names: Vec<&str> = series.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["x (D->A)", "x (S->A)"], "not those of hosts");
    let error = read("measure = \"headroom\"\non = \"A->D\"").expect_err("a host");
    assert!(error.contains("an input is of a switch"), "{error}");
}

#[test]
fn what_a_wildcard_can_not_stand_for_is_told() {
    for (series, wanted) in [
        ("measure = \"queue\"\non = \"B->*\"", "no node `B`"),
        (
            "measure = \"buffer\"\non = \"A->D\"",
            "a buffer is of a switch",
        ),
        ("measure = \"buffer\"\non = \"B\"", "no node `B`"),
        ("measure = \"goodput\"\nflow = \"g\"", "no flow `g`"),
        ("measure = \"queue\"\non = \"A->*\"\nclass = 7", "class"),
        ("measure = \"rate\"\non = \"A->*\"\nclass = 0", "no meaning"),
    ] {
        let error = found(series).expect_err(series);
        assert!(error.contains(wanted), "{series}: {error}");
    }
    let many = ONE_SWITCH.replace("count = 3", "count = 65");
    let text = format!("{many}\n[[series]]\nname = \"x\"\nmeasure = \"goodput\"\nflow = \"all\"");
    let error = try_read(&text, &[])
        .map(drop)
        .expect_err("65 flows")
        .to_string();
    assert!(error.contains("65 series of one measure"), "{error}");
    assert!(error.contains("at most 64"), "{error}");
}

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
        super::codes(&text).contains(&"overload")
    };
    assert!(!over_both("frames"));
    // A host that can't send it is told of; to the link behind it comes what that one carries.
    let host = told(["1 Gbps", "10 Mbps"], "flows", "");
    assert!(host.contains("a host sends more"), "{host}");
    assert!(host.contains("`S->T` is to carry 1.01 Gbps"), "{host}");
    let alone = told(["1 Gbps", "10 Mbps"], "flows", "rate = \"1.1 Gbps\"");
    assert!(!alone.contains("between"), "{alone}");
}

/// Over a link that has too much itself comes no more than it carries.
#[test]
fn a_link_behind_one_that_is_full_gets_what_that_one_carries() {
    let flow = |name: &str, from: &str, to: &str, rate: &str| {
        format!(
            "[[flows]]\nname = {name:?}\nfrom = {from:?}\nto = {to:?}\ntransport = \"udp\"\n\
             traffic = {{ kind = \"constant\", rate = {rate:?} }}\n"
        )
    };
    let warned = |flows: &[String]| {
        let text = format!(
            "engine = \"ethernet\"\n[run]\nduration = \"1 ms\"\n[link]\nrate = \"10 Gbps\"\n\
             [topology]\nkind = \"line\"\nswitches = 3\nhosts_per_switch = 2\n{}",
            flows.concat()
        );
        let warnings = super::try_read(&text, &[]).expect("it is sound").warnings;
        warnings.render(false)
    };
    let two = [
        flow("a", "H1_1", "H3_1", "8 Gbps"),
        flow("b", "H1_2", "H3_2", "8 Gbps"),
    ];
    let told = warned(&two);
    assert!(
        told.contains("more comes to a link between switches") && !told.contains("S2->S3"),
        "{told}"
    );
    let three = [&two[..], &[flow("c", "H2_1", "H3_1", "1 Gbps")]].concat();
    let told = warned(&three);
    assert!(told.contains("`S2->S3` is to carry 11.04 Gbps"), "{told}");
}
