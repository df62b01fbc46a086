//! The pool of game accounts through the command line.

use serde_json::{Value, json};

use zoea_rig::{Home, Server, until};

fn write(home: &Home, name: &str, accounts: &Value) -> String {
    let file = home.file(name);
    std::fs::write(&file, accounts.to_string()).expect("a file");
    file.to_str().expect("text").to_string()
}

fn owners(home: &Home) -> Vec<(String, Option<String>)> {
    let list = home.json(&["accounts", "list", "--json"]);
    let text = |value: &Value| value.as_str().map(str::to_string);
    list.as_array()
        .expect("a list")
        .iter()
        .map(|account| {
            let name = text(&account["username"]).expect("a name");
            (name, text(&account["assigned_to"]))
        })
        .collect()
}

#[test]
fn accounts_go_in_and_out_without_loss_and_are_listed_without_passwords() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "create", "alpha"]);
    let accounts = json!([
        {"username": "Quill", "password": "pool-secret-1|:\"é"},
        {"username": "Ardent", "password": "pool-secret-2", "assigned_to": "alpha"},
        {"username": "Brass", "password": "pool-secret-3"},
    ]);
    let file = write(&home, "in.json", &accounts);
    for _again in 0..2 {
        let output = home.run(&["accounts", "import", &file]);
        assert!(output.status.success());
        let notes = String::from_utf8_lossy(&output.stderr);
        assert!(notes.contains("chmod 600"), "{notes}");
    }
    let expected = [("Quill", None), ("Ardent", Some("alpha")), ("Brass", None)]
        .map(|(name, owner)| (name.to_string(), owner.map(str::to_string)));
    assert_eq!(owners(&home), expected);
    for listed in [
        home.ok(&["accounts", "list"]),
        home.ok(&["accounts", "list", "--json"]),
    ] {
        assert!(
            listed.contains("Quill") && !listed.contains("pool-secret"),
            "{listed}"
        );
    }
    let out = home.file("out.json");
    let name = out.to_str().expect("text");
    home.ok(&["accounts", "export", name]);
    let written: Value =
        serde_json::from_str(&std::fs::read_to_string(&out).expect("the export")).expect("JSON");
    assert_eq!(written, accounts);
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(&out)
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let (_, error) = home.fails(&["accounts", "export", name]);
    assert!(error.contains("exists already"), "{error}");
}

#[test]
fn a_contradiction_is_refused_and_nothing_of_the_file_is_taken() {
    let home = Home::new();
    home.configure("http://127.0.0.1:9/v1", "", "");
    home.ok(&["mysis", "create", "alpha"]);
    home.ok(&["mysis", "create", "beta"]);
    let first = json!([{"username": "Quill", "password": "p1p1p1p1", "assigned_to": "alpha"}]);
    home.ok(&["accounts", "import", &write(&home, "a.json", &first)]);
    for (assigned, name, said) in [
        (
            "beta",
            "Quill",
            "the account Quill belongs to alpha already",
        ),
        ("alpha", "Brass", "alpha has the account Quill already"),
        ("gamma", "Brass", "no mysis is called that"),
    ] {
        let accounts = json!([
            {"username": "Free", "password": "p2p2p2p2"},
            {"username": name, "password": "p3p3p3p3", "assigned_to": assigned},
        ]);
        let (status, error) =
            home.fails(&["accounts", "import", &write(&home, "b.json", &accounts)]);
        assert_eq!(status, 1);
        assert!(error.contains(said) && !error.contains("p3p3"), "{error}");
    }
    assert_eq!(owners(&home).len(), 1);
    let (_, error) = home.fails(&["accounts", "import", "/nowhere.json"]);
    assert!(error.contains("/nowhere.json"), "{error}");
}

#[test]
fn a_running_swarm_takes_accounts_and_the_oldest_is_given_first() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    // A galaxy knows only its own accounts, so a first swarm registers two.
    let first = Home::new();
    first.configure(&pilot.url, &galaxy.url, "");
    first.ok(&["mysis", "create", "alpha"]);
    first.ok(&["mysis", "create", "beta"]);
    first.ok(&["broadcast", "mine"]);
    let swarm = first.fly(&[]);
    until("both have an account", || {
        let is_owned = |owned: &(String, Option<String>)| owned.1.is_some();
        (owners(&first)
            .iter()
            .filter(|owned| is_owned(owned))
            .count()
            == 2)
            .then_some(())
    });
    let file = first.file("out.json");
    let file = file.to_str().expect("text");
    first.ok(&["accounts", "export", file]);
    swarm.signal("-TERM");
    assert!(swarm.wait().success());

    let text = std::fs::read_to_string(file).expect("the export");
    let mut accounts: Value = serde_json::from_str(&text).expect("JSON");
    for account in accounts.as_array_mut().expect("a list") {
        account
            .as_object_mut()
            .expect("an account")
            .remove("assigned_to");
    }
    let second = Home::new();
    second.configure(&pilot.url, &galaxy.url, "");
    let _swarm = second.fly(&[]);
    second.ok(&["accounts", "import", &write(&second, "in.json", &accounts)]);
    second.ok(&["mysis", "create", "gamma"]);
    second.ok(&["broadcast", "mine"]);
    let taken = until("gamma has an account of the pool", || {
        let owned = owners(&second);
        owned
            .into_iter()
            .find(|(_, owner)| owner.as_deref() == Some("gamma"))
    });
    assert_eq!(Some(taken.0.as_str()), accounts[0]["username"].as_str());
    let listed = second.json(&["accounts", "list", "--json"]);
    assert!(listed[0]["last_used_at"].is_string(), "{listed}");
}
