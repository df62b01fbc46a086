//! The state of another process on this machine.

/// Whether a process is stopped: by Ctrl-Z, by SIGSTOP, or by a debugger. False where the system does
/// not say it.
pub fn is_stopped(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| matches!(state_of(&stat), Some('T' | 't')))
}

/// The state stands behind the program's name, which may hold any character.
fn state_of(stat: &str) -> Option<char> {
    let (_, behind) = stat.rsplit_once(')')?;
    behind.trim_start().chars().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_stands_behind_a_name_with_any_characters() {
        assert_eq!(state_of("42 (a) T (b)) S 1 42"), Some('S'));
        assert_eq!(state_of("42 (zoea) T 1 42"), Some('T'));
        assert_eq!(state_of(""), None);
    }

    #[test]
    fn this_process_runs() {
        assert!(!is_stopped(std::process::id()));
    }
}
