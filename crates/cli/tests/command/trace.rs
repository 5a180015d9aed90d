//! `run --trace csv`.

use std::collections::BTreeSet;
use std::fs;

use crate::support::{backwater, folder, json, shipped, trace_hash};

/// Time, direction, and what makes a data unit one of its kind: channel, flow, number.
type Row = (u64, bool, (u64, String, u64));

#[test]
fn what_goes_out_comes_in() {
    let here = folder("trace");
    let file = shipped("kung1993/fig14-congestion.toml");
    let short = [
        "--set",
        "run.duration=2000 cells",
        "--set",
        "run.warm_up=0 s",
    ];
    let mut arguments = vec!["run", &file, "--out", "traced", "--trace", "csv,perfetto"];
    arguments.extend(short);
    backwater(&here, &arguments).expect(0);
    let mut plain = vec!["run", &file, "--out", "plain"];
    plain.extend(short);
    backwater(&here, &plain).expect(0);
    assert_eq!(
        trace_hash(&here.join("traced")),
        trace_hash(&here.join("plain"))
    );
    let text = fs::read_to_string(here.join("traced/trace.csv")).expect("a trace");
    let seen = fs::read(here.join("traced/trace.perfetto")).expect("a trace");
    assert!(seen.len() > 50 * text.lines().count() / 2, "{}", seen.len());
    let mut lines = text.lines();
    let header = "time_ps,node,direction,port,flow,kind,number,value";
    assert_eq!(lines.next(), Some(header));
    assert!(text.contains(",credit,"), "no credit cells in the trace");
    let mut rows: Vec<Row> = lines.filter_map(data).collect();
    assert!(rows.len() > 4000, "{} data units", rows.len());
    assert!(
        rows.is_sorted_by_key(|row| row.0),
        "the trace runs backwards"
    );
    let end = json(&here.join("traced/manifest.json"))["ended_at_ps"].as_u64();
    // A cell and the delay of its link are under 80 cell times of 53 B at 622 Mbps.
    let on_the_wire = 80 * 682_000;
    let until = end.expect("an end").saturating_sub(on_the_wire);
    assert_eq!(lost(&rows, until), []);
    let arrival = rows.iter().position(|row| !row.1 && row.0 < until);
    let (_, _, gone) = rows.remove(arrival.expect("something arrives"));
    assert_eq!(lost(&rows, until), [gone], "the check above can fail");
}

/// Flows without a row, one by one: as they are in the run, and those that do not end at its end.
#[test]
fn flows_without_a_row_are_written_as_they_end() {
    let here = folder("fct");
    let scenario = "engine = \"ethernet\"\n[run]\nduration = \"1 ms\"\n[topology]\n\
                    kind = \"star\"\nhosts_per_switch = 3\n[link]\nrate = \"1 Gbps\"\n\
                    delay = \"1 us\"\n[[workloads]]\nname = \"w\"\nkind = \"list\"\n\
                    file = \"list.csv\"\nrows = \"group\"\ntransport = \"udp\"\n";
    let list = "0 s, H1_1, H1_2, 1000 B\n10 us, H1_3, H1_2, 500 B\n990 us, H1_1, H1_3, 9 kB\n";
    fs::write(here.join("list.toml"), scenario).expect("written");
    fs::write(here.join("list.csv"), list).expect("written");
    backwater(
        &here,
        &["run", "list.toml", "--out", "out", "--trace", "fct"],
    )
    .expect(0);
    let found = fs::read_to_string(here.join("out/fct.csv")).expect("times");
    // 1,066 and 566 bytes on the wire over two hops of 1 us; the second waits for the first.
    let wanted = [
        "flow,start_ps,from,to,bytes,fct_ps,alone_ps,dropped",
        "w[1],0,H1_1,H1_2,1000,19056000,19056000,0",
        "w[2],10000000,H1_3,H1_2,500,13584000,11056000,0",
        "w[3],990000000,H1_1,H1_3,9000,,90000000,0",
    ];
    assert_eq!(found.lines().collect::<Vec<_>>(), wanted);
    let plain = [
        "run",
        "list.toml",
        "--set",
        "workloads.w.rows=flows",
        "--out",
        "rows",
    ];
    backwater(&here, &plain).expect(0);
    let [group, rows] = ["out", "rows"].map(|out| trace_hash(&here.join(out)));
    assert_eq!(group, rows);
    let refused = [&plain[..], &["--trace", "fct"]].concat();
    backwater(&here, &refused)
        .expect(2)
        .complains("rows = \"group\"");
}

/// A line about data.
fn data(line: &str) -> Option<Row> {
    let fields: Vec<&str> = line.split(',').collect();
    let [time, _, direction, channel, flow, "data", number, _] = fields[..] else {
        return None;
    };
    let number_of = |text: &str| text.parse::<u64>().expect("a number");
    let unit = (number_of(channel), flow.to_owned(), number_of(number));
    Some((number_of(time), direction == "out", unit))
}

/// Units that left before `until` and never came in.
fn lost(rows: &[Row], until: u64) -> Vec<(u64, String, u64)> {
    let arrived: BTreeSet<_> = rows.iter().filter(|row| !row.1).map(|row| &row.2).collect();
    let left = rows.iter().filter(|row| row.1 && row.0 < until);
    left.filter(|row| !arrived.contains(&row.2))
        .map(|row| row.2.clone())
        .collect()
}
