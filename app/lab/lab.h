#pragma once

#include "app/bench/benches.h"
#include "app/environment/context.h"

namespace drover::app {

// A demonstration of one recipe with many participants.
struct Lab {
    qint64 sessions = 0;
    MeasureIn run; // no other program uses the directory
    std::function<QString(const Figures &)> explain; // in one sentence
};

// Runs a lab on a private server or that of --connect, with a session for each participant. One more session prints the
// first --changes changes of the znodes, during warm-up and measurement. With -o json it prints only the figures, and
// their explanation as "shows".
async::Task<int> runLab(Context &context, Lab lab);

// The options that all labs share.
QList<QCommandLineOption> labOptions(const char *clients);
qint64 labClients(const Context &context, qint64 atLeast, qint64 fallback);
std::chrono::milliseconds labDuration(const Context &context);

} // namespace drover::app
