#include "support/cut_ensemble.h"

#include "support/await.h"

namespace drover::test {

using namespace std::chrono_literals;

CutEnsemble::CutEnsemble(std::chrono::milliseconds patience, std::chrono::milliseconds longestSession)
    : m_ensemble(m_loop, options(patience, longestSession), Size,
                 [this](int from, int to, quint16 port) { return route(from, to, port); })
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
        const auto &[learner, leader] = ends;
        if (way == Way::Both && (learner == server || leader == server))
            link->silence(Direction::Both);
        else if (learner == server)
            link->silence(way == Way::Out ? Direction::ToTarget : Direction::FromTarget);
        else if (leader == server)
            link->silence(way == Way::Out ? Direction::FromTarget : Direction::ToTarget);
    }
}

void CutEnsemble::setRoundTrip(int server, std::chrono::nanoseconds roundTrip)
{
    for (const auto &[ends, link] : m_links) {
        if (ends.first == server || ends.second == server)
            link->setRoundTrip(roundTrip);
    }
}

void CutEnsemble::heal()
{
    for (const auto &[ends, link] : m_links) {
        link->setRoundTrip(0ns);
        link->resume();
    }
}

zk::LocalServerOptions CutEnsemble::options(std::chrono::milliseconds patience,
                                            std::chrono::milliseconds longestSession) const
{
    zk::LocalServerOptions options = testServerOptions();
    options.directory = m_directory.path();
    options.maxSessionTimeout = longestSession;
    options.extraConfig.append(QStringLiteral("syncLimit=%1").arg(patience / options.tickTime));
    return options;
}

quint16 CutEnsemble::route(int from, int to, quint16 port)
{
    std::unique_ptr<app::DelayRelay> &link = m_links[{from, to}];
    link = std::make_unique<app::DelayRelay>(port, 0ns);
    return link->port();
}

} // namespace drover::test
