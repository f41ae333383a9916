//! The codes of `server`.

use super::{CodeRow, GATED, GIT, LAUNCH, POLISHED, RUN, STATE, STORE};
use crate::runtime::error_code::ErrorCode;

pub(super) static ROWS: [CodeRow; 5] = [
    ("server owner", &[&[(ErrorCode::Sandboxed, 5)]]),
    ("server probe", &[&[(ErrorCode::Sandboxed, 5), (ErrorCode::Timeout, 7)]]),
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
                (ErrorCode::OutsideRepository, 2),
                (ErrorCode::NoPort, 2),
                (ErrorCode::SeveralConfigs, 2),
                (ErrorCode::ForkUntrusted, 3),
                (ErrorCode::PortInUse, 3),
                (ErrorCode::NoServer, 3),
                (ErrorCode::NoCommand, 5),
                (ErrorCode::CommandMissing, 5),
                (ErrorCode::NotStarted, 5),
                (ErrorCode::ServerEnded, 5),
                (ErrorCode::Running, 6),
                (ErrorCode::OwnerChanged, 6),
            ],
        ],
    ),
    (
        "server status",
        &[
            &STATE,
            &[
                (ErrorCode::NotARun, 2),
                (ErrorCode::NoRun, 4),
                (ErrorCode::MalformedJson, 4),
                (ErrorCode::NotUtf8, 4),
                (ErrorCode::NoFolder, 5),
                (ErrorCode::FileUnreadable, 5),
                (ErrorCode::GitFailed, 5),
            ],
        ],
    ),
    (
        "server stop",
        &[
            &RUN,
            &STATE,
            &[
                (ErrorCode::PortInUse, 3),
                (ErrorCode::MalformedJson, 4),
                (ErrorCode::Sandboxed, 5),
                (ErrorCode::SignalRefused, 5),
                (ErrorCode::OwnerChanged, 6),
                (ErrorCode::StillRunning, 7),
            ],
        ],
    ),
];
