//! Marks by which the helper recognises a text that it wrote in a folder: a hash of the text with the folder's path and
//! inode, which no copy shares, and the same keyed with this user's key if one can be stored.

use serde::{Deserialize, Serialize};

use super::Store;
use super::key::SealKey;
use crate::disk;
use crate::disk::root::Root;
use crate::runtime::answer::CallFailure;

/// The mark of one of our texts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextMark {
    /// sha256 of the text and the folder.
    place: String,
    /// The keyed hash of the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
}

impl Store {
    /// The mark of a text of this store. `purpose` keeps texts of two kinds apart.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn mark(&self, purpose: &str, text: &str) -> Result<TextMark, CallFailure> {
        let Some(root) = self.open()? else { return Ok(TextMark::default()) };
        let place = self.place(&root)?;
        let texts = [purpose.as_bytes(), place.as_bytes(), text.as_bytes()];
        let signature = SealKey::load(&self.environment).map(|key| key.sign(&texts));
        Ok(TextMark { place: disk::sha256(&texts.join(&0)), signature })
    }

    /// Whether a mark belongs to this text, folder and user. Without a key, only text and folder are checked.
    ///
    /// # Errors
    /// As [`Store::open`].
    pub fn has_marked(&self, purpose: &str, text: &str, mark: &TextMark) -> Result<bool, CallFailure> {
        let Some(root) = self.open()? else { return Ok(false) };
        let place = self.place(&root)?;
        let texts = [purpose.as_bytes(), place.as_bytes(), text.as_bytes()];
        Ok(match SealKey::load(&self.environment) {
            Some(key) => mark.signature.as_ref().is_some_and(|own| key.has_signed(&texts, own)),
            None => mark.place == disk::sha256(&texts.join(&0)),
        })
    }

    /// The identity of the folder: its path and inode.
    pub(super) fn place(&self, root: &Root) -> Result<String, CallFailure> {
        let path = disk::canonical(root.path()).map_err(|error| self.unwritable(&error))?;
        let identity = root.identity().map_err(|error| self.refusal(error))?;
        Ok(format!("{} {identity}", path.display()))
    }
}
