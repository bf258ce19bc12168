#pragma once

#include "interop/foreign_peer.h"
#include "support/session_fixture.h"

#include <functional>

namespace drover::test {

// A server, Curator and kazoo on it, and three sessions of our own: once for all tests of a program, since a Java
// machine takes its time to start. The tests differ by their paths.
class InteropFixture : public SessionFixture
{
public:
    // The peers' connect string ends with `chroot`; our own sessions see the whole tree.
    explicit InteropFixture(const QString &chroot = {});

    ForeignPeer &curator() { return *m_curator; }
    ForeignPeer &kazoo() { return *m_kazoo; }
    zk::Client &ours(std::size_t index) { return *m_sessions.at(index); }

    // Run the loop until it is so; false if that takes a minute.
    bool childrenBecome(const zk::Path &path, std::function<bool(const QByteArrayList &)> wanted);
    bool hasChildren(const zk::Path &path, int count);
    // That many sessions wait for a change of `path`.
    bool hasWatchers(const zk::Path &path, int count);

private:
    std::unique_ptr<ForeignPeer> m_curator;
    std::unique_ptr<ForeignPeer> m_kazoo;
    std::vector<std::unique_ptr<zk::Session>> m_sessions;
};

} // namespace drover::test
