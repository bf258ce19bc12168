#pragma once

namespace drover::app {

// The exit codes of all commands; scripts depend on them. `run` and `wait` return the job's exit code instead. It is
// 128 + n if signal n ended the job, and 125 if the job has none. app/README.md explains 126, 127 and 74.
enum Exit : int {
    ExitOk = 0,
    ExitError = 1,
    ExitUsage = 2,
    ExitNotFound = 3,
    ExitWrongState = 4,
    ExitDenied = 5,
    ExitUnreachable = 6, // no ZooKeeper answers, or it has ended the session
    ExitNoRoom = 7, // a full queue
    ExitTimeout = 124,
    ExitNoCode = 125, // `run` and `wait`: the job has no code of its own
    ExitCommandNotExecutable = 126, // `lock`: its command cannot be executed
    ExitCommandNotFound = 127, // `lock`: its command was not found
    ExitSignalBase = 128,
};

} // namespace drover::app
