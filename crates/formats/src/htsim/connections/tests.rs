//! Small matrices, and what is wrong with others.

use super::*;
use crate::Wait;

/// Sixteen nodes, fifteen of which send to the last.
fn incast() -> String {
    let lines = (0..15).map(|node| format!("{node}->15 start 0 size 2000000\n"));
    let lines: String = lines.collect();
    format!("Nodes 16\nConnections 15\n{lines}")
}

#[test]
fn an_incast_is_read_and_written() {
    let first = read(&incast(), None).expect("it is right");
    assert_eq!((first.entries.len(), first.hosts), (15, Some(16)));
    let last = &first.entries[14];
    assert_eq!(
        (last.source, last.destination, last.bytes, last.line),
        (14, 15, 2_000_000, 17)
    );
    let written = write(&first).expect("nothing waits");
    assert_eq!(written, incast());
    assert_eq!(read(&written.replace('\n', "\r\n"), None), Ok(first));
}

#[test]
fn lines_are_those_of_the_whole() {
    let by_line = |text: &str| {
        let mut lines = Lines::default();
        let mut flows = Vec::new();
        for (line, content) in text::lines(text) {
            flows.extend(lines.next(line, content, None)?);
        }
        lines.end().map(|()| flows)
    };
    let whole = read(&incast(), None).expect("it is right");
    assert_eq!(by_line(&incast()), Ok(whole.entries));
    let short = incast().replace("Connections 15", "Connections 16");
    assert_eq!(by_line(&short).expect_err("a count").line, 2);
    let late = incast() + "Nodes 16\n";
    assert_eq!(by_line(&late).expect_err("a heading").line, 18);
    let waits = incast() + "trigger id 1 oneshot\n";
    assert_eq!(by_line(&waits).expect_err("a trigger").line, 18);
    assert!(by_line(&incast().replace("start 0", "start 1")).is_err());
}

#[test]
fn starts_need_a_unit_unless_they_are_nothing() {
    let text = "Nodes 2\nConnections 1\n0->1 start 12345678901234567 size 5\n";
    let missing = read(text, None).expect_err("no unit");
    assert_eq!(missing.line, 3);
    let said = missing.to_string();
    let wanted = [
        "picoseconds",
        "microseconds",
        "start_unit = \"ps\"",
        "--start-unit us",
    ];
    assert!(wanted.iter().all(|word| said.contains(word)), "{said}");
    let starts =
        |text: &str, unit| read(text, Some(unit)).expect("it is right").entries[0].start_ps;
    assert_eq!(starts(text, StartUnit::Ps), 12_345_678_901_234_567);
    let half = text.replace("12345678901234567", "1.5");
    assert_eq!(starts(&half, StartUnit::Us), 1_500_000);
    // A tenth of a picosecond is not nothing.
    assert!(read(&text.replace("12345678901234567", "1e-7"), None).is_err());
}

#[test]
fn whole_numbers_of_64_bits_are_exact() {
    let text = "0->1 start 0 size 18446744073709551615\n";
    assert_eq!(
        read(text, None).expect("it is right").entries[0].bytes,
        u64::MAX
    );
    assert!(read("0->1 start 0 size 18446744073709551616\n", None).is_err());
}

#[test]
fn triggers_say_what_waits_for_what() {
    let text = "Nodes 4\nConnections 4\nTriggers 3\n0->1 id 1 start 0 size 5 send_done_trigger 1\n\
                0->2 id 2 trigger 1 size 5 recv_done_trigger 2\n\
                1->2 id 3 start 0 size 5 recv_done_trigger 2\n2->3 id 9 trigger 2 size 5\n\
                trigger id 1 oneshot\ntrigger id 2 barrier count 2\ntrigger id 3 multishot\n";
    let flows = read(text, None).expect("it is right");
    let after = |flow: usize| &*flows.entries[flow].after;
    let wait = |flow, what| Wait { flow, what };
    assert_eq!(after(0), []);
    assert_eq!(after(1), [wait(0, Happened::Sent)]);
    assert_eq!(
        after(3),
        [wait(1, Happened::Received), wait(2, Happened::Received)]
    );
    assert_eq!(flows.entries[3].id, Some(9));
    assert!(write(&flows).is_err());
}

