#pragma once

#include "async/loop.h"

#include <QByteArray>

namespace drover::app {

// Bounds the file that standard error is, if it is one. At `limit` bytes that file gets the name FILE.1, and standard
// error goes on in a new FILE. A file that others have renamed or removed is left alone. One that
// cannot be begun anew grows, until it can.
class WorkerLog
{
public:
    // It looks at the size each `pause`. 0: no limit.
    WorkerLog(async::Loop &loop, qint64 limit, async::Duration pause = std::chrono::seconds(5));

private:
    void lookLater();
    void look();

    async::Loop &m_loop;
    qint64 m_limit;
    QByteArray m_name; // of the file
    async::Duration m_pause;
    bool m_fails = false; // it could not be begun anew, which is said once
    async::Timer m_timer;
};

} // namespace drover::app
