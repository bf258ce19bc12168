#pragma once

namespace drover::app {

// What the program returns, the same for every command; scripts depend on it. `run` and `wait` return the job's own code
// instead: 128 + n if a signal ended it, 126, 127 or 74 as app/README.md says, 125 if it never had one.
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
    ExitCommandNotExecutable = 126, // `lock`: its command is there and cannot be executed
    ExitCommandNotFound = 127, // `lock`: there is no such command
    ExitSignalBase = 128,
};

} // namespace drover::app
