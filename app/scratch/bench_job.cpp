#include "app/scratch/bench_job.h"

#include <QDateTime>

namespace drover::app {

jobs::JobSpec benchJob(const QStringList &command)
{
    jobs::JobSpec spec;
    spec.command = command;
    spec.environment.emplace(QStringLiteral("PATH"), QStringLiteral("/usr/local/bin:/usr/bin:/bin"));
    spec.submittedAt = std::chrono::milliseconds(QDateTime::currentMSecsSinceEpoch());
    return spec;
}

} // namespace drover::app
