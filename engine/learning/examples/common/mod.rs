//! The clock of the examples that count evaluations.

use std::fs;

/// CPU time of this thread (Linux), in seconds.
pub fn seconds() -> f64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()).expect("a number") * 1e-9
}

/// Prints the time of each of `count` things since `begin`.
pub fn rate(name: &str, count: usize, begin: f64) {
    let each = (seconds() - begin) / count as f64;
    println!("{name:28} {:6.3} us {:10.0} a CPU-second", 1e6 * each, 1.0 / each);
}
