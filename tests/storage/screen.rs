//! The screen of the real program: its contents, and the files that it writes on command.

use zoea_rig::Home;
use zoea_rig::terminal_program::Program;

/// Opens the first Mysis' conversation, writes the screen to files, and quits. Returns every byte
/// that went to the terminal, and its screens without line ends.
pub(crate) fn of_first_mysis(home: &Home) -> Vec<u8> {
    let (zoea, path) = (zoea_rig::program(), home.path());
    let arguments = ["--home", &path.to_string_lossy(), "run"];
    let mut program = Program::open(&zoea.to_string_lossy(), &arguments, &path, (200, 60));
    program.keep_output();
    program.until("the table", |text| text.contains("alpha"));
    let mut screens = program.contents();
    program.press_until("\r", |text| text.contains("Remember"));
    screens += &program.contents();
    program.press_until("P", |_| has_dump(home));
    screens += &program.contents();
    let mut seen = program.quit();
    seen.extend(screens.replace('\n', "").into_bytes());
    seen
}

fn has_dump(home: &Home) -> bool {
    // The directory does not exist before the first file is written.
    std::fs::read_dir(home.file("screens"))
        .into_iter()
        .flatten()
        .flatten()
        .any(|entry| entry.file_name().to_string_lossy().ends_with(".svg"))
}
