#pragma once

#include "async/boot_clock.h"
#include "zk/types.h"

#include <QLoggingCategory>
#include <QString>

namespace drover::zk {

Q_DECLARE_LOGGING_CATEGORY(lcSession) // drover.zk.session; defined in session.cpp

// For lines of that log.
inline QString hex(SessionId id)
{
    return QStringLiteral("0x%1").arg(static_cast<quint64>(id), 0, 16);
}

inline long long ms(async::Duration duration)
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

} // namespace drover::zk
