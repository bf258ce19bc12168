#pragma once

#include "jobs/model/layout.h"
#include "support/seeded_random.h"
#include "zk/client.h"

namespace drover::test {

// An administrator who takes a right from all clients for some seconds: of a job, of a queue's node, or of the
// directory of the claims or of the final records.
class NodeCloser
{
public:
    NodeCloser(SeededRandom &random, jobs::Layout layout, QByteArrayList queues)
        : m_random(random), m_layout(std::move(layout)), m_queues(std::move(queues))
    {
    }

    // Over a session that outlives every outage. In the end all clients have all rights again.
    async::Task<void> closeSome(zk::Client &zk, int rounds);

private:
    struct Closing {
        zk::Path path;
        qint32 missing; // a right, as in zk::Acl
    };
    async::Task<std::optional<Closing>> someClosing(zk::Client &zk);
    Closing ofDirectory(const zk::Path &queue);
    Closing ofJob(const zk::Path &job);
    qint32 oneOf(std::initializer_list<qint32> rights);

    SeededRandom &m_random;
    jobs::Layout m_layout;
    QByteArrayList m_queues;
};

} // namespace drover::test
