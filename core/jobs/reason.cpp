#include "jobs/reason.h"

#include <QDateTime>

#include <algorithm>

namespace drover::jobs {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

QString lasting(milliseconds time)
{
    const qint64 seconds = std::max<qint64>(0, time / 1s);
    if (seconds < 120)
        return QStringLiteral("%1 s").arg(seconds);
    if (seconds < 2 * 3600)
        return QStringLiteral("%1 min").arg(seconds / 60);
    if (seconds < 48 * 3600)
        return QStringLiteral("%1 h %2 min").arg(seconds / 3600).arg(seconds / 60 % 60);
    return QStringLiteral("%1 days").arg(seconds / 86400);
}

QString timeOfDay(milliseconds sinceEpoch)
{
    return QDateTime::fromMSecsSinceEpoch(sinceEpoch.count()).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

} // namespace drover::jobs
