//! Where librastrum is: RASTRUM_LIBRARY names the directory of a build; else pkg-config tells.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=RASTRUM_LIBRARY");
    println!("cargo:rustc-link-lib=dylib=rastrum");
    if let Ok(folder) = std::env::var("RASTRUM_LIBRARY") {
        println!("cargo:rustc-link-search=native={}", folder);
        return;
    }
    let said = Command::new("pkg-config").args(["--libs-only-L", "rastrum"]).output();
    if let Ok(output) = said {
        for word in String::from_utf8_lossy(&output.stdout).split_whitespace() {
            if let Some(folder) = word.strip_prefix("-L") {
                println!("cargo:rustc-link-search=native={}", folder);
            }
        }
    }
}
