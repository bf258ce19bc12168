#include "app/environment/programs.h"

#include "app/cli/argv_text.h"
#include "app/cli/failure.h"
#include "posix/process.h"
#include "workers/process/runner_client.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include <cerrno>
#include <cstring>

#include <unistd.h>

namespace drover::app {

QString findProgram(const char *name)
{
    const QString own = QCoreApplication::applicationDirPath();
    const QString file = u'/' + QLatin1String(name);
    for (const QString &folder : {own, own + QStringLiteral("/../libexec/drover"), own + QStringLiteral("/../../bin"),
                                  qEnvironmentVariable("DROVER_BIN_DIR", own)}) {
        if (QFileInfo(folder + file).isExecutable())
            return QDir::cleanPath(folder + file);
    }
    return own + file;
}

QString withInstalledPlaces(const QString &text)
{
    const QString place = QStringLiteral("/share/doc/drover/");
    const QString prefix = QDir::cleanPath(QCoreApplication::applicationDirPath() + QStringLiteral("/.."));
    return QFileInfo(prefix + place).isDir() ? QString(text).replace(QStringLiteral("/usr") + place, prefix + place)
                                             : text;
}

void requireRunner(const char *purpose)
{
    const QString program = workers::RunnerClient::findProgram();
    if (!QFileInfo(program).isExecutable())
        throw CommandError(ExitError,
                           QStringLiteral("cannot %1 without %2, which is not there or not executable; install "
                                          "drover-runner beside drover, or in ../libexec/drover")
                               .arg(QLatin1String(purpose), QDir::cleanPath(program)));
}

void becomeProgram(const char *name, const QStringList &arguments)
{
    const QByteArray program = QFile::encodeName(findProgram(name));
    QByteArrayList words;
    for (const QString &argument : arguments)
        words.append(argvBytes(argument));
    ::execv(program.constData(), posix::execList(words).data());
    throw CommandError(
        ExitError,
        QStringLiteral("cannot run %1: %2; install %3 beside drover, or in ../libexec/drover")
            .arg(QFile::decodeName(program), QString::fromLocal8Bit(std::strerror(errno)), QLatin1String(name)));
}

} // namespace drover::app
