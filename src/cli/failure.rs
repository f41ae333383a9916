//! Failures of lower layers as what ends a command: a code, a sentence and what to do.

use super::CommandFailure;
use crate::process::temporary;

impl From<anyhow::Error> for CommandFailure {
    fn from(error: anyhow::Error) -> Self {
        let error = match error.downcast::<crate::disk::DiskError>() {
            Ok(error) => return error.into(),
            Err(error) => error,
        };
        match error.downcast::<CommandFailure>() {
            Ok(failure) => failure,
            Err(error) => match error.downcast::<crate::drivers::installation::MissingHost>() {
                Ok(missing) => Self {
                    code: "missing".into(),
                    message: missing.message,
                    help: Some(missing.help),
                    place: None,
                },
                Err(error) => {
                    let causes = || error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
                    match causes().find(|cause| temporary::is_unusable(cause)) {
                        Some(cause) => Self {
                            code: "io".into(),
                            message: cause.to_string(),
                            help: Some(temporary::HELP.into()),
                            place: None,
                        },
                        None => Self {
                            code: "host".into(),
                            message: format!("{error:#}"),
                            help: None,
                            place: None,
                        },
                    }
                }
            },
        }
    }
}

impl From<crate::disk::edit::EditError> for CommandFailure {
    fn from(error: crate::disk::edit::EditError) -> Self {
        use crate::disk::edit::EditError;
        let remedy = match &error {
            EditError::Failed { source, .. } => crate::disk::remedy(source.kind()),
            _ => None,
        };
        let help = match (&error, remedy) {
            (_, Some(remedy)) => {
                format!("{}, and run the same command again: it continues where it stopped", remedy.alone)
            }
            (EditError::NotPlain(_), _) => {
                "replace it with a regular file, and run the same command again".to_owned()
            }
            (EditError::Changed(_), _) => "run the same command again: it reads the new text".to_owned(),
            (EditError::Failed { source, .. }, _) if source.kind() == std::io::ErrorKind::NotFound => {
                "create the folder, and run the same command again".to_owned()
            }
            (EditError::Failed { .. }, _) => {
                "make the file and its folder writable, and run the same command again".to_owned()
            }
        };
        Self { code: "io".into(), message: error.to_string(), help: Some(help), place: None }
    }
}
