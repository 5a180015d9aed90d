//! Readers that go away, and disks that are full.

use std::fs::File;
use std::io::PipeWriter;
use std::path::Path;
use std::process::Stdio;

use crate::support::{command, figure_17, finish, folder, json};

/// A pipe whose reader has gone.
fn closed() -> PipeWriter {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer
}

#[test]
fn nobody_need_read_to_the_end() {
    let here = folder("pipes");
    for arguments in [
        &["list"][..],
        &["schema"],
        &["reference"],
        &["explain", "n23"],
    ] {
        let mut child = command(&here);
        child
            .args(arguments)
            .stdout(closed())
            .stderr(Stdio::piped());
        let ran = finish(&mut child).expect(0);
        assert_eq!(ran.err, "");
    }
    let mut child = command(&here);
    child.args(["explain", "nosuch"]).stderr(closed());
    finish(&mut child).expect(2);
}

#[test]
fn results_are_kept_though_nobody_reads() {
    let here = folder("pipes-run");
    let mut child = command(&here);
    child.args(["run", &figure_17(), "--out", "out", "--audit"]);
    finish(child.stdout(closed()).stderr(closed())).expect(0);
    assert_eq!(json(&here.join("out/manifest.json"))["partial"], false);
    let mut child = command(&here);
    child.args(["reproduce", "kung1993.fig6.buffer-table", "--out", "papers"]);
    finish(child.stdout(closed())).expect(0);
    assert_eq!(json(&here.join("papers/manifest.json"))["partial"], false);
}

#[test]
fn a_full_disk_is_no_success() {
    let Ok(full) = File::options().write(true).open(Path::new("/dev/full")) else {
        return;
    };
    let mut child = command(&folder("full"));
    let ran = finish(child.arg("list").stdout(full)).expect(2);
    ran.complains("can't write to standard output");
}
