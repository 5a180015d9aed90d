use super::*;

fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("directory-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    path
}

fn series(count: usize) -> Vec<Series> {
    let one = |index| Series {
        name: format!("series {index}"),
        unit: "",
        step: false,
        clock: Default::default(),
        x: vec![0, 1],
        y: vec![0.0, 1.0],
    };
    (0..count).map(one).collect()
}

fn syncs() -> u32 {
    disk::SYNCS.with(std::cell::Cell::get)
}

/// A flush takes milliseconds, so there must not be one for each of a thousand files.
#[test]
fn files_are_flushed_together_and_before_the_manifest_that_lists_them() {
    let path = scratch("flush");
    let mut directory = RunDirectory::create(&path, &Holder::default()).unwrap();
    let before = syncs();
    directory.write_series(&series(1000)).unwrap();
    assert_eq!(
        syncs(),
        before,
        "nothing is flushed while files are written"
    );
    assert_eq!(directory.unflushed.len(), 1000);
    directory.save_manifest(&Manifest::default()).unwrap();
    assert!(directory.unflushed.is_empty());
    if cfg!(target_os = "linux") {
        assert_eq!(syncs(), before + 3, "all at once, the manifest, its folder");
    }
    directory.write("one.txt", b"1").unwrap();
    let before = syncs();
    directory.save_manifest(&Manifest::default()).unwrap();
    assert_eq!(
        syncs(),
        before + 4,
        "the file, its folder, the manifest, its folder"
    );
    fs::remove_dir_all(path).unwrap();
}

/// Two flows may have one name in ASCII.
#[test]
fn the_manifest_says_which_file_has_which_series() {
    let path = scratch("series");
    let mut directory = RunDirectory::create(&path, &Holder::default()).unwrap();
    let named = |name: &str| Series {
        name: name.into(),
        ..series(1).remove(0)
    };
    directory
        .write_series(&[named("流 throughput"), named("日 throughput")])
        .unwrap();
    directory.save_manifest(&Manifest::default()).unwrap();
    let text = fs::read_to_string(path.join(MANIFEST)).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    let second = &manifest["series"][1];
    assert_eq!(second["file"], "series/throughput-2.csv");
    assert_eq!(second["name"], "日 throughput");
    assert_eq!(second["unit"], named("").unit);
    fs::remove_dir_all(path).unwrap();
}

/// What a killed program wrote and did not list is cleared like what it listed; other files stay.
#[test]
fn files_of_a_killed_program_are_known() {
    let path = scratch("journal");
    let mut first = RunDirectory::create(&path, &Holder::default()).unwrap();
    first.write("tables/old.csv", b"old").unwrap();
    first.save_manifest(&Manifest::default()).unwrap();
    first.write("tables/new.csv", b"new").unwrap();
    first.write("figures/a/b.svg", b"new").unwrap();
    // As if killed: nothing more is done, and the system lets the lock go.
    drop(first);
    fs::write(path.join("tables/mine.csv"), "mine").unwrap();
    assert!(
        path.join("lock").exists(),
        "it names files that no manifest lists"
    );
    let second = RunDirectory::create(&path, &Holder::default()).unwrap();
    assert!(!path.join("tables/old.csv").exists());
    assert!(!path.join("tables/new.csv").exists());
    assert!(!path.join("figures/a/b.svg").exists());
    assert!(path.join("tables/mine.csv").exists());
    second.finish(&Manifest::default()).unwrap();
    assert!(!path.join("lock").exists(), "nothing is left to say");
    fs::remove_dir_all(path).unwrap();
}
