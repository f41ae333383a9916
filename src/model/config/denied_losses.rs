//! `deny-loss`: the losses that fail a build or a release.

use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::diagnostic::LossClass;

/// A class of losses that is denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeniedLosses {
    /// A protection of the user is lost.
    Security,
    /// Something works differently or worse.
    Behavior,
    /// Something looks different or worse.
    Cosmetic,
    /// Any loss.
    Any,
}

/// A word that names no class of losses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown loss class `{0}`, expected one of `security`, `behavior`, `cosmetic`, `any`")]
pub struct UnknownLossClass(String);

impl DeniedLosses {
    /// Every value.
    pub const ALL: [Self; 4] = [Self::Security, Self::Behavior, Self::Cosmetic, Self::Any];

    /// The value as it is written in settings and on the command line.
    pub fn id(self) -> &'static str {
        match self {
            Self::Any => "any",
            one => one.class().id(),
        }
    }

    /// The least severe class that is denied.
    pub fn class(self) -> LossClass {
        match self {
            Self::Security => LossClass::Security,
            Self::Behavior => LossClass::Behavior,
            Self::Cosmetic | Self::Any => LossClass::Cosmetic,
        }
    }

    /// The least severe class that one of `denied` denies.
    pub fn least_severe<'a>(denied: impl IntoIterator<Item = &'a Self>) -> Option<LossClass> {
        denied.into_iter().map(|one| one.class()).max()
    }
}

impl FromStr for DeniedLosses {
    type Err = UnknownLossClass;

    fn from_str(text: &str) -> Result<Self, UnknownLossClass> {
        let known = Self::ALL.into_iter().find(|one| one.id() == text);
        known.ok_or_else(|| UnknownLossClass(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for DeniedLosses {
    fn deserialize<D: Deserializer<'de>>(given: D) -> Result<Self, D::Error> {
        String::deserialize(given)?.parse().map_err(D::Error::custom)
    }
}