#[test]
fn what_is_not_read_is_said() {
    let text = "0->1 start 0 size 5 prio 7\n1->0 start 0 size 5 prio 8 msg 1\n";
    let left_out = read(text, None).expect("it is right").left_out;
    assert!(left_out[0].starts_with("`prio` of 2 lines"), "{left_out:?}");
    assert!(left_out[1].starts_with("`msg` of 1 line"), "{left_out:?}");
}

#[test]
fn each_mistake_has_its_line() {
    let wrong = [
        ("", 1, "no connection in the file"),
        ("Nodes 2\nHosts 3\n", 2, "`Hosts`"),
        ("Nodes x\n", 1, "`x`"),
        ("Nodes\n", 1, "the line ends here"),
        ("Nodes 2 3\n", 1, "`3`"),
        ("Nodes 2\nNodes 2\n", 2, "a second `Nodes`"),
        ("Nodes 2\n0->2 start 0 size 5\n", 2, "`2`"),
        ("0 -> 1 start 0 size 5\n", 1, "`0`"),
        ("0->x start 0 size 5\n", 1, "`0->x`"),
        ("0->1 start 0 size 5\nNodes 2\n", 2, "`Nodes`"),
        ("0->1 start 0 bytes 5\n", 1, "`bytes`"),
        ("0->1 start 0 size\n", 1, "the line ends here"),
        ("0->1 start -1 size 5\n", 1, "`-1`"),
        ("0->1 start 0 size 5 size 5\n", 1, "a second `size`"),
        ("0->1 size 5\n", 1, "neither `start` nor `trigger`"),
        (
            "0->1 start 0 trigger 1 size 5\n",
            1,
            "both `start` and `trigger`",
        ),
        (
            "0->1 start 0\n",
            1,
            "a connection without `size`, which never ends",
        ),
        ("0->1 id 0 start 0 size 5\n", 1, "`0`"),
        (
            "Connections 2\n0->1 start 0 size 5\n",
            1,
            "2 connections by this line, 1 in the file",
        ),
        (
            "Failures 1\n",
            1,
            "`failure`: links that fail are not read from this form",
        ),
        (
            "failure link_id 1\n",
            1,
            "`failure`: links that fail are not read from this form",
        ),
        ("0->1 trigger 7 size 5\n", 1, "there is no trigger 7"),
        (
            "0->1 start 0 size 5 send_done_trigger 7\n",
            1,
            "there is no trigger 7",
        ),
        ("trigger id 1\n", 1, "a trigger"),
        ("trigger oneshot\n", 1, "a trigger"),
        ("trigger id 1 oneshot barrier\n", 1, "`barrier`"),
        (
            "trigger id 1 oneshot\ntrigger id 1 oneshot\n",
            2,
            "a second trigger 1",
        ),
    ];
    for (text, line, found) in wrong {
        let mistake = read(text, None).expect_err(text);
        assert_eq!((mistake.line, &*mistake.found), (line, found), "{text}");
        assert!(mistake.allowed.is_some(), "{text}");
    }
}

#[test]
fn triggers_that_say_nothing_before_the_run_are_refused() {
    let two = "0->1 start 0 size 5 send_done_trigger 1\n1->0 start 0 size 5 send_done_trigger 1\n";
    let fired = [
        (
            "1->0 trigger 1 size 5\ntrigger id 1 oneshot\n",
            1,
            "which no connection hits",
        ),
        (
            &format!("{two}0->1 trigger 1 size 5\ntrigger id 1 oneshot\n"),
            4,
            "only known in the run",
        ),
        (
            &format!("{two}0->1 trigger 1 size 5\ntrigger id 1 multishot\n"),
            4,
            "only known in",
        ),
        (
            &format!("{two}0->1 trigger 1 size 5\ntrigger id 1 barrier\n"),
            4,
            "without `count`",
        ),
        (
            &format!("{two}0->1 trigger 1 size 5\ntrigger id 1 barrier count 3\n"),
            4,
            "3 hits",
        ),
    ];
    for (text, line, part) in fired {
        let mistake = read(text, None).expect_err(text);
        assert!(
            mistake.line == line && mistake.found.contains(part),
            "{mistake}"
        );
    }
}
