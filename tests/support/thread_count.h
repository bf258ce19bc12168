#pragma once

#include <QDir>

namespace drover::test {

// Threads of this process. One that QThread::wait() has waited for may still be among them: what OpenSSL keeps for a
// thread is freed after that, and LeakSanitizer would see it in a quick exit.
inline qsizetype threadCount()
{
    return QDir(QStringLiteral("/proc/self/task")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size();
}

} // namespace drover::test
