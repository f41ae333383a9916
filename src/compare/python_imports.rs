//! The Python files that a script imports: a module is named by its path with dots and without an extension.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

/// The modules that a script imports.
pub(super) struct PythonImports {
    /// Their paths without an extension, below the folder of the script or one above it.
    absolute: BTreeSet<String>,
    /// Their paths without an extension.
    relative: BTreeSet<Utf8PathBuf>,
    /// The folder of the script.
    folder: Utf8PathBuf,
}

impl PythonImports {
    /// Reads the imports of the script at `path`; none if it is of another language.
    pub(super) fn from_text(path: &Utf8Path, text: &str) -> Self {
        let folder = path.parent().unwrap_or(Utf8Path::new("")).to_owned();
        let mut out = Self { absolute: BTreeSet::new(), relative: BTreeSet::new(), folder };
        if path.extension() != Some("py") {
            return out;
        }
        for line in text.lines().map(str::trim_start) {
            if let Some(modules) = line.strip_prefix("import ") {
                modules.split(',').for_each(|module| out.add(module, ""));
            } else if let Some((module, names)) =
                line.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
            {
                out.add(module, "");
                let names = names.split('#').next().unwrap_or_default();
                names.split(',').for_each(|name| out.add(module, name.trim_matches(['(', ')', ' '])));
            }
        }
        out
    }

    /// Adds a module, or `name` in it, which may be another one.
    fn add(&mut self, module: &str, name: &str) {
        let first = |text: &str| text.split_whitespace().next().unwrap_or_default().to_owned();
        let (module, name) = (first(module), first(name));
        let bare = module.trim_start_matches('.');
        let parts: Vec<&str> =
            bare.split('.').chain([name.as_str()]).filter(|part| !part.is_empty()).collect();
        let dots = module.len() - bare.len();
        if dots == 0 {
            // A package above runs, too.
            self.absolute.extend((1..=parts.len()).map(|length| parts[..length].join("/")));
        } else if let Some(base) = self.folder.ancestors().nth(dots - 1) {
            self.relative.insert(base.join(parts.join("/")));
        }
    }

    /// Whether one of the modules is the file at `path`.
    pub(super) fn has(&self, path: &str) -> bool {
        let Some(module) = path.strip_suffix(".py") else { return false };
        let module = Utf8Path::new(module.strip_suffix("/__init__").unwrap_or(module));
        let below = |folder: &Utf8Path| {
            module.strip_prefix(folder).is_ok_and(|inner| self.absolute.contains(inner.as_str()))
        };
        self.relative.contains(module) || self.folder.ancestors().any(below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_files_of_a_package() {
        let text = "import os, lib.common as c\nfrom lib.other import (one, two)  # here\nfrom . import near\n    from ..up.far import x\nimported = 1\n";
        let imports = PythonImports::from_text("scripts/a.py".into(), text);
        for there in [
            "scripts/lib/common.py",
            "scripts/lib/__init__.py",
            "lib/common.py",
            "scripts/lib/other.py",
            "scripts/lib/other/two.py",
            "scripts/near.py",
            "up/far.py",
        ] {
            assert!(imports.has(there), "{there}");
        }
        for other in
            ["scripts/common.py", "other/lib/common.py", "scripts/lib/more.py", "scripts/lib/common.sh"]
        {
            assert!(!imports.has(other), "{other}");
        }
        assert!(!PythonImports::from_text("scripts/a.sh".into(), text).has("scripts/near.py"));
    }
}
