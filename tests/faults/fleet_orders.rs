//! Orders that are given at one process of a fleet to a Mysis of another: each is carried out once,
//! whatever becomes of either process.

use zoea_rig::{Home, postgres, until};

use crate::shared::{
    MISSION, Scene, names, process_of, scene, shown, until_all_show, until_held, until_run,
};

/// How often a text stands in conversations as a direct message.
fn messages(url: &str, text: &str) -> String {
    let query = format!(
        "SELECT count(*)::text FROM message WHERE kind = 'prompt' AND content LIKE '%{text}%'"
    );
    postgres::column(url, &query).concat()
}

fn until_given_once(url: &str, text: &str) {
    until("the order is carried out", || {
        (messages(url, text) == "1").then_some(())
    });
}

fn until_state(home: &Home, name: &str, state: &str) {
    until("the state is seen", || {
        let myses = shown(home);
        let mysis = myses.iter().find(|mysis| mysis["name"] == name)?;
        (mysis["state"] == state).then_some(())
    });
}

/// Three processes that share six running Myses, each with two.
fn three(scene: &Scene) -> ([Home; 3], Vec<zoea_rig::Process>) {
    let all = ["m1", "m2", "m3", "m4", "m5", "m6"];
    let homes = [scene.home(&all), scene.home(&[]), scene.home(&[])];
    let mut swarms = vec![homes[0].fly(&["--start-swarm"])];
    homes[0].ok(&["broadcast", MISSION]);
    swarms.push(homes[1].fly(&[]));
    swarms.push(homes[2].fly(&[]));
    until_held(&scene.url, &["2", "2", "2"]);
    let [one, two, three] = &homes;
    until_all_show(&scene.url, &[one, two, three], &all);
    (homes, swarms)
}

