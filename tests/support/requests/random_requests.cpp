#include "support/requests/random_requests.h"

#include "support/fake/fake_acl.h"
#include "support/requests/request_kinds.h"

#include <algorithm>

namespace drover::test {

using zk::CreateMode;
using zk::Path;

namespace {

constexpr const char *System[] = {"/", "/zookeeper", "/zookeeper/quota"}; // what every server has
constexpr const char *Secrets[] = {"user:secret", "other:word"};

bool isSystem(const Path &path)
{
    return std::find(std::begin(System), std::end(System), path.bytes()) != std::end(System);
}

} // namespace

RandomRequests::RandomRequests(quint64 seed, Path base) : m_random(seed), m_base(std::move(base)) { }

void RandomRequests::noteCreated(const Path &path)
{
    constexpr std::size_t Remembered = 12;
    m_created.push_back(path);
    if (m_created.size() > Remembered)
        m_created.erase(m_created.begin());
}

zk::Request RandomRequests::next()
{
    const int lot = m_random.below(100);
    if (lot < 30)
        return create(false);
    if (lot < 44)
        return zk::RemoveRequest{anyPath(), version()};
    if (lot < 52)
        return zk::SetRequest{anyPath(), data(), version()};
    if (lot < 58)
        return zk::GetRequest{anyPath()};
    if (lot < 70)
        return zk::ExistsRequest{anyPath()};
    if (lot < 77)
        return zk::ChildrenRequest{anyPath()};
    if (lot < 90)
        return zk::MultiRequest{transaction()};
    if (lot < 93)
        return zk::GetAclRequest{anyPath()};
    if (lot < 97) {
        const Path path = anyPath();
        return zk::SetAclRequest{path, isSystem(path) ? zk::openAcl() : acl(), version()};
    }
    if (lot < 99)
        return zk::SyncRequest{anyPath()};
    return zk::AddAuthRequest{"digest", Secrets[m_random.below(2)]};
}

Path RandomRequests::anyPath()
{
    if (m_base.isRoot() && m_random.chance(0.04))
        return Path(System[m_random.below(3)]);
    if (!m_created.empty() && m_random.chance(0.4))
        return m_created[static_cast<std::size_t>(m_random.below(static_cast<int>(m_created.size())))];
    return newPath(false);
}

// Three names, three levels.
Path RandomRequests::newPath(bool sequential)
{
    static const QByteArray Names[] = {"a", "b", "c"};
    Path path = m_base;
    const int depth = m_random.below(3);
    for (int level = 0; level < depth; ++level)
        path = path / Names[m_random.below(3)];
    return path / (sequential ? QByteArrayLiteral("n-") : Names[m_random.below(3)]);
}

qint32 RandomRequests::version()
{
    return m_random.chance(0.6) ? zk::AnyVersion : m_random.below(3);
}

QByteArray RandomRequests::data()
{
    return QByteArray(m_random.below(20), 'x');
}

// Most let everybody do everything, if the server accepts them at all: else little could be done soon.
zk::AclList RandomRequests::acl()
{
    const zk::Acl world{31, "world", "anyone"};
    switch (m_random.below(11)) {
    case 0:
        return {world, zk::Acl{1, "ip", "127.0.0.1"}};
    case 1:
        return {world, world};
    case 2:
        return {world, zk::Acl{31, "auth", ""}};
    case 3:
        return {zk::Acl{31, "digest", "user:abc="}, world};
    case 4:
        return {zk::Acl{31, "unheard-of", "x"}};
    case 5:
        return {};
    case 6:
        return {zk::Acl{1 << m_random.below(5), "world", "anyone"}};
    case 7:
        return {zk::Acl{31, "auth", ""}};
    case 8:
        return {zk::Acl{31, "digest", digestId(Secrets[m_random.below(2)])}, zk::Acl{1, "ip", "127.0.0.1"}};
    default:
        return {world};
    }
}

CreateMode RandomRequests::mode(bool inTransaction)
{
    const int lot = m_random.below(inTransaction ? 17 : 20); // transactions know no containers and no TTL
    if (lot < 7)
        return CreateMode::Persistent;
    if (lot < 9)
        return CreateMode::PersistentSequential;
    if (lot < 15)
        return CreateMode::Ephemeral;
    if (lot < 17)
        return CreateMode::EphemeralSequential;
    if (lot == 17)
        return CreateMode::Container;
    return lot == 18 ? CreateMode::Ttl : CreateMode::TtlSequential;
}

zk::CreateRequest RandomRequests::create(bool inTransaction)
{
    zk::CreateRequest request;
    request.mode = mode(inTransaction);
    request.path = newPath(isSequential(request.mode));
    request.data = data();
    if (m_random.chance(0.15))
        request.acl = acl();
    if (zk::hasTtl(request.mode))
        request.ttl = std::chrono::hours(m_random.below(5)); // no test waits that long; zero is refused
    return request;
}

zk::Transaction RandomRequests::transaction()
{
    zk::Transaction transaction;
    const int size = 1 + m_random.below(5);
    for (int i = 0; i < size; ++i) {
        const int lot = m_random.below(4);
        if (lot == 0) {
            const zk::CreateRequest request = create(true);
            transaction.create(request.path, request.data, request.mode, request.acl);
            continue;
        }
        // Drawn one by one: compilers evaluate the arguments of a call in different orders.
        const qint32 expected = version();
        const QByteArray written = lot == 2 ? data() : QByteArray();
        const Path path = anyPath();
        if (lot == 1)
            transaction.remove(path, expected);
        else if (lot == 2)
            transaction.set(path, written, expected);
        else
            transaction.check(path, expected);
    }
    return transaction;
}

} // namespace drover::test
