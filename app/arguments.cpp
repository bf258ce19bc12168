#include "app/arguments.h"

#include "app/failure.h"
#include "app/typed_text.h"
#include "app/units.h"
#include "jobs/job_id.h"

namespace drover::app {

namespace {

QString dashed(const char *option)
{
    return QStringLiteral("--") + QLatin1String(option);
}

} // namespace

QByteArrayList Arguments::command(qsizetype first) const
{
    QByteArrayList words;
    for (const QString &word : positional().mid(first))
        words.append(typedBytes(word));
    return words;
}

std::chrono::milliseconds Arguments::duration(const char *option, std::chrono::milliseconds fallback) const
{
    return has(option) ? parseDuration(value(option), dashed(option)) : fallback;
}

qint64 Arguments::size(const char *option, qint64 fallback, qint64 minimum) const
{
    return has(option) ? parseSize(value(option), dashed(option), minimum) : fallback;
}

qint64 Arguments::integer(const char *option, qint64 minimum, qint64 maximum, qint64 fallback) const
{
    return has(option) ? parseInteger(value(option), dashed(option), minimum, maximum) : fallback;
}

QByteArray Arguments::name(const char *option, const char *fallback) const
{
    const QString name = has(option) ? value(option) : QString::fromLatin1(fallback);
    if (has(option) && !jobs::isValidName(name))
        throw UsageError(
            QStringLiteral("%1: \"%2\" is no name; use 1 to 32 of a-z, 0-9 and -, beginning with a letter or a digit")
                .arg(dashed(option), name));
    return name.toLatin1();
}

QCommandLineOption option(const char *names, const char *description, const char *placeholder)
{
    return QCommandLineOption(QString::fromLatin1(names).split(u' '), QString::fromUtf8(description),
                              QString::fromLatin1(placeholder));
}

} // namespace drover::app
