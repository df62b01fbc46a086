//! The packages that the program is built from: suitable licences and one source (decision 10).

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Licences that suit an MIT program. A package needs one of them in each part of its expression
/// that `AND` joins.
const LICENCES: [&str; 10] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    // The list of certificates that Mozilla trusts: data that may be passed on freely.
    "CDLA-Permissive-2.0",
    "ISC",
    "Unicode-3.0",
    "Zlib",
];
/// Packages that must not come in: rustls does TLS, and one package of each kind is enough.
const BANNED: [&str; 4] = ["openssl", "openssl-sys", "native-tls", "async-std"];
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

fn packages() -> Vec<Value> {
    let printed = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--locked", "--format-version", "1"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&printed.stderr).into_owned();
    let mut metadata: Value = serde_json::from_slice(&printed.stdout).expect(&text);
    let packages = metadata["packages"].take();
    packages.as_array().expect("packages").clone()
}

fn is_licensed(expression: &str) -> bool {
    let plain = expression.replace(['(', ')'], "").replace('/', " OR ");
    plain.split(" AND ").all(|part| {
        part.split(" OR ")
            .any(|licence| LICENCES.contains(&licence.trim()))
    })
}

#[test]
fn every_package_has_a_licence_that_suits_ours_and_comes_from_the_registry() {
    let packages = packages();
    assert!(packages.len() > 100, "{}", packages.len());
    let mut wrong = Vec::new();
    for package in &packages {
        let name = package["name"].as_str().unwrap_or_default();
        let licence = package["license"].as_str().unwrap_or_default();
        if !is_licensed(licence) {
            wrong.push(format!("{name}: licence {licence:?}"));
        }
        if package["source"]
            .as_str()
            .is_some_and(|source| source != REGISTRY)
        {
            wrong.push(format!("{name}: source {}", package["source"]));
        }
        if BANNED.contains(&name) {
            wrong.push(format!("{name}: banned"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn licences_are_read_as_they_are_written() {
    for good in [
        "MIT OR GPL-3.0",
        "MIT/Apache-2.0",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
    ] {
        assert!(is_licensed(good), "{good}");
    }
    for bad in [
        "",
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "(GPL-2.0 OR GPL-3.0) AND MIT",
    ] {
        assert!(!is_licensed(bad), "{bad}");
    }
}
