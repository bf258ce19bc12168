#include "app/environment/require_runner.h"

#include "app/cli/failure.h"
#include "workers/process/runner_client.h"

#include <QDir>
#include <QFileInfo>

namespace drover::app {

void requireRunner(const char *purpose)
{
    const QString program = workers::RunnerClient::findProgram();
    if (!QFileInfo(program).isExecutable())
        throw CommandError(ExitError,
                           QStringLiteral("cannot %1 without %2, which is not there or not executable; install "
                                          "drover-runner beside drover, or in ../libexec/drover")
                               .arg(QLatin1String(purpose), QDir::cleanPath(program)));
}

} // namespace drover::app
