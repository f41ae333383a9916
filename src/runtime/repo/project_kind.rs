//! The kinds of project, and what is known of each: the files that identify it, and how it is served.

use std::fmt;

use serde::Serialize;

use crate::runtime::command_line::choices;

choices! {
    /// A kind of project, in the order of the names.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ProjectKind {
        /// Astro
        Astro = "astro",
        /// Next.js
        Next = "next",
        /// Nuxt
        Nuxt = "nuxt",
        /// Programs in a Procfile
        Procfile = "procfile",
        /// Ruby on Rails
        Rails = "rails",
        /// Remix
        Remix = "remix",
        /// SvelteKit
        Sveltekit = "sveltekit",
        /// Vite
        Vite = "vite",
    }
}

/// A framework whose server a script of `package.json` starts.
#[derive(Debug)]
pub struct Framework {
    /// Its kind of project.
    pub kind: ProjectKind,
    /// The configuration file that identifies it, without its ending.
    pub configuration: &'static str,
    /// The endings of that file.
    pub endings: &'static [&'static str],
    /// Whether it is built on Vite, and may have the configuration of Vite as well.
    pub is_on_vite: bool,
    /// The configuration files that may set the port, without their endings.
    pub port_files: &'static [&'static str],
    /// The port that it takes by default.
    pub port: u16,
    /// Whether its server listens on the address in `HOST`.
    pub heeds_host: bool,
}

/// The frameworks, in the order in which their ports are searched for.
pub static FRAMEWORKS: [Framework; 6] = [
    Framework {
        kind: ProjectKind::Next,
        configuration: "next.config",
        endings: &["js", "mjs", "ts", "cjs"],
        is_on_vite: false,
        port_files: &["next.config"],
        port: 3000,
        heeds_host: false,
    },
    Framework {
        kind: ProjectKind::Nuxt,
        configuration: "nuxt.config",
        endings: &["js", "mjs", "ts"],
        is_on_vite: true,
        port_files: &["nuxt.config"],
        port: 3000,
        heeds_host: true,
    },
    Framework {
        kind: ProjectKind::Remix,
        configuration: "remix.config",
        endings: &["js", "ts"],
        is_on_vite: true,
        port_files: &["remix.config", "vite.config"],
        port: 3000,
        heeds_host: true,
    },
    Framework {
        kind: ProjectKind::Astro,
        configuration: "astro.config",
        endings: &["js", "mjs", "ts"],
        is_on_vite: true,
        port_files: &["astro.config"],
        port: 4321,
        heeds_host: false,
    },
    Framework {
        kind: ProjectKind::Vite,
        configuration: "vite.config",
        endings: &["js", "ts", "mjs", "cjs"],
        is_on_vite: false,
        port_files: &["vite.config"],
        port: 5173,
        heeds_host: false,
    },
    Framework {
        kind: ProjectKind::Sveltekit,
        configuration: "svelte.config",
        endings: &["js", "mjs", "ts"],
        is_on_vite: true,
        port_files: &["vite.config", "svelte.config"],
        port: 5173,
        heeds_host: false,
    },
];

impl ProjectKind {
    /// Its framework; none if `bin/dev` or a Procfile starts it.
    pub fn framework(self) -> Option<&'static Framework> {
        FRAMEWORKS.iter().find(|framework| framework.kind == self)
    }

    /// The port that it takes by default.
    pub fn default_port(self) -> u16 {
        self.framework().map_or(DEFAULT_PORT, |framework| framework.port)
    }
}

/// The port of a project that takes none by default.
pub const DEFAULT_PORT: u16 = 3000;

impl fmt::Display for ProjectKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}
