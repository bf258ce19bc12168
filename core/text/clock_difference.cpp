#include "text/clock_difference.h"

#include "text/quantity.h"

namespace drover::text {

QString clockDifference(std::chrono::milliseconds ahead)
{
    return QStringLiteral("%1 %2 ZooKeeper's")
        .arg(formatDuration(std::chrono::abs(ahead)),
             ahead.count() > 0 ? QStringLiteral("ahead of") : QStringLiteral("behind"));
}

} // namespace drover::text
