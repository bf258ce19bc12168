#include "app/environment/stranger.h"

#include "async/future.h"
#include "async/or_timeout.h"
#include "zk/server/four_letter_word.h"

namespace drover::app {

using namespace std::chrono_literals;

async::Task<QString> strangerAmong(async::Loop &loop, zk::ServerList servers)
{
    for (const zk::ServerAddress &server : servers) {
        try {
            const QByteArray answer =
                co_await async::orTimeout(loop, zk::fourLetterWord(server.host, server.port, "srvr"), 1s);
            if (!answer.isEmpty() && !zk::isOfZooKeeper(answer))
                co_return QStringLiteral("%1 %2").arg(server.toString(), zk::anotherProgram(answer));
        } catch (const zk::NoAnswer &) {
        } catch (const async::Timeout &) {
        }
    }
    co_return QString();
}

} // namespace drover::app
