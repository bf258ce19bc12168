#include "support/cut_ensemble.h"

#include "support/await.h"

namespace drover::test {

using namespace std::chrono_literals;
using Link = zk::LocalEnsemble::Link;

CutEnsemble::CutEnsemble(std::chrono::milliseconds patience, std::chrono::milliseconds longestSession, Cuts cuts)
    : m_cuts(cuts),
      m_ensemble(m_loop, options(patience, longestSession), Size,
                 [this](Link link, int from, int to, quint16 port) { return route(link, from, to, port); })
{
}

void CutEnsemble::start()
{
    await(m_ensemble.start(), 5min);
}

void CutEnsemble::stop()
{
    heal();
    await(m_ensemble.stop(), 2min);
}

int CutEnsemble::leader()
{
    return await(m_ensemble.elected(Size), 2min);
}

void CutEnsemble::cut(int server, Way way)
{
    using Direction = app::DelayRelay::Direction;
    for (const auto &[ends, link] : m_links) {
        const auto &[kind, learner, leader] = ends;
        if (way == Way::Both && (learner == server || leader == server))
            link->silence(Direction::Both);
        else if (learner == server)
            link->silence(way == Way::Out ? Direction::ToTarget : Direction::FromTarget);
        else if (leader == server)
            link->silence(way == Way::Out ? Direction::FromTarget : Direction::ToTarget);
    }
    for (const auto &[ends, dial] : m_dials) {
        if (ends.first == server || ends.second == server)
            dial->setCut(true); // a cut one way is enough: there is no handshake
    }
}

void CutEnsemble::setRoundTrip(int server, std::chrono::nanoseconds roundTrip)
{
    for (const auto &[ends, link] : m_links) {
        const auto &[kind, from, to] = ends;
        if (kind == Link::Quorum && (from == server || to == server))
            link->setRoundTrip(roundTrip);
    }
}

void CutEnsemble::heal()
{
    for (const auto &[ends, link] : m_links) {
        link->setRoundTrip(0ns);
        link->resume();
    }
    for (const auto &[ends, dial] : m_dials)
        dial->setCut(false);
}

zk::LocalServerOptions CutEnsemble::options(std::chrono::milliseconds patience,
                                            std::chrono::milliseconds longestSession) const
{
    zk::LocalServerOptions options = testServerOptions();
    options.directory = m_directory.path();
    options.maxSessionTimeout = longestSession;
    options.extraConfig.append(QStringLiteral("syncLimit=%1").arg(patience / options.tickTime));
    if (m_cuts == Cuts::Everything) {
        // A new leader of ZooKeeper 3.8.0 may wait in vain for a follower that has acknowledged a former proposal while
        // it synchronizes ("is from a different epoch"). A snapshot avoids that, and a failed attempt ends soon.
        options.jvmFlags.append(QStringLiteral("-Dzookeeper.forceSnapshotSync=true"));
        options.extraConfig.append(QStringLiteral("initLimit=%1").arg(3s / options.tickTime));
    }
    return options;
}

quint16 CutEnsemble::route(Link link, int from, int to, quint16 port)
{
    if (link == Link::Election && m_cuts == Cuts::Replication)
        return port;
    if (link == Link::Election && from < to) {
        std::unique_ptr<ElectionDial> &dial = m_dials[{from, to}];
        dial = std::make_unique<ElectionDial>(from + 1, port);
        return dial->port();
    }
    std::unique_ptr<app::DelayRelay> &relay = m_links[{link, from, to}];
    relay = std::make_unique<app::DelayRelay>(port, 0ns);
    return relay->port();
}

} // namespace drover::test
