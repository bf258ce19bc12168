#include "jobs/model/output_path.h"

namespace drover::jobs {

namespace {

bool hasPattern(const QString &path, QChar letter)
{
    for (qsizetype i = path.indexOf(u'%'); i >= 0; i = path.indexOf(u'%', i + 2)) {
        if (i + 1 < path.size() && path[i + 1] == letter)
            return true;
    }
    return false;
}

QString asFileName(QString name)
{
    name.replace(u'/', u'_');
    if (name.startsWith(u'.'))
        name[0] = u'_';
    return name;
}

} // namespace

QString objectionTo(const QString &path)
{
    if (!path.startsWith(u'/') || path.contains(QChar::Null))
        return QStringLiteral("\"%1\" is not an absolute path").arg(path);
    for (qsizetype i = path.indexOf(u'%'); i >= 0; i = path.indexOf(u'%', i + 2)) {
        const QString pattern = path.mid(i, 2);
        if (pattern.size() < 2 || !QStringLiteral("jan%").contains(pattern[1]))
            return QStringLiteral(
                       "\"%1\" is not a pattern; use %j (job id), %a (array index), %n (name) or %% (percent sign)")
                .arg(pattern);
    }
    return {};
}

bool isPerTask(const QString &path)
{
    return hasPattern(path, u'a') || hasPattern(path, u'j');
}

bool needsArray(const QString &path)
{
    return hasPattern(path, u'a');
}

QString expanded(const QString &path, const JobId &id, const QString &name)
{
    QString result;
    for (qsizetype i = 0; i < path.size(); ++i) {
        const QChar letter = path[i] == u'%' && i + 1 < path.size() ? path[i + 1] : QChar();
        if (letter.isNull()) {
            result += path[i];
            continue;
        }
        ++i;
        if (letter == u'j')
            result += id.toString();
        else if (letter == u'n')
            result += asFileName(name);
        else if (letter == u'a')
            result += id.isTask() ? QString::number(id.task) : QString();
        else
            result += letter;
    }
    return result;
}

} // namespace drover::jobs
