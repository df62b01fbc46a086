//! The program itself: its version, and what the system counts about its process, by the names that
//! Prometheus' own clients have.

use std::fs;

use super::text::MetricsPage;

/// The clock ticks of a second in `/proc`, which Linux keeps for its readers.
const TICKS: f64 = 100.0;
/// The memory page of nearly all machines. Where it is another one, sizes come from elsewhere.
const KIB: f64 = 1024.0;

/// Writes what is known. Where the system has no `/proc`, that is the version alone.
pub(super) fn write(page: &mut MetricsPage) {
    page.write_head(
        "zoea_build_info",
        "gauge",
        "1, with the version of the program.",
    );
    page.write_line(
        "zoea_build_info",
        &[("version", env!("CARGO_PKG_VERSION"))],
        1,
    );
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name in parentheses may hold anything.
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or("")
        .split_whitespace()
        .collect();
    let field = |at: usize| fields.get(at).and_then(|text| text.parse::<f64>().ok());
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let size = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
        Some(kib * KIB)
    };
    let (user, system) = (field(11), field(12));
    let cpu = user.and_then(|user| Some((user + system?) / TICKS));
    let boot = fs::read_to_string("/proc/stat").unwrap_or_default();
    let boot = boot.lines().find_map(|line| line.strip_prefix("btime "));
    let boot = boot.and_then(|text| text.trim().parse::<f64>().ok());
    let started = field(19).and_then(|ticks| Some(boot? + ticks / TICKS));
    let open = fs::read_dir("/proc/self/fd")
        .ok()
        .map(|files| files.count() as f64);
    let limits = fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let most = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"));
    let most = most.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    for (name, kind, help, value) in [
        (
            "process_cpu_seconds_total",
            "counter",
            "User and system time.",
            cpu,
        ),
        (
            "process_resident_memory_bytes",
            "gauge",
            "Memory in use.",
            size("VmRSS:"),
        ),
        (
            "process_virtual_memory_bytes",
            "gauge",
            "Memory that is mapped.",
            size("VmSize:"),
        ),
        (
            "process_start_time_seconds",
            "gauge",
            "When it started, by the clock of the system.",
            started,
        ),
        (
            "process_open_fds",
            "gauge",
            "Open files and connections.",
            open,
        ),
        (
            "process_max_fds",
            "gauge",
            "The limit of open files and connections.",
            most,
        ),
    ] {
        if let Some(value) = value {
            page.write_head(name, kind, help);
            page.write_decimal(name, &[], value);
        }
    }
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
