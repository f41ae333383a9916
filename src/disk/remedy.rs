//! Help for a file that cannot be written, by the error of the system.

use std::io::ErrorKind;

/// The help for one error, alone and with the option of another folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Remedy {
    /// The help alone.
    pub alone: &'static str,
    /// The help, or another folder for the bundles.
    pub or_out: &'static str,
    /// The help, or another folder for the helper's files.
    pub or_root: &'static str,
}

macro_rules! remedy {
    ($name:ident, $text:literal) => {
        const $name: Remedy = Remedy {
            alone: $text,
            or_out: concat!($text, ", or pass another folder with `--out`"),
            or_root: concat!($text, ", or name another folder with `--root`"),
        };
    };
}

remedy!(FULL, "free some space");
remedy!(QUOTA, "free some of your disk quota");
remedy!(TOO_LARGE, "raise the limit on the size of a file (`ulimit -f`)");
remedy!(READ_ONLY, "make the file system writable");

/// The help for an error; `None` if there is no advice for it.
pub fn remedy(kind: ErrorKind) -> Option<Remedy> {
    match kind {
        ErrorKind::StorageFull => Some(FULL),
        ErrorKind::QuotaExceeded => Some(QUOTA),
        ErrorKind::FileTooLarge => Some(TOO_LARGE),
        ErrorKind::ReadOnlyFilesystem => Some(READ_ONLY),
        _ => None,
    }
}

/// The same for the error message of another program.
pub fn remedy_in(words: &str) -> Option<Remedy> {
    let signs = [
        ("No space left on device", FULL),
        ("Disk quota exceeded", QUOTA),
        ("File too large", TOO_LARGE),
        ("signal 25", TOO_LARGE),
        ("Read-only file system", READ_ONLY),
    ];
    signs.into_iter().find(|(sign, _)| words.contains(sign)).map(|(_, remedy)| remedy)
}

#[cfg(test)]
mod tests {
    use std::io;

    use rustix::io::Errno;

    use super::*;

    #[test]
    fn a_reason_and_the_words_for_it_have_one_remedy() {
        for (errno, wanted) in
            [(Errno::NOSPC, FULL), (Errno::DQUOT, QUOTA), (Errno::FBIG, TOO_LARGE), (Errno::ROFS, READ_ONLY)]
        {
            let error = io::Error::from(errno);
            assert_eq!(remedy(error.kind()), Some(wanted), "{error}");
            assert_eq!(remedy_in(&format!("error: cannot write: {error}")), Some(wanted), "{error}");
        }
        assert_eq!(remedy_in("error: index-pack died of signal 25"), Some(TOO_LARGE));
        assert_eq!((remedy(ErrorKind::PermissionDenied), remedy_in("died of signal 9")), (None, None));
    }
}
