//! The codes of `server`.

use super::{CodeRow, GATED, GIT, LAUNCH, POLISHED, RUN, STATE, STORE};

pub(super) static ROWS: [CodeRow; 5] = [
    ("server owner", &[&[("sandboxed", 5)]]),
    ("server probe", &[&[("sandboxed", 5), ("timeout", 7)]]),
    (
        "server start",
        &[
            &RUN,
            &STORE,
            &POLISHED,
            &GIT,
            &LAUNCH,
            &GATED,
            &[
                ("outside_repository", 2),
                ("no_port", 2),
                ("several_configs", 2),
                ("fork_untrusted", 3),
                ("port_in_use", 3),
                ("no_server", 3),
                ("no_command", 5),
                ("command_missing", 5),
                ("not_started", 5),
                ("server_ended", 5),
                ("running", 6),
                ("owner_changed", 6),
            ],
        ],
    ),
    (
        "server status",
        &[
            &STATE,
            &[
                ("not_a_run", 2),
                ("no_run", 4),
                ("malformed_json", 4),
                ("not_utf8", 4),
                ("no_folder", 5),
                ("file_unreadable", 5),
                ("git_failed", 5),
            ],
        ],
    ),
    (
        "server stop",
        &[
            &RUN,
            &STATE,
            &[
                ("port_in_use", 3),
                ("malformed_json", 4),
                ("sandboxed", 5),
                ("signal_refused", 5),
                ("owner_changed", 6),
                ("still_running", 7),
            ],
        ],
    ),
];
