//! Converts errors of lower layers to command failures: a code, a message and help.

use super::CommandFailure;
use crate::build::BuildError;
use crate::check::settings::UnknownWord;
use crate::check_session::CheckError;
use crate::disk::DiskError;
use crate::drivers::installation::MissingHost;
use crate::model::similar_names;
use crate::process::temporary;
use crate::target::UnknownHost;

impl From<anyhow::Error> for CommandFailure {
    fn from(error: anyhow::Error) -> Self {
        let converted = error
            .downcast::<DiskError>()
            .map(Self::from)
            .or_else(|error| error.downcast::<BuildError>().map(Self::from))
            .or_else(|error| error.downcast::<UnknownHost>().map(Self::from))
            .or_else(|error| error.downcast::<MissingHost>().map(Self::from));
        converted.unwrap_or_else(|error| {
            let mut causes = error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>());
            match causes.find(|cause| temporary::is_unusable(cause)) {
                Some(cause) => Self {
                    code: "io".into(),
                    message: cause.to_string(),
                    help: Some(temporary::HELP.into()),
                    place: None,
                },
                None => Self { code: "host".into(), message: format!("{error:#}"), help: None, place: None },
            }
        })
    }
}

impl From<MissingHost> for CommandFailure {
    fn from(missing: MissingHost) -> Self {
        Self { code: "missing".into(), message: missing.message, help: Some(missing.help), place: None }
    }
}

impl From<UnknownHost> for CommandFailure {
    fn from(unknown: UnknownHost) -> Self {
        let (name, known) = (&unknown.name, unknown.known.join(", "));
        if name.trim().is_empty() {
            let help = format!("remove the comma; known hosts: {known}");
            return Self::usage("trailing comma or empty name in the list of hosts", help);
        }
        let meant = similar_names::nearest(name, unknown.known.iter().map(String::as_str));
        let meant = meant.map_or(String::new(), |known| format!("did you mean `{known}`? "));
        Self::usage(unknown.to_string(), format!("{meant}known hosts: {known}"))
    }
}

/// What to do about an unknown rule or group.
fn rules_help(unknown: &UnknownWord) -> String {
    let near = unknown.near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    format!("{near}`plugcast rules` lists them")
}

impl From<CheckError> for CommandFailure {
    fn from(error: CheckError) -> Self {
        let message = error.to_string();
        match error {
            CheckError::Settings { unknown, place } => {
                Self { code: "config".into(), message, help: Some(rules_help(&unknown)), place }
            }
            CheckError::UnknownRule(unknown) => Self::usage(message, rules_help(&unknown)),
            CheckError::UnknownHost(unknown) => unknown.into(),
            CheckError::Baseline { place, .. } => {
                let help = "write it with `plugcast check --write-baseline FILE`";
                Self { code: "baseline".into(), message, help: Some(help.into()), place }
            }
            CheckError::NoLabels => {
                let help = "pass a folder with an `expected.json`, or one that contains such folders";
                Self::usage(message, help)
            }
            CheckError::Labels { place, .. } => {
                let help = "write a list of {\"rule\": …, \"path\": …, \"line\": …}";
                Self { code: "labels".into(), message, help: Some(help.into()), place: Some(place) }
            }
            CheckError::Since(error) => Self { code: "since".into(), ..Self::from(error) },
            CheckError::Source(error) => error.into(),
            CheckError::Edit(error) => error.into(),
            CheckError::Interrupted(_) => Self::interrupted(),
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
