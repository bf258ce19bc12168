#include "workers/troubles.h"

#include "workers/mastership.h"

#include <QLoggingCategory>

namespace drover::workers {

using namespace std::chrono_literals;

Q_LOGGING_CATEGORY(lcTroubles, "drover.workers.troubles")

namespace {

constexpr auto RetryPause = 5s;
constexpr qsizetype LongestError = 500; // characters

} // namespace

void Troubles::note(const QString &subject, const QString &error)
{
    const auto [place, isNew] = m_troubles.try_emplace(subject);
    jobs::ClusterStats::Trouble &trouble = place->second;
    const QString line = error.simplified().left(LongestError);
    if (isNew)
        trouble = {subject, {}, m_loop.wallClock()};
    if (trouble.error != line)
        qCWarning(lcTroubles, "%ls: %ls", qUtf16Printable(subject), qUtf16Printable(line));
    trouble.error = line;
}

void Troubles::clear(const QString &subject)
{
    if (m_troubles.erase(subject) > 0)
        qCInfo(lcTroubles, "%ls: goes on", qUtf16Printable(subject));
}

std::vector<jobs::ClusterStats::Trouble> Troubles::first(std::size_t count) const
{
    std::vector<jobs::ClusterStats::Trouble> list;
    for (const auto &[subject, trouble] : m_troubles) {
        if (list.size() < count)
            list.push_back(trouble);
    }
    return list;
}

async::Task<void> keepWorking(zk::Coordinator &zk, Troubles &troubles, QString subject,
                              std::function<async::Task<void>()> work)
{
    for (;;) {
        try { // what has worked for twice the pause is in no trouble
            const async::Timer works = zk.loop().after(2 * RetryPause, [&] { troubles.clear(subject); });
            co_await work();
            co_return;
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const Deposed &) {
            throw;
        } catch (const zk::ConnectionLoss &) { // no trouble of its own
        } catch (const std::exception &error) {
            troubles.note(subject, QString::fromUtf8(error.what()));
        }
        co_await async::sleepFor(zk.loop(), RetryPause);
        co_await zk.connected();
    }
}

} // namespace drover::workers
