#include "workers/attempts/secrets.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>

namespace drover::workers {

namespace {

constexpr QStringView File = u"file:";
constexpr QStringView Variable = u"env:";
constexpr qsizetype MostOfVariable = 64 * 1024;

std::string bytes(const QString &text)
{
    return QFile::encodeName(text).toStdString();
}

void addVariable(Command &command, const QString &name, const QString &reference)
{
    const QByteArray variable = reference.mid(Variable.size()).toLatin1();
    const QByteArray value = qgetenv(variable.constData());
    if (qEnvironmentVariableIsSet(variable.constData()) && value.size() <= MostOfVariable) {
        command.environment.push_back(bytes(name) + '=' + value.toStdString());
    } else if (command.refusal.empty()) {
        const char *const why = value.isEmpty() ? "is not set there" : "has more than 64 KiB";
        command.refusal = "the worker's variable for the secret " + bytes(name + u'=' + reference) + ' ' + why;
    }
}

void addFile(Command &command, const QString &name, const QString &reference)
{
    const std::string path = bytes(reference.mid(File.size()));
    const std::size_t slash = path.rfind('/');
    command.secrets.push_back(bytes(name) + '=');
    command.secrets.push_back(slash == 0 ? "/" : path.substr(0, slash));
    command.secrets.push_back(path.substr(slash + 1));
}

} // namespace

QString objectionToSecretRule(const QString &rule)
{
    const QString reference = rule.endsWith(u'*') ? rule.chopped(1) + u'x' : rule; // of a secret that it allows
    if (!jobs::objectionToSecret(QStringLiteral("NAME"), reference).isEmpty())
        return QStringLiteral("is neither file:/absolute/path nor env:VARIABLE; a * may be at its end");
    if (reference.startsWith(Variable))
        return {};
    const QString folder = QFileInfo(reference.mid(File.size())).path();
    if (folder == u"/" || !QFileInfo(folder).isDir())
        return QStringLiteral("has to name files of a directory that is there");
    return {};
}

bool isSecretAllowed(const QStringList &rules, const QString &reference)
{
    return std::any_of(rules.begin(), rules.end(), [&reference](const QString &rule) {
        if (!rule.endsWith(u'*'))
            return rule == reference;
        const QString rest = reference.mid(rule.size() - 1);
        return reference.startsWith(rule.chopped(1)) && !rest.isEmpty() && !rest.contains(u'/');
    });
}

void addSecrets(Command &command, const jobs::JobSpec &spec)
{
    for (const auto &[name, reference] : spec.secrets) {
        std::erase_if(command.environment,
                      [variable = bytes(name) + '='](const std::string &other) { return other.starts_with(variable); });
        if (reference.startsWith(Variable))
            addVariable(command, name, reference);
        else
            addFile(command, name, reference);
    }
}

} // namespace drover::workers
