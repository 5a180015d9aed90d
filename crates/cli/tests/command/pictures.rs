//! The pictures of README are those that the program draws.

use std::fs;
use std::path::Path;

use crate::support::{backwater, folder, shipped};

#[test]
fn pictures_of_readme_are_current() {
    let here = folder("pictures");
    let spreading = shipped("ethernet/backwater.toml");
    let claim = "kung1993.fig18.backpressure-shares";
    for (picture, command, figure) in [
        ("map", ["run", &*spreading], "map"),
        ("fig18", ["reproduce", claim], "kung1993/fig18"),
    ] {
        let out = ["--out", picture];
        let arguments: Vec<&str> = command.into_iter().chain(out).collect();
        backwater(&here, &arguments).expect(0);
        let drawn = here.join(format!("{picture}/figures/{figure}.svg"));
        let drawn = fs::read_to_string(drawn).expect("it is drawn");
        let shown = format!("../../docs/pictures/{picture}.svg");
        let shown = Path::new(env!("CARGO_MANIFEST_DIR")).join(shown);
        let shown = fs::read_to_string(shown).expect("README shows it");
        assert!(
            drawn == shown,
            "docs/pictures/{picture}.svg: `make pictures` draws it anew"
        );
    }
}
