//! What is refused, and what is warned of.

use super::{second, simple, try_read};

fn codes(text: &str) -> Vec<&'static str> {
    match try_read(text, &[]) {
        Ok(scenario) => scenario.warnings.iter().map(|d| d.code).collect(),
        Err(mistakes) => mistakes.iter().map(|d| d.code).collect(),
    }
}

fn errors(text: &str) -> u64 {
    try_read(text, &[]).map_or_else(|mistakes| mistakes.errors(), |_| 0)
}

#[test]
fn overload_counts_mean_sizes_trains_and_envelopes() {
    let two = |first: &str, other: &str| codes(&(simple("", first) + &second(other)));
    let train =
        |rate: &str| format!("traffic = {{ kind = \"trains\", rate = \"{rate}\", length = 3 }}\n");
    assert_eq!(two(&train("500 kbps"), &train("499 kbps")), [""; 0]);
    assert_eq!(two(&train("500 kbps"), &train("501 kbps")), ["overload"]);
    let sizes = "sizes = [{ bytes = \"50 B\", share = 1 }, { bytes = \"350 B\", share = 1 }]\n";
    let sized =
        |ms: &str| format!("{sizes}traffic = {{ kind = \"constant\", interval = \"{ms} ms\" }}\n");
    // 200 bytes on average.
    assert_eq!(two(&train("500 kbps"), &sized("3.3")), [""; 0]);
    assert_eq!(two(&train("500 kbps"), &sized("3.1")), ["overload"]);
    let policed = train("900 kbps") + "policer = { kind = \"bucket\", rate = \"400 kbps\" }\n";
    assert_eq!(two(&train("500 kbps"), &policed), [""; 0]);
    let asked = train("600 kbps") + "session = { open = \"1 ms\" }";
    assert_eq!(
        two(&train("500 kbps"), &asked),
        [""; 0],
        "it may be refused"
    );
    let pool =
        simple("[buffer.shared]\nunits = 9", &train("500 kbps")) + &second(&train("600 kbps"));
    assert_eq!(codes(&pool), [""; 0], "the pool ends the queue");
}

#[test]
fn what_can_not_be_is_refused() {
    let slow = "traffic = { kind = \"constant\", rate = \"10 kbps\" }\n";
    let reserve = "reserve = { rate = \"10 kbps\" }\n";
    let refused = [
        "envelope = { kind = \"fixed-window\" }",
        "envelope = { kind = \"fixed-window\", units = 0, interval = \"1 s\" }",
        "envelope = { kind = \"fixed-window\", units = 5, interval = \"1 s\", phase = \"2 s\" }",
        "policer = { kind = \"bucket\" }",
        "policer = { kind = \"bucket\", rate = \"1 kbps\", excess = \"freeze\" }",
        "policer = { kind = \"bucket\", rate = \"1 kbps\", burst = \"249 B\" }",
        "envelope = { kind = \"bucket\", rate = \"1 bps\", burst = \"9 kB\", tolerance = \"0 s\" }",
        "reserve = { rate = \"0 bps\" }",
        "reserve = { rate = \"1 kbps\", deadline = \"0 s\" }",
        "sizes = [{ bytes = \"64 B\", share = 0 }]",
        "sizes = [{ bytes = \"1048577 B\", share = 1 }]",
        "on_alarm = { kind = \"slow-down\", factor = 0 }",
        "on_alarm = { kind = \"slow-down\", factor = 1 }",
        "on_alarm = { kind = \"obey\", factor = 0.5 }",
        "session = { open = \"2 s\", close = \"2 s\" }",
    ];
    for keys in refused {
        let text = simple("", &format!("{slow}{keys}"));
        assert!(errors(&text) > 0, "{keys}");
    }
    for keys in [reserve, "sizes = [{ bytes = \"1 MiB\", share = 1 }]"] {
        assert_eq!(errors(&simple("", &format!("{slow}{keys}"))), 0, "{keys}");
    }
    for keys in [
        "kind = \"poisson\", interval = \"1 ms\", min_gap = \"1 ms\"",
        "kind = \"trains\", interval = \"1 ms\", gap = \"1 ms\", length = 2",
    ] {
        let with = |gap: &str| {
            let keys = keys.replace("gap = \"1 ms\"", gap);
            errors(&simple("", &format!("traffic = {{ {keys} }}")))
        };
        assert_eq!((with("gap = \"1 ms\""), with("gap = \"0.999 ms\"")), (1, 0));
    }
}

