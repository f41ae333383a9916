//! What an ELF file of 64 bits needs to start: a loader, and shared libraries.

/// The kind of a program header that names a loader.
const INTERPRETER: u32 = 3;
/// The kind of the program header over the dynamic section.
const DYNAMIC: u32 = 2;
/// The tag of a library in the dynamic section.
const NEEDED: u64 = 1;

/// One line for a loader and for each library; empty for a static program. `None` for another file.
pub fn needs(bytes: &[u8]) -> Option<Vec<String>> {
    let little = bytes.get(..6)? == b"\x7fELF\x02\x01";
    let number = |at: usize, size: usize| -> Option<u64> {
        let part = bytes.get(at..at + size)?;
        Some(part.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    };
    if !little {
        return None;
    }
    let (headers, size, count) = (number(32, 8)? as usize, number(54, 2)? as usize, number(56, 2)? as usize);
    let mut out = Vec::new();
    for header in (0..count).map(|at| headers + at * size) {
        let (kind, start, length) =
            (number(header, 4)? as u32, number(header + 8, 8)? as usize, number(header + 32, 8)? as usize);
        let part = bytes.get(start..start + length)?;
        if kind == INTERPRETER {
            let name = String::from_utf8_lossy(part);
            out.push(format!("the loader {}", name.trim_end_matches('\0')));
        }
        if kind == DYNAMIC {
            let tags = (start..start + length).step_by(16).filter_map(|at| number(at, 8));
            let libraries = tags.take_while(|tag| *tag != 0).filter(|tag| *tag == NEEDED).count();
            out.extend((0..libraries).map(|_| "a shared library".to_owned()));
        }
    }
    Some(out)
}
