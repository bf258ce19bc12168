#include "app/submission/job_environment.h"

#include "app/cli/argv_text.h"
#include "app/cli/failure.h"
#include "jobs/model/job_spec.h"

#include <QProcessEnvironment>

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

} // namespace drover::app
