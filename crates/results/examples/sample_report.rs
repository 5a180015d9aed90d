//! Writes a run directory full of made-up results: every kind of block, plot and name that
//! could go wrong. The browser tests and the SVG tests read it.
//!
//! `cargo run -p backwater-results --example sample_report -- DIR`

#[path = "../tests/suite/sample/mod.rs"]
mod sample;

use std::process::ExitCode;

use backwater_results::{
    Findings, RunDirectory, page, run_manifest, run_summary, terminal_summary,
};

fn write(path: &str) -> Result<(), backwater_results::DirectoryError> {
    let (info, spec) = (sample::info(), sample::spec());
    let found = Findings::new(&spec, sample::outcome(), sample::CELL);
    let mut directory = RunDirectory::create(path, &Default::default())?;
    directory.write_scenario(&info.scenario, &info.resolved)?;
    directory.write_tables(found.tables())?;
    directory.write_series(&sample::series())?;
    directory.write_report(&sample::report())?;
    directory.write_json("summary.json", &run_summary(&info, &found))?;
    directory.write("odd.html", page(&sample::odd_report()).as_bytes())?;
    print!("{}", terminal_summary(&info, &found));
    let path = directory.finish(&run_manifest(&info, &found))?;
    println!("\n{}", path.join("report.html").display());
    Ok(())
}

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("name a directory to write to");
        return ExitCode::from(2);
    };
    match write(&path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
