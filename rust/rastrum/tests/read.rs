//! Against the program and the goldens: RASTRUM is the program, RASTRUM_GOLDEN tests/golden; without
//! them those of the tree that these crates are in.

use rastrum::{diff, Trace, Value};
use std::path::{Path, PathBuf};
use std::process::Command;

fn place(variable: &str, in_tree: &str) -> PathBuf {
    match std::env::var_os(variable) {
        Some(path) => PathBuf::from(path),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(in_tree),
    }
}

fn golden(name: &str) -> PathBuf {
    place("RASTRUM_GOLDEN", "tests/golden").join(name)
}

fn printed(words: &[&str], path: &Path) -> (i32, String) {
    let program = place("RASTRUM", "build/rastrum");
    let output = Command::new(program).args(words).arg(path).output().expect("the program runs");
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stdout).into_owned())
}

fn goldens() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for format in ["aerogpu", "atf", "cdt", "crd", "dial9", "murk"] {
        for entry in std::fs::read_dir(golden(format)).expect("goldens") {
            let path = entry.expect("an entry").path();
            if Trace::open(&path).is_ok() {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn records_and_documents_are_those_of_the_program() {
    let mut records = 0;
    let all = goldens();
    assert!(all.len() > 150, "{} goldens", all.len());
    for path in all {
        let (_, text) = printed(&["cat", "--json"], &path);
        let trace = Trace::open(&path).expect("it opens");
        let mut walk = trace.records(&[]).expect("a walk");
        let mut lines = text.lines();
        while let Some(record) = walk.next().expect("a record") {
            let line = lines.next().expect("a line");
            let mut wanted = format!("{{\"seq\":{},\"type\":", record.seq().expect("seq"));
            assert!(line.starts_with(&wanted), "{:?}: {}", path, line);
            if let Some(tick) = record.tick() {
                wanted = format!("\"tick\":{}", tick);
                assert!(line.contains(&wanted), "{:?}: {}", path, line);
            }
            wanted = format!("\"stream\":{},\"offset\":{},", record.stream(), record.offset());
            assert!(line.contains(&wanted), "{:?}: {}", path, line);
            records += 1;
        }
        assert_eq!(lines.next(), None, "{:?}", path);
        assert_eq!(trace.info_json().expect("info"), printed(&["info", "--json"], &path).1);
        assert_eq!(trace.verify_json(false).expect("verify"), printed(&["verify", "--json"], &path).1);
    }
    assert!(records > 1000, "{} records", records);
}

#[test]
fn values_have_their_kinds() {
    let trace = Trace::open(golden("murk/all_payloads.murk")).expect("it opens");
    let mut walk = trace.records(&["command"]).expect("a walk");
    let record = walk.next().expect("a step").expect("a command");
    assert_eq!(record.type_name(), "command");
    assert_eq!(record.value("payload_name"), Some(Value::Str("Move")));
    assert_eq!(record.value("coord"), Some(Value::List(vec![Value::Int(3), Value::Int(-4)])));
    assert_eq!(record.value("entity_id").and_then(|v| v.as_u64()), Some(7));
    assert_eq!(record.value("field_id"), Some(Value::Null));
    assert_eq!(record.value("no_such"), None);
    assert!(matches!(record.value("payload"), Some(Value::Bytes(bytes)) if bytes.len() == 20));
    assert_eq!(record.values().len(), 17);
}

#[test]
fn a_cut_trace_ends_and_says_so() {
    let bytes = std::fs::read(golden("murk/all_payloads.murk")).expect("bytes");
    let trace = Trace::from_bytes(&bytes[..bytes.len() - 5]).expect("it opens");
    let mut walk = trace.records(&[]).expect("a walk");
    let mut count = 0;
    while walk.next().expect("a step").is_some() {
        count += 1;
    }
    assert!(count > 0 && count < 11);
    assert_eq!(trace.ending().state, "cut");
    assert!(trace.ending().to_string().starts_with("cut at byte "));
}

#[test]
fn differences_and_errors() {
    let one = Trace::open(golden("murk/all_payloads.murk")).expect("it opens");
    let other = Trace::open(golden("murk/empty_lists.murk")).expect("it opens");
    let same = diff(&one, &one).expect("a comparison");
    assert!(!same.differs && same.complete);
    let cut = Trace::open(golden("murk/cut_frame.murk")).expect("it opens");
    let same = diff(&cut, &cut).expect("a comparison");
    assert!(!same.differs && !same.complete);
    let found = diff(&one, &other).expect("a comparison");
    assert!(found.differs && found.json.contains("diverged"), "{}", found.json);
    let error = Trace::open("/nowhere/at/all").err().expect("an error");
    assert_eq!(error.status, -1);
    assert!(!error.to_string().is_empty());
    assert!(Trace::from_bytes(b"neither of them").is_err());
    assert_eq!(rastrum::version(), "1.0.0-rc1");
}

/// What a C program prints of the headers.
#[test]
fn structures_have_the_sizes_of_c() {
    macro_rules! sizes {
        ($($name:ident),*) => { vec![$((stringify!($name), std::mem::size_of::<rastrum_sys::$name>())),*] };
    }
    let own = sizes!(ras_error, ras_ending, ras_bytes, ras_value, ras_schema, ras_record, ras_pick,
                     ras_scan, ras_verify_options);
    let folder = std::env::temp_dir().join(format!("rastrum-sizes-{}", std::process::id()));
    std::fs::create_dir(&folder).expect("a folder");
    let lines: String = own.iter().map(|(name, _)| format!("printf(\"%zu\\n\", sizeof(struct {}));", name)).collect();
    let (source, program) = (folder.join("sizes.c"), folder.join("sizes"));
    std::fs::write(&source, format!("#include <rastrum/rastrum.h>\n#include <stdio.h>\nint main(void) {{ {} }}\n", lines))
        .expect("a source");
    let include = golden("../../include");
    let built = Command::new("gcc").arg("-I").arg(include).arg(&source).arg("-o").arg(&program).status();
    assert!(built.expect("gcc runs").success());
    let output = Command::new(&program).output().expect("it runs");
    std::fs::remove_dir_all(&folder).expect("it goes");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let theirs: Vec<usize> = text.lines().map(|line| line.parse().expect("a number")).collect();
    assert_eq!(own.iter().map(|(_, size)| *size).collect::<Vec<_>>(), theirs);
}
