#include "jobs/model/errors.h"

#include "text/quantity.h"

namespace drover::jobs {

NewerFormat::NewerFormat(qint64 found, int known)
    : Malformed(QStringLiteral("it is of version %1 of its format, this drover knows %2").arg(found).arg(known))
{
}

QueueFull::QueueFull(const QByteArray &queue, qint64 limit) : QueueFull(describeFull(queue, limit)) { }

QString describeFull(const QByteArray &queue, qint64 limit)
{
    return QStringLiteral("queue %1 holds %2, its limit; drover cluster limits --queue-limit N raises it")
        .arg(QString::fromUtf8(queue), text::formatCount(limit, "unfinished job", "unfinished jobs"));
}

SpecTooLarge::SpecTooLarge(qsizetype size, qsizetype limit)
    : std::runtime_error(
        QStringLiteral("the job's specification has %1 bytes, the limit is %2; pass large input by a file's path")
            .arg(size)
            .arg(limit)
            .toStdString())
{
}

} // namespace drover::jobs
