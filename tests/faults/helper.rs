//! `plugcast-run` with the feature `fault`, and beside its own commands the store alone: what the crash walks of
//! the helper run.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use plugcast::runtime::answer::CallFailure;
use plugcast::runtime::environment::Environment;
use plugcast::runtime::store::{Store, StoreStep};

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    let Some(root) = words.get(2).filter(|_| words[1] == "store").map(PathBuf::from) else {
        return ExitCode::from(plugcast::runtime::run(words, &mut std::io::stdout().lock()));
    };
    match change(&root, words.len() > 3) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => ExitCode::from(failure.exit),
    }
}

/// Takes the lock, which finishes what is left; with `all` one use of everything that the store can do.
fn change(root: &Path, all: bool) -> Result<(), CallFailure> {
    let store = Store::new(root.to_owned(), &Environment::read());
    let held = store.lock()?;
    if all {
        held.commit(vec![
            StoreStep::Write { path: "one".into(), text: "new one".to_owned() },
            StoreStep::Write { path: "deep/two".into(), text: "new two".to_owned() },
            StoreStep::Remove { path: "three".into() },
        ])?;
        held.next_number("item", || 40)?;
        held.swap(&root.join("four"), Some(b"old four"), b"new four")?;
    }
    Ok(())
}