#[test]
fn an_order_given_at_one_process_is_carried_out_by_another_and_once() {
    let Some((scene, _files)) = scene() else {
        return;
    };
    let url = &scene.url;
    let (homes, mut swarms) = three(&scene);
    let [first, second, third] = &homes;

    // To a process that lives.
    let name = &names(second)[0];
    let said = first.ok(&["send", name, "The first word."]);
    assert!(said.contains(&format!("stored for {name} as")), "{said}");
    assert_eq!(messages(url, "The first word"), "1");
    third.ok(&["mysis", "stop", name]);
    until_state(first, name, "stopped");
    let (_, refused) = first.fails(&["mysis", "stop", name]);
    assert!(refused.contains("already stopped"), "{refused}");
    let (_, refused) = first.fails(&["send", name, "The second word."]);
    assert!(refused.contains("relaunch"), "{refused}");
    third.ok(&["mysis", "start", name]);
    until_state(first, name, "running");
    first.ok(&["note", name, "A note from afar."]);
    let (_, unknown) = first.fails(&["send", "nobody", "Hello."]);
    assert!(unknown.contains("no mysis is called"), "{unknown}");
    assert_eq!(messages(url, "The second word"), "0");

    // A process is drained, and takes Myses again.
    let listed = first.json(&["processes", "--json"]);
    let listed = listed.as_array().expect("a list").clone();
    assert_eq!(listed.len(), 3, "{listed:?}");
    assert!(listed.iter().all(|process| process["state"] == "alive"));
    assert_eq!(
        listed
            .iter()
            .filter(|process| process["here"] == true)
            .count(),
        1
    );
    let drained = process_of(third);
    let drained = drained.as_str().expect("a name");
    first.ok(&["processes", "drain", drained]);
    until_held(url, &["3", "3"]);
    let listed = second.json(&["processes", "--json"]);
    let mut listed = listed.as_array().expect("a list").iter();
    let it = listed
        .find(|process| process["name"] == drained)
        .expect("it is listed");
    assert_eq!(
        (&it["state"], &it["myses"]),
        (&"draining".into(), &0.into())
    );
    first.ok(&["processes", "undrain", drained]);
    until_held(url, &["2", "2", "2"]);
    let (_, unknown) = first.fails(&["processes", "drain", "nobody"]);
    assert!(unknown.contains("no process that runs"), "{unknown}");
    for home in &homes {
        until_run(home, 2);
    }
    let all = ["m1", "m2", "m3", "m4", "m5", "m6"];
    until_all_show(url, &[first, second, third], &all);

    // To one that stands still, and is killed over it. Whoever takes the Mysis carries it out.
    let name = &*names(second)[0];
    let process = swarms.remove(1);
    process.signal("-STOP");
    let orders: [&[&str]; 4] = [
        &["send", name, "The third word."],
        &["routine", "start", name, "watch"],
        &["routine", "edit", name, "{\"rounds\": 3}"],
        &["routine", "stop", name],
    ];
    std::thread::scope(|scope| {
        let given = orders.map(|order| scope.spawn(move || first.ok(order)));
        let (_, shown) = first.fails(&["routine", "show", name]);
        assert!(shown.contains("has not answered in time"), "{shown}");
        for said in given.map(|order| order.join().expect("it is given")) {
            assert!(said.contains("stored; "), "{said}");
        }
    });
    process.signal("-KILL");
    process.wait();
    until_given_once(url, "The third word");
    // What nobody took yet, its own home would find interrupted.
    until_held(url, &["3", "3"]);

    // To one that is killed at that moment.
    let process = second.fly(&[]);
    until_held(url, &["2", "2", "2"]);
    until_run(second, 2);
    until_all_show(url, &[first, second, third], &all);
    let theirs = names(second);
    let send = |place: usize| {
        let words = format!("Word {place} of the last.");
        first.run(&["send", &theirs[place], &words])
    };
    std::thread::scope(|scope| {
        let sent = [scope.spawn(|| send(0)), scope.spawn(|| send(1))];
        until("one of them is under way", || {
            let open = "SELECT count(*)::text FROM fleet_order";
            (postgres::column(url, open).concat() != "0").then_some(())
        });
        process.signal("-KILL");
        for sent in sent {
            assert!(sent.join().expect("it is sent").status.success());
        }
    });
    process.wait();
    until_given_once(url, "Word 0 of the last");
    until_given_once(url, "Word 1 of the last");
    until_held(url, &["3", "3"]);
    until("no order is open", || {
        let open = "SELECT count(*)::text FROM fleet_order WHERE done_at IS NULL";
        (postgres::column(url, open).concat() == "0").then_some(())
    });
    for swarm in swarms {
        swarm.land();
    }
    for text in ["The first", "The third", "Word 0 of the", "Word 1 of the"] {
        assert_eq!(messages(url, text), "1", "{text}");
    }
}

#[test]
fn a_selection_by_state_goes_by_what_was_acknowledged_at_any_process() {
    let Some((scene, _files)) = scene() else {
        return;
    };
    let (homes, swarms) = three(&scene);
    let [first, second, third] = &homes;
    // Each command begins as soon as the one before is acknowledged.
    for _ in 0..3 {
        let stopped = first.ok(&["mysis", "stop", "--where", "name=m*"]);
        assert_eq!(stopped.matches("stopped").count(), 6, "{stopped}");
        let started = third.ok(&["mysis", "start", "--where", "state=stopped"]);
        assert_eq!(started.matches("started").count(), 6, "{started}");
        let stopped = second.ok(&["mysis", "stop", "--state", "running"]);
        assert_eq!(stopped.matches("stopped").count(), 6, "{stopped}");
        let started = first.ok(&["mysis", "start", "--state", "stopped"]);
        assert_eq!(started.matches("started").count(), 6, "{started}");
    }
    first.ok(&["mysis", "configure", "--all", "--model", "another"]);
    let fitting = second.json(&["mysis", "list", "--json", "--where", "model=another"]);
    assert_eq!(fitting.as_array().expect("a list").len(), 6, "{fitting}");
    for swarm in swarms {
        swarm.land();
    }
}