#[test]
fn pools_hold_a_unit_and_exclude_credit() {
    let slow = "traffic = { kind = \"constant\", rate = \"10 kbps\" }\n";
    let pool =
        |keys: &str, more: &str| codes(&simple(&format!("[buffer.shared]\n{keys}\n{more}"), slow));
    assert_eq!(pool("bytes = \"249 B\"", ""), ["shared-too-small"]);
    assert_eq!(pool("bytes = \"250 B\"", ""), [""; 0]);
    assert_eq!(pool("hold = \"start\"", ""), ["no-limit"]);
    let credit = "[flow_control]\nkind = \"n23\"";
    assert_eq!(pool("units = 9", credit), ["shared-and-credit"]);
    let last = format!("{slow}on_links = [{{ link = \"T->B\", kind = \"n23\" }}]");
    assert_eq!(
        codes(&simple("[buffer.shared]\nunits = 9", &last)),
        [""; 0],
        "only the host at the end gives credit"
    );
}

#[test]
fn priorities_need_more_than_a_fifo() {
    let slow = "traffic = { kind = \"constant\", rate = \"10 kbps\" }\n";
    let with = |kind: &str| {
        let tables = format!("[scheduler]\nkind = \"{kind}\"");
        codes(&(simple(&tables, slow) + &second(&format!("priority = 1\n{slow}"))))
    };
    assert_eq!(with("fifo"), ["fifo-priority"]);
    assert_eq!(with("strict-priority"), [""; 0]);
    let apart = simple("[links.scheduler]\nkind = \"fifo\"", slow);
    let apart = apart.replace("[[flows]]", "[[flows]]\npriority = 3");
    assert_eq!(codes(&apart), [""; 0], "one flow a port");
}

#[test]
fn virtual_time_stays_within_64_bits() {
    let with = |kind: &str, rate: &str, duration: &str| {
        let flow = format!(
            "traffic = {{ kind = \"constant\", rate = \"{rate}\" }}\n\
             reserve = {{ rate = \"{rate}\" }}\n"
        );
        let text = simple(&format!("[scheduler]\nkind = \"{kind}\""), &flow);
        codes(&text.replace("10 s", duration))
    };
    // 2^62 ps are 4,611,686 s: 4,611 s at 1000 times the speed of time.
    for kind in ["wfq", "scfq", "sfq"] {
        assert_eq!(with(kind, "1 kbps", "4611 s"), [""; 0], "{kind}");
        assert_eq!(with(kind, "1 kbps", "4612 s"), ["too-large"], "{kind}");
    }
    assert_eq!(with("virtual-clock", "1 kbps", "4612 s"), [""; 0]);
}

#[test]
fn what_may_not_be_meant_is_warned_of() {
    let clock = "[scheduler]\nkind = \"virtual-clock\"";
    let traffic =
        |rate: &str| format!("traffic = {{ kind = \"trains\", rate = \"{rate}\", length = 3 }}\n");
    let reserve = |rate: &str| format!("reserve = {{ rate = \"{rate}\", interval = \"1 s\" }}\n");
    let one = |rate: &str, more: &str| codes(&simple(clock, &(traffic(rate) + more)));
    assert_eq!(one("10 kbps", ""), ["nothing-reserved"]);
    assert_eq!(one("10 kbps", &reserve("10 kbps")), [""; 0]);
    assert_eq!(one("11 kbps", &reserve("10 kbps")), ["misbehaves"]);
    let window = "envelope = { kind = \"fixed-window\" }\n";
    let policer = "policer = { kind = \"bucket\" }\n";
    for held in [window, policer] {
        assert_eq!(one("11 kbps", &(reserve("10 kbps") + held)), [""; 0]);
    }
    let credit = format!("{clock}\n[flow_control]\nkind = \"n23\"");
    assert_eq!(codes(&simple(&credit, &reserve("10 kbps"))), [""; 0]);
    let literal = format!("{clock}\nresync = \"literal\"");
    let text = simple(&literal, &(traffic("10 kbps") + &reserve("10 kbps")));
    assert_eq!(codes(&text), ["unsafe"]);
    let two = |first: &str, more: &str| {
        let slow = traffic("10 kbps");
        let first = simple(clock, &(slow.clone() + &reserve(first)));
        codes(&(first + &second(&(slow + &reserve("400 kbps") + more))))
    };
    assert_eq!(two("600 kbps", ""), [""; 0]);
    assert_eq!(two("601 kbps", ""), ["over-reserved"]);
    assert_eq!(two("601 kbps", "session = { open = \"1 ms\" }"), [""; 0]);
}

#[test]
fn answers_are_no_sessions() {
    let text = |own: &str, back: &str| {
        let window = "partner = \"acks\"\nsource_control = { kind = \"window\", cells = 8 }\n";
        let flow = simple("", &format!("{window}{own}"));
        let acks = "name = \"acks\"\nfrom = \"B\"\nto = \"A\"\ntraffic = { kind = \"silent\" }";
        codes(&format!("{flow}\n[[flows]]\n{acks}\n{back}"))
    };
    let session = "session = { open = \"1 ms\" }";
    assert_eq!(text(session, ""), [""; 0]);
    assert_eq!(text("", session), ["bad-session"]);
}
