#include "zk/chroot.h"

namespace drover::zk {

namespace {

struct Enter {
    const Chroot &chroot;

    void operator()(AddAuthRequest &) const { }
    void operator()(MultiRequest &r) const
    {
        r.transaction.mapPaths([this](const Path &path) { return chroot.onServer(path); });
    }
    void operator()(auto &r) const { r.path = chroot.onServer(r.path); }
};

} // namespace

bool Chroot::contains(const Path &onServer) const
{
    const QByteArray &path = onServer.bytes();
    const QByteArray &top = m_top.bytes();
    return m_top.isRoot() || (path.startsWith(top) && (path.size() == top.size() || path[top.size()] == '/'));
}

Path Chroot::onServer(const Path &seen) const
{
    if (m_top.isRoot())
        return seen;
    return seen.isRoot() ? m_top : m_top / seen.bytes().sliced(1);
}

Path Chroot::seen(const Path &onServer) const
{
    if (m_top.isRoot() || !contains(onServer))
        return onServer;
    return onServer == m_top ? Path() : Path(onServer.bytes().sliced(m_top.bytes().size()));
}

void Chroot::enter(Request &request) const
{
    if (!m_top.isRoot())
        std::visit(Enter{*this}, request);
}

void Chroot::leave(Response &response) const
{
    if (m_top.isRoot())
        return;
    response.path = seen(response.path);
    for (OperationResult &result : response.results)
        result.path = seen(result.path);
}

} // namespace drover::zk
