#include "support/fake/fake_session.h"
#include "support/requests/request_kinds.h"

namespace drover::test {

constexpr auto TimeToConnectAgain = std::chrono::milliseconds(20);

// Then the connection breaks.
bool FakeZooKeeper::isTooLarge(qsizetype bytes, const FakeConnection &connection)
{
    if (bytes <= m_largestRequest)
        return false;
    ++m_obstacles.tooLarge;
    if (FakeSession *client = connection.client())
        client->disconnectFor(TimeToConnectAgain);
    return true;
}

void FakeZooKeeper::noteRefusal(const FakeCall &call)
{
    if (call.response.code == zk::Code::NoAuth)
        ++(isWrite(call.request) ? m_obstacles.writesRefused : m_obstacles.readsRefused);
}

} // namespace drover::test
