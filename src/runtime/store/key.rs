//! The key of this user on this machine, with which the helper recognises what it wrote. It is stored outside of any
//! repository, readable only by the user.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::disk::hex;
use crate::disk::reader::SizeLimit;
use crate::disk::root::{Root, RootLink};
use crate::runtime::environment::Environment;

const NAME: &str = "key";
const LENGTH: usize = 32;
/// The block size of SHA-256.
const BLOCK: usize = 64;

/// The key.
pub(super) struct SealKey([u8; LENGTH]);

impl SealKey {
    /// The key of this user, created if missing; `None` if it cannot be stored.
    pub(super) fn load(environment: &Environment) -> Option<Self> {
        let folder = folder(environment)?;
        // A folder that the user names in a variable may be a link.
        let root = Root::create(&folder, RootLink::Followed).ok()?;
        let path = Path::new(NAME);
        if let Some(bytes) = root.read_secret(path, SizeLimit::Settings).ok()? {
            return bytes.try_into().ok().map(Self);
        }
        let mut bytes = [0; LENGTH];
        getrandom::fill(&mut bytes).ok()?;
        // Another process may have been quicker: the stored key is the one to use.
        root.create_secret(path, &bytes).ok()?;
        root.read_secret(path, SizeLimit::Settings).ok()??.try_into().ok().map(Self)
    }

    /// The keyed hash of several texts, in hexadecimal: HMAC with SHA-256 (RFC 2104).
    pub(super) fn sign(&self, texts: &[&[u8]]) -> String {
        let mut whole = Vec::new();
        for text in texts {
            // The lengths separate the texts.
            whole.extend_from_slice(&(text.len() as u64).to_be_bytes());
            whole.extend_from_slice(text);
        }
        hex(&hmac(&self.0, &whole))
    }

    /// Whether a signature matches these texts, compared in constant time.
    pub(super) fn has_signed(&self, texts: &[&[u8]], signature: &str) -> bool {
        let own = self.sign(texts);
        let differing = own.bytes().zip(signature.bytes()).fold(0, |all, (one, other)| all | (one ^ other));
        own.len() == signature.len() && differing == 0
    }
}

fn folder(environment: &Environment) -> Option<PathBuf> {
    let state = environment.variable("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || environment.variable("HOME").map(|home| Path::new(home).join(".local/state"));
    Some(state.or_else(home)?.join("plugcast"))
}

/// HMAC for a key that is shorter than a block.
fn hmac(key: &[u8], text: &[u8]) -> Vec<u8> {
    let padded = |pad: u8| -> Vec<u8> {
        let mut block = vec![pad; BLOCK];
        block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
        block
    };
    let inner = Sha256::new().chain_update(padded(0x36)).chain_update(text).finalize();
    Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keyed_hash_is_that_of_the_standard() {
        // RFC 4231, test cases 1 and 2.
        assert_eq!(
            hex(&hmac(&[0x0b; 20], b"Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
        assert_eq!(
            hex(&hmac(b"Jefe", b"what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn a_signature_is_of_these_texts_and_this_key_only() {
        let key = SealKey([7; LENGTH]);
        let signature = key.sign(&[b"ab", b"c"]);
        assert!(key.has_signed(&[b"ab", b"c"], &signature));
        assert!(!key.has_signed(&[b"a", b"bc"], &signature));
        assert!(!key.has_signed(&[b"ab", b"c"], &signature[1..]) && !key.has_signed(&[b"ab", b"c"], ""));
        assert!(!SealKey([8; LENGTH]).has_signed(&[b"ab", b"c"], &signature));
    }
}
