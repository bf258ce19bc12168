#pragma once

#include "app/bench/figures.h"
#include "app/context.h"
#include "zk/coordinator.h"

namespace drover::app {

// A recipe with many participants, watched at work.
struct Lab {
    // Measures; the path is its alone.
    using Run = std::function<async::Task<Figures>(std::vector<zk::Coordinator *> sessions, zk::Path directory)>;
    // One sentence about what the figures show.
    using Explain = std::function<QString(const Figures &)>;

    qint64 sessions = 0;
    Run run;
    Explain explain;
};

// A private server, or that of --connect, a session for each participant, and one more that prints the znodes as they
// change: the first --changes of them, while the participants warm up or are measured. With --json only the figures,
// and what they show as "shows".
async::Task<int> runLab(Context &context, Lab lab);

// Beside those of the lab's own.
QList<QCommandLineOption> labOptions(const char *clients);
qint64 labClients(const Context &context, qint64 atLeast, qint64 fallback);
std::chrono::milliseconds labDuration(const Context &context);

} // namespace drover::app
