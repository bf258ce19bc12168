#include "app/submission/submitting_process.h"

#include "app/cli/argv_text.h"
#include "app/cli/failure.h"
#include "jobs/model/job_spec.h"
#include "jobs/model/output_path.h"

#include <QFile>
#include <QFileInfo>
#include <QProcessEnvironment>

#include <filesystem>

#include <sys/stat.h>

namespace drover::app {

namespace {

bool isInherited(const QString &variable)
{
    static const QStringList Names{QStringLiteral("PATH"),    QStringLiteral("HOME"), QStringLiteral("USER"),
                                   QStringLiteral("LOGNAME"), QStringLiteral("LANG"), QStringLiteral("TZ")};
    return Names.contains(variable) || variable.startsWith(u"LC_");
}

QString ownValue(const QString &name, const QString &what)
{
    const QString value = argvText(qgetenv(name.toUtf8().constData()));
    if (!isText(value))
        throw UsageError(QStringLiteral("%1: the value of %2 is not UTF-8").arg(what, name));
    return value;
}

// A FIFO or a socket has its content once, and the worker may be another machine.
bool isFileOrDevice(const QString &path)
{
    struct ::stat status {
    };
    return ::stat(QFile::encodeName(path).constData(), &status) == 0
        && (S_ISREG(status.st_mode) || S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode));
}

} // namespace

jobs::Environment inheritedEnvironment()
{
    jobs::Environment environment;
    const QProcessEnvironment own = QProcessEnvironment::systemEnvironment();
    for (const QString &name : own.keys()) {
        if (isInherited(name))
            environment[name] = own.value(name);
    }
    return environment;
}

void addSecrets(jobs::Environment &secrets, const QStringList &additions, const QString &what)
{
    for (const QString &addition : additions) {
        const QString name = addition.section(u'=', 0, 0);
        const QString reference = addition.section(u'=', 1);
        if (const QString objection = jobs::objectionToSecret(name, reference); !objection.isEmpty())
            throw UsageError(QStringLiteral("%1: %2").arg(what, objection));
        secrets[name] = reference;
    }
}

void addVariables(jobs::Environment &environment, const QStringList &additions, const QString &what)
{
    const QProcessEnvironment own = QProcessEnvironment::systemEnvironment();
    for (const QString &addition : additions) {
        const qsizetype equals = addition.indexOf(u'=');
        if (equals == 0 || (equals < 0 && !own.contains(addition)))
            throw UsageError(QStringLiteral("%1: \"%2\" is neither NAME=VALUE nor the name of a variable that is set")
                                 .arg(what, addition));
        const QString name = equals < 0 ? addition : addition.left(equals);
        environment[name] = equals < 0 ? ownValue(name, what) : addition.mid(equals + 1);
    }
}

QString currentDirectory()
{
    const QString directory = argvText(QByteArray::fromStdString(std::filesystem::current_path().string()));
    if (!isText(directory))
        throw UsageError(QStringLiteral("the name of the current directory is not UTF-8: submit from another"));
    return directory;
}

QString inputPath(const QString &path, const QString &what)
{
    if (path == u"-")
        throw UsageError(QStringLiteral("%1: standard input is not passed on to jobs; write it to a file and name that "
                                        "(./- is a file called -)")
                             .arg(what));
    const QFileInfo file(path);
    if (!file.isReadable())
        throw UsageError(QStringLiteral("%1: cannot read %2").arg(what, path));
    if (!isFileOrDevice(path))
        throw UsageError(QStringLiteral("%1: %2 is neither a file nor a device").arg(what, path));
    return file.absoluteFilePath();
}

QString outputPath(const QString &path, const QString &what)
{
    if (path.endsWith(u'/'))
        throw UsageError(QStringLiteral("%1: %2 is a folder; name a file in it, %2%j.out for one").arg(what, path));
    const QString absolute = QFileInfo(path).absoluteFilePath();
    if (const QString objection = jobs::objectionTo(absolute); !objection.isEmpty())
        throw UsageError(what + QStringLiteral(": ") + objection);
    return absolute;
}

} // namespace drover::app
