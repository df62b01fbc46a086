//! The conversation of a Mysis that another process of a fleet runs, on a terminal: it grows as one of a
//! Mysis here does, and goes on as it was when the Mysis moves.

use std::time::Instant;

use zoea_rig::terminal_program::Program;
use zoea_rig::{Home, postgres, until};

use crate::shared::{Scene, process_of, scene};

/// The notes on the screen, in their order.
fn notes_in(screen: &str) -> Vec<String> {
    let words = screen.split_whitespace().collect::<Vec<_>>();
    let notes = words.windows(3).filter(|of| of[..2] == ["afar", "number"]);
    notes.map(|of| of[2].to_string()).collect()
}

/// Two processes. The first one has the Mysis m1, which is idle.
fn two(scene: &Scene) -> [Home; 2] {
    [scene.home(&["m1"]), scene.home(&[])]
}

fn drain(home: &Home, process: &str, drained: &str) {
    home.ok(&["processes", drained, process]);
}

fn until_runs_in(url: &str, process: &str) {
    until("the Mysis is there", || {
        let query = "SELECT process.name FROM lease JOIN process ON process.owner = lease.owner";
        (postgres::column(url, query) == [process]).then_some(())
    });
}

#[test]
fn a_conversation_elsewhere_grows_on_the_screen_also_when_its_mysis_moves() {
    let Some((scene, _files)) = scene() else {
        return;
    };
    let url = &scene.url;
    let homes = two(&scene);
    let [first, second] = &homes;
    let swarms = [first.fly(&[]), second.fly(&[])];
    let mut names = Vec::new();
    until("each knows its name", || {
        names = homes.iter().map(process_of).collect();
        names.iter().all(|name| name.is_string()).then_some(())
    });
    let [here, there] = [&names[0], &names[1]].map(|name| name.as_str().expect("a name"));
    until_runs_in(url, here);
    first.ok(&["note", "m1", "A note from afar number 1"]);

    let mut screen = Program::start(&second.path(), &["attach"]);
    screen.until("the Mysis is listed", |text| text.contains("m1"));
    screen.press_until(":open m1\r", |text| text.contains("following"));
    let shows = |screen: &mut Program, count: usize| {
        let wanted: Vec<String> = (1..=count).map(|number| number.to_string()).collect();
        let begun = Instant::now();
        screen.until("each note is shown once, in its order", |text| {
            notes_in(text) == wanted
        });
        println!(
            "note {count} is shown {:?} after it was stored",
            begun.elapsed()
        );
    };
    shows(&mut screen, 1);
    first.ok(&["note", "m1", "A note from afar number 2"]);
    shows(&mut screen, 2);
    second.ok(&["note", "m1", "A note from afar number 3"]);
    shows(&mut screen, 3);

    // It moves to the process of the screen, and away again.
    drain(second, here, "drain");
    until_runs_in(url, there);
    first.ok(&["note", "m1", "A note from afar number 4"]);
    shows(&mut screen, 4);
    drain(second, here, "undrain");
    drain(second, there, "drain");
    until_runs_in(url, here);
    second.ok(&["note", "m1", "A note from afar number 5"]);
    shows(&mut screen, 5);
    drain(second, there, "undrain");

    // What it says and does is shown as well. The message itself may have left the screen by then.
    first.ok(&["send", "m1", "Tell me what you see."]);
    let rows = || {
        let query = "SELECT count(*)::text FROM message WHERE kind = 'result'";
        postgres::column(url, query).concat()
    };
    until("it acts", || (rows() != "0").then_some(()));
    screen.until("its results are shown", |text| text.contains('✓'));
    screen.press_until("/Tell me what\r", |text| {
        text.contains("Tell me what you see.")
    });
    drop(screen);
    for swarm in swarms {
        swarm.land();
    }
}
