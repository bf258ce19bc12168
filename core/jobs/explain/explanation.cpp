#include "jobs/explain/explanation.h"

#include <QDateTime>

namespace drover::jobs {

using std::chrono::milliseconds;

QString timeOfDay(milliseconds sinceEpoch)
{
    return QDateTime::fromMSecsSinceEpoch(sinceEpoch.count()).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

} // namespace drover::jobs
