//! The program itself: its version, and what the system counts about its process, by the names that
//! Prometheus' own clients have.

use std::fs;

use super::text::MetricsPage;

/// The clock ticks of a second in `/proc`, which Linux keeps for its readers.
const TICKS: f64 = 100.0;
/// The memory page of nearly all machines. Where it is another one, sizes come from elsewhere.
const KIB: f64 = 1024.0;

/// A figure of the process: name, kind, help and value.
type ProcessFigure = (&'static str, &'static str, &'static str, Option<f64>);

/// Writes what is known. Where the system has no `/proc`, that is the version alone.
pub(super) fn write(page: &mut MetricsPage) {
    let name = "zoea_build_info";
    page.write_head(name, "gauge", "1, with the version of the program.");
    page.write_line(name, &[("version", env!("CARGO_PKG_VERSION"))], 1);
    for (name, kind, help, value) in times().into_iter().chain(sizes()) {
        if let Some(value) = value {
            page.write_head(name, kind, help);
            page.write_line(name, &[], value);
        }
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The first number of the line that begins like this.
fn number_of(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

fn times() -> [ProcessFigure; 2] {
    let stat = read("/proc/self/stat");
    // The name in parentheses may hold anything.
    let fields: Vec<&str> = match stat.rsplit_once(')') {
        Some((_, behind)) => behind.split_whitespace().collect(),
        None => Vec::new(),
    };
    let field = |at: usize| fields.get(at).and_then(|text| text.parse::<f64>().ok());
    let (user, system) = (field(11), field(12));
    let cpu = user.and_then(|user| Some((user + system?) / TICKS));
    let boot = number_of(&read("/proc/stat"), "btime ");
    let started = field(19).and_then(|ticks| Some(boot? + ticks / TICKS));
    let (cpu_help, start_help) = ("User and system time.", "Start time by the system clock.");
    [
        ("process_cpu_seconds_total", "counter", cpu_help, cpu),
        ("process_start_time_seconds", "gauge", start_help, started),
    ]
}

fn sizes() -> [ProcessFigure; 4] {
    let status = read("/proc/self/status");
    let size = |name| Some(number_of(&status, name)? * KIB);
    let open = fs::read_dir("/proc/self/fd");
    let open = open.ok().map(|files| files.count() as f64);
    let most = number_of(&read("/proc/self/limits"), "Max open files");
    let most_help = "The limit of open files and connections.";
    [
        (
            "process_resident_memory_bytes",
            "gauge",
            "Memory in use.",
            size("VmRSS:"),
        ),
        (
            "process_virtual_memory_bytes",
            "gauge",
            "Mapped memory.",
            size("VmSize:"),
        ),
        (
            "process_open_fds",
            "gauge",
            "Open files and connections.",
            open,
        ),
        ("process_max_fds", "gauge", most_help, most),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_tells_of_the_program_and_its_process() {
        let mut page = MetricsPage::default();
        write(&mut page);
        let text = page.into_text();
        assert!(text.contains("zoea_build_info{version=\""), "{text}");
        let value = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.expect(name).trim().parse::<f64>().expect("a number")
        };
        assert!(value("process_resident_memory_bytes ") > 1e6);
        assert!(value("process_open_fds ") <= value("process_max_fds "));
        assert!(value("process_start_time_seconds ") > 1.7e9);
    }
}
