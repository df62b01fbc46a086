//! Health: what a process says of itself to those who look after it, and the samples for them.

use std::collections::BTreeSet;
use std::time::Instant;

use zoea_rig::postgres;
use zoea_rig::{Home, http, until, zoea};

const METRICS: &str = "[metrics]\nlisten = \"127.0.0.1:0\"\n";

/// What a home's process answers at this path.
fn asked(home: &Home, path: &str) -> (u16, String) {
    let run = std::fs::read_to_string(home.file("run.json")).expect("it runs");
    let run: serde_json::Value = serde_json::from_str(&run).expect("JSON");
    let metrics = run["metrics"].as_str().expect("metrics are served");
    let url = metrics.replace("/metrics", path);
    let (status, body) = http("GET", &url, &[], "");
    (status, body.trim().to_string())
}

fn until_answers(home: &Home, path: &str, status: u16) -> String {
    until(&format!("{path} says {status}"), || {
        let (printed, body) = asked(home, path);
        (printed == status).then_some(body)
    })
}

#[test]
fn a_process_is_alive_and_ready_and_not_ready_while_its_database_is_away() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", METRICS);
    let _swarm = home.fly(&[]);
    assert_eq!(until_answers(&home, "/readyz", 200), "ok");
    assert_eq!(asked(&home, "/healthz"), (200, "ok".to_string()));
    assert_eq!(asked(&home, "/health").0, 404);

    let Some(url) = postgres::database() else {
        return;
    };
    let home = Home::new();
    let store = format!("{METRICS}[store]\ndatabase_url = \"{url}\"\n");
    home.configure("http://127.0.0.1:9/v1", "", &store);
    let _swarm = home.fly(&[]);
    until_answers(&home, "/readyz", 200);
    let (server, database) = url.rsplit_once('/').expect("a URL");
    let server = format!("{server}/postgres");
    postgres::execute(
        &server,
        &format!(
            "ALTER DATABASE {database} ALLOW_CONNECTIONS false;\
             SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'"
        ),
    );
    let begun = Instant::now();
    let reason = until_answers(&home, "/readyz", 503);
    println!("not ready after {:?}: {reason}", begun.elapsed());
    assert!(reason.starts_with("the database"), "{reason}");
    assert!(
        !reason.contains("sesame") && reason.lines().count() == 1,
        "{reason}"
    );
    assert_eq!(
        asked(&home, "/healthz"),
        (200, "ok".to_string()),
        "it lives"
    );
    let back = format!("ALTER DATABASE {database} ALLOW_CONNECTIONS true");
    postgres::execute(&server, &back);
    until_answers(&home, "/readyz", 200);
}

fn sample(name: &str) -> String {
    let path = format!("{}/docs/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a sample")
}

/// The words of a text that begin like this.
fn words<'a>(text: &'a str, beginning: &'a str) -> BTreeSet<&'a str> {
    let is_of_a_word = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    let words = text.split(|c: char| !is_of_a_word(c));
    words.filter(|word| word.starts_with(beginning)).collect()
}

#[test]
fn samples_of_services_name_only_what_the_program_has() {
    let home = Home::new();
    home.ok(&["init"]);
    let template = std::fs::read_to_string(home.file("zoea.toml")).expect("a configuration");
    let help = zoea()
        .args(["run", "--help"])
        .output()
        .expect("it runs")
        .stdout;
    let help = String::from_utf8(help).expect("text");
    let variables: BTreeSet<&str> = words(&template, "ZOEA_")
        .union(&words(&help, "ZOEA_"))
        .copied()
        .collect();
    let flags = words(&help, "--");
    let mut seen = 0;
    for name in ["compose.yaml", "statefulset.yaml", "zoea.service"] {
        let text = sample(name);
        for variable in words(&text, "ZOEA_") {
            assert!(variables.contains(variable), "{name}: {variable}");
            seen += 1;
        }
        let is_command = |line: &&str| {
            let line = line.trim_start();
            ["command: [", "args: [", "ExecStart="]
                .iter()
                .any(|start| line.starts_with(start))
        };
        for line in text.lines().filter(is_command) {
            for flag in words(line, "--") {
                assert!(flags.contains(flag), "{name}: {flag}");
                seen += 1;
            }
        }
        for setting in ["listen", "allow_remote", "database_url"] {
            if text.contains(&format!("{setting} = ")) {
                assert!(
                    template.contains(&format!("{setting} = ")),
                    "{name}: {setting}"
                );
            }
        }
    }
    assert!(seen > 12, "{seen}");
    // It hides since which start the machine runs, by which a killed process is known to be gone.
    assert!(!sample("zoea.service").contains("ProcSubset"));
    // It would end every tool server that makes code while it runs, as Node's does.
    assert!(!sample("zoea.service").contains("MemoryDenyWriteExecute="));
    assert!(sample("compose.yaml").contains("init: true"));
}
