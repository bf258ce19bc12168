#include "app/console_bench/wait.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QEventLoop>
#include <QTimer>

#include <stdexcept>
#include <string>

namespace drover::app {

using namespace std::chrono_literals;

void waitFor(const std::function<bool()> &isDone, const char *what, std::chrono::seconds limit)
{
    const QDeadlineTimer deadline(limit);
    QTimer wake;
    wake.setTimerType(Qt::PreciseTimer);
    wake.start(1ms);
    while (!isDone()) {
        if (deadline.hasExpired())
            throw std::runtime_error(std::string(what) + " took more than " + std::to_string(limit.count()) + " s");
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }
}

void goOnFor(std::chrono::milliseconds time)
{
    QEventLoop events;
    QTimer::singleShot(time, Qt::PreciseTimer, &events, &QEventLoop::quit);
    events.exec();
}

} // namespace drover::app
