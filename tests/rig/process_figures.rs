//! What the kernel counts about a process.

/// The figures of a process so far.
#[derive(Clone, Copy, Debug)]
pub struct ProcessFigures {
    /// User and system time, in microseconds.
    pub cpu_micros: u64,
    /// Bytes sent to the disk, counted in whole pages of 4 KiB (`write_bytes`).
    pub written: u64,
    /// Memory in bytes, with shared pages counted in parts.
    pub pss: u64,
}

impl ProcessFigures {
    /// Reads the figures of a living process.
    pub fn of(pid: u32) -> ProcessFigures {
        ProcessFigures {
            cpu_micros: cpu_micros(pid),
            written: number_after(&read(pid, "io"), "write_bytes:"),
            pss: number_after(&read(pid, "smaps_rollup"), "Pss:") << 10,
        }
    }
}

fn read(pid: u32, file: &str) -> String {
    std::fs::read_to_string(format!("/proc/{pid}/{file}")).expect("the process lives")
}

fn cpu_micros(pid: u32) -> u64 {
    let stat = read(pid, "stat");
    let after_name = stat.rsplit(')').next().unwrap_or("");
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks = |place: usize| fields[place].parse::<u64>().expect("a number");
    // Linux counts in hundredths of a second here.
    (ticks(11) + ticks(12)) * 10_000
}

fn number_after(text: &str, label: &str) -> u64 {
    text.lines()
        .find_map(|line| line.strip_prefix(label))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .expect("a figure of the kernel")
}
