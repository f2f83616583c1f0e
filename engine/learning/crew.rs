//! Several games at once, in the order of their numbers.

use std::{
    collections::BTreeMap,
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
        mpsc,
    },
    thread,
};

/// Has each of `workers` do pieces of work, in a thread of its own, and hands what comes of them to `take` in the order of
/// their numbers, until it returns false. What comes does not depend on the number of workers.
///
/// # Errors
///
/// The first error of the work, or of `take`.
pub fn in_order<W: Send, T: Send>(
    workers: &mut [W],
    numbers: std::ops::Range<u64>,
    work: impl Fn(&mut W, u64) -> Result<T, String> + Sync,
    mut take: impl FnMut(u64, T) -> Result<bool, String>,
) -> Result<(), String> {
    if let [worker] = workers {
        for number in numbers {
            if !take(number, work(worker, number)?)? {
                break;
            }
        }
        return Ok(());
    }
    let (next, enough) = (AtomicU64::new(numbers.start), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for worker in workers {
            let (sender, next, enough, work, end) = (sender.clone(), &next, &enough, &work, numbers.end);
            scope.spawn(move || {
                while !enough.load(Relaxed) {
                    let number = next.fetch_add(1, Relaxed);
                    if number >= end || sender.send((number, work(worker, number))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut done = BTreeMap::new();
        let mut awaited = numbers.start;
        let mut go_on = || -> Result<(), String> {
            for (number, came) in &receiver {
                done.insert(number, came?);
                while let Some(came) = done.remove(&awaited) {
                    if !take(awaited, came)? {
                        return Ok(());
                    }
                    awaited += 1;
                }
            }
            Ok(())
        };
        let ended = go_on();
        enough.store(true, Relaxed);
        ended
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_from_any_number_of_workers() {
        for workers in 1..4 {
            let mut found = Vec::new();
            let work = |_: &mut u64, number: u64| Ok(number * 10);
            let take = |number, came| {
                found.push((number, came));
                Ok(number < 30)
            };
            in_order(&mut vec![1; workers], 7..1000, work, take).unwrap();
            assert_eq!(found, (7..=30).map(|number| (number, number * 10)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_ends_the_work() {
        let work = |_: &mut (), number: u64| if number == 5 { Err("five".to_owned()) } else { Ok(()) };
        assert_eq!(in_order(&mut [(), ()], 0..1000, work, |_, ()| Ok(true)), Err("five".to_owned()));
    }
}
