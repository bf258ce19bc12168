#include "app/standard_input.h"

#include "app/failure.h"
#include "async/event.h"

#include <QSocketNotifier>

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace drover::app {

namespace {

CommandError unreadable()
{
    return CommandError(ExitError,
                        QStringLiteral("cannot read standard input: %1").arg(QString::fromLocal8Bit(strerror(errno))));
}

} // namespace

async::Task<QByteArray> readStandardInput()
{
    if (::fcntl(STDIN_FILENO, F_GETFD) < 0)
        throw unreadable(); // a notifier would wait for ever
    async::Event readable;
    QSocketNotifier notifier(STDIN_FILENO, QSocketNotifier::Read);
    QObject::connect(&notifier, &QSocketNotifier::activated, &notifier, [&readable] { readable.set(); });
    QByteArray all;
    QByteArray part(64 * 1024, Qt::Uninitialized);
    for (;;) {
        readable.reset();
        co_await readable.wait();
        const ssize_t count = ::read(STDIN_FILENO, part.data(), static_cast<std::size_t>(part.size()));
        if (count == 0)
            co_return all;
        if (count > 0)
            all.append(part.constData(), count);
        else if (errno != EINTR && errno != EAGAIN)
            throw unreadable();
    }
}

} // namespace drover::app
