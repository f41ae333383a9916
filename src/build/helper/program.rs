//! Identifies a program by its bytes: the platform by its header and, for a `plugcast-run`, the version by the text
//! that it prints.

use semver::Version;

use crate::model::runtime::HELPER;

/// The platforms that a program runs on; `None` for an unknown format. The header tells only system and processor.
pub fn platforms(bytes: &[u8]) -> Option<&'static [&'static str]> {
    let word = |at: usize| Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let long = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    match bytes.get(..4)? {
        // ELF, 64 bits.
        [0x7f, b'E', b'L', b'F'] => match word(18)? {
            0x3e => Some(&["linux-x86_64"]),
            0xb7 => Some(&["linux-aarch64"]),
            _ => None,
        },
        // Mach-O for one processor, 64 bits.
        [0xcf, 0xfa, 0xed, 0xfe] => match long(4)? {
            0x0100_0007 => Some(&["macos-x86_64"]),
            0x0100_000c => Some(&["macos-aarch64"]),
            _ => None,
        },
        // Mach-O for several.
        [0xca, 0xfe, 0xba, 0xbe] => Some(&["macos-x86_64", "macos-aarch64"]),
        // PE, whose header lies at the offset in the MS-DOS header.
        [b'M', b'Z', ..] => {
            let header = usize::try_from(long(0x3c)?).ok()?;
            match (long(header)?, word(header.checked_add(4)?)?) {
                (0x0000_4550, 0x8664) => Some(&["windows-x86_64"]),
                (0x0000_4550, 0xaa64) => Some(&["windows-aarch64"]),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The version that a `plugcast-run` prints: its name, a space, the version and a line feed are in the file verbatim.
pub fn version(bytes: &[u8]) -> Option<String> {
    let mark = format!("{HELPER} ");
    let mark = mark.as_bytes();
    let mut at = 0;
    while let Some(found) = bytes[at..].windows(mark.len()).position(|window| window == mark) {
        at += found + mark.len();
        let rest = &bytes[at..bytes.len().min(at + 64)];
        let line = rest.split(|byte| *byte == b'\n').next().filter(|line| line.len() < rest.len());
        let text = line.and_then(|line| std::str::from_utf8(line).ok());
        if let Some(version) = text.and_then(|text| Version::parse(text).ok()) {
            return Some(version.to_string());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_names_the_platform() {
        let elf = |machine: u8| [&[0x7f, b'E', b'L', b'F'][..], &[0; 14], &[machine, 0]].concat();
        assert_eq!(platforms(&elf(0x3e)), Some(&["linux-x86_64"][..]));
        assert_eq!(platforms(&elf(0xb7)), Some(&["linux-aarch64"][..]));
        assert_eq!(platforms(&elf(0xf3)), None);
        let mach = [0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1];
        assert_eq!(platforms(&mach), Some(&["macos-aarch64"][..]));
        let mut pe = vec![0; 0x46];
        pe[..2].copy_from_slice(b"MZ");
        pe[0x3c] = 0x40;
        pe[0x40..0x46].copy_from_slice(&[b'P', b'E', 0, 0, 0x64, 0x86]);
        assert_eq!(platforms(&pe), Some(&["windows-x86_64"][..]));
        pe[0x3c..0x40].copy_from_slice(&[0xff; 4]);
        for bytes in [&pe[..], b"MZ", b"#!/bin/sh\n", b"", &mach[..5], &elf(0x3e)[..18]] {
            assert_eq!(platforms(bytes), None);
        }
    }

    #[test]
    fn a_version_is_found_among_other_words() {
        let bytes = b"\0plugcast-run --help\nplugcast-run is\nplugcast-run 1.2.3-rc.1\n\xff";
        assert_eq!(version(bytes).as_deref(), Some("1.2.3-rc.1"));
        assert_eq!(version(b"plugcast-run 1.2.3"), None);
        assert_eq!(version(b"plugcast-run "), None);
        assert_eq!(version(b""), None);
    }
}
