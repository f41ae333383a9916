//! Questions that GitHub is asked again, because it may not show yet what was done.

use crate::runtime::answer::CallFailure;

/// How long to wait before GitHub is asked again for what it may not show yet, in seconds.
pub(super) const BACKOFF: [u64; 3] = [1, 2, 4];
/// The same for a reply whose call was interrupted: GitHub may still be at work on it.
pub(super) const REPLY_BACKOFF: [u64; 5] = [1, 2, 4, 8, 16];

/// Asks for something at once, and then after each of the waits, until it is there.
pub(super) fn first_or_later<T>(
    waits: &[u64],
    pause: impl FnMut(u64) -> Result<(), CallFailure>,
    mut ask: impl FnMut() -> Result<Option<T>, CallFailure>,
) -> Result<Option<T>, CallFailure> {
    match ask()? {
        None => ask_again(waits, pause, ask),
        found => Ok(found),
    }
}

/// Asks for something after each of the waits, until it is there.
pub(super) fn ask_again<T>(
    waits: &[u64],
    mut pause: impl FnMut(u64) -> Result<(), CallFailure>,
    mut ask: impl FnMut() -> Result<Option<T>, CallFailure>,
) -> Result<Option<T>, CallFailure> {
    for wait in waits {
        pause(*wait)?;
        if let Some(found) = ask()? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When GitHub is asked, in seconds, if it shows something at the `found`-th time.
    fn times(waits: &[u64], found: usize) -> Vec<u64> {
        let (time, asked) = (std::cell::Cell::new(0), std::cell::RefCell::new(Vec::new()));
        let pause = |wait| {
            time.set(time.get() + wait);
            Ok(())
        };
        let shown = ask_again(waits, pause, || {
            asked.borrow_mut().push(time.get());
            Ok((asked.borrow().len() == found).then_some(()))
        });
        assert_eq!(shown.unwrap().is_some(), found <= waits.len());
        asked.into_inner()
    }

    #[test]
    fn github_is_asked_for_half_a_minute_for_a_reply_and_seven_seconds_for_a_resolution() {
        assert_eq!(times(&REPLY_BACKOFF, 9), [1, 3, 7, 15, 31]);
        assert_eq!(times(&REPLY_BACKOFF, 2), [1, 3]);
        assert_eq!(times(&BACKOFF, 9), [1, 3, 7]);
    }
}
