//! Search through the command line: literal, whether the rows are in the index or not.

use zoea_rig::sqlite;
use zoea_rig::{Home, Server, lines, until};

#[test]
fn a_running_swarm_indexes_behind_itself_and_finds_everything() {
    let galaxy = Server::galaxy(&[]);
    let pilot = Server::pilot(&[]);
    let home = Home::new();
    home.configure(&pilot.url, &galaxy.url, "");
    for name in ["alpha", "beta", "gamma", "delta"] {
        home.ok(&["mysis", "create", name]);
    }
    home.ok(&["note", "alpha", "needle \"100%\" a_b* 'x' \\ ÉTÉ"]);
    home.ok(&["broadcast", "Mine ore, sell it and go again."]);
    let swarm = home.fly(&[]);
    let upto = until("rows are indexed", || {
        let upto = sqlite::column(&home.file("zoea.db"), "SELECT upto || '' FROM indexed");
        upto[0].parse::<i64>().ok().filter(|upto| *upto >= 256)
    });
    assert!(upto >= 256);
    let finds = |text: &str, more: &[&str]| {
        let arguments = [&["search", text, "--json"], more].concat();
        let output = home.run(&arguments);
        let found = lines(&String::from_utf8_lossy(&output.stdout)).len();
        // Like grep.
        assert_eq!(output.status.code(), Some(i32::from(found == 0)), "{text}");
        found
    };
    for needle in ["needle \"100%\"", "a_b*", "'x' \\", "ÉTÉ", "É"] {
        assert_eq!(finds(needle, &[]), 1, "{needle}");
        assert_eq!(finds(needle, &["--mysis", "beta"]), 0, "{needle}");
    }
    for none in ["a%b", "axb*", "needle '100%'", "été"] {
        assert_eq!(finds(none, &[]), 0, "{none}");
    }
    assert_eq!(finds("mine", &["--limit", "7"]), 7);
    swarm.signal("-KILL");
    assert!(!swarm.wait().success());
    assert_eq!(finds("needle", &[]), 1, "after a kill, too");
}
