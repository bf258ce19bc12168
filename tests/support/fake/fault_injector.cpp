#include "support/fake/fault_injector.h"

#include <utility>

namespace drover::test {

const char *name(Fault fault)
{
    static constexpr std::array<const char *, FaultKinds> Names = {
        "unharmed", "lost requests", "lost replies", "delays",       "disconnections", "expiries",
        "pauses",   "lags",          "late commits", "failed sends", "isolations",     "throttled requests"};
    return Names[static_cast<std::size_t>(fault)];
}

FaultPlan FaultPlan::everything(quint64 seed, double probability)
{
    FaultPlan plan;
    plan.seed = seed;
    plan.loseRequest = plan.loseReply = plan.delay = probability * 0.25;
    plan.disconnect = probability * 0.10;
    plan.expire = probability * 0.05;
    plan.pause = probability * 0.10;
    plan.lag = probability;
    plan.lateCommit = probability * 0.05;
    plan.failSend = probability * 0.10;
    plan.isolate = probability * 0.05;
    plan.throttle = probability * 0.05;
    plan.behind = 0.3;
    plan.tooOld = 0.1;
    return plan;
}

FaultLog &FaultLog::operator+=(const FaultLog &other)
{
    operations += other.operations;
    for (std::size_t i = 0; i < counts.size(); ++i)
        counts[i] += other.counts[i];
    for (std::size_t i = 0; i < bites.size(); ++i)
        bites[i] += other.bites[i];
    return *this;
}

QStringList FaultLog::toothless() const
{
    QStringList names;
    for (int i = 1; i < FaultKinds; ++i) {
        const auto fault = static_cast<Fault>(i);
        if (bitten(fault) == 0)
            names.append(QString::fromLatin1(name(fault)));
    }
    return names;
}

QString FaultLog::toString() const
{
    QString text = QStringLiteral("%1 operations").arg(operations);
    for (int i = 1; i < FaultKinds; ++i) {
        const auto fault = static_cast<Fault>(i);
        if (count(fault) > 0)
            text +=
                QStringLiteral(", %1 %2 (%3 bit)").arg(count(fault)).arg(QLatin1String(name(fault))).arg(bitten(fault));
    }
    return text;
}

Fault FaultInjector::draw()
{
    const std::pair<Fault, double> odds[] = {
        {Fault::LoseRequest, m_plan.loseRequest},
        {Fault::LoseReply, m_plan.loseReply},
        {Fault::Delay, m_plan.delay},
        {Fault::Disconnect, m_plan.disconnect},
        {Fault::Expire, m_plan.expire},
        {Fault::Pause, m_plan.pause},
        {Fault::Lag, m_plan.lag},
        {Fault::LateCommit, m_plan.lateCommit},
        {Fault::FailSend, m_plan.failSend},
        {Fault::Isolate, m_plan.isolate},
        {Fault::Throttle, m_plan.throttle},
    };
    double lot = m_random.unit();
    for (const auto &[fault, probability] : odds) {
        if (lot < probability)
            return fault;
        lot -= probability;
    }
    return Fault::None;
}

async::Duration FaultInjector::longest(Fault fault) const
{
    switch (fault) {
    case Fault::LoseRequest:
    case Fault::LoseReply:
    case Fault::FailSend:
        return m_plan.longestBreak;
    case Fault::Delay:
        return m_plan.longestDelay;
    case Fault::Disconnect:
    case Fault::Isolate:
        return m_plan.longestOutage;
    case Fault::Pause:
        return m_plan.longestPause;
    case Fault::Lag:
    case Fault::LateCommit:
        return m_plan.longestLag;
    case Fault::None:
    case Fault::Expire:
    case Fault::Throttle:
        break;
    }
    return {};
}

void FaultInjector::script(const std::vector<Fault> &fates)
{
    quint64 operation = m_log.operations;
    for (const Fault fate : fates)
        m_plan.scripted[++operation] = fate;
}

FaultInjector::Server FaultInjector::nextServer()
{
    Server server;
    if (m_healed)
        return server;
    server.tooOld = m_random.chance(m_plan.tooOld);
    if (m_random.chance(m_plan.behind))
        server.lag = std::chrono::duration_cast<async::Duration>(m_plan.longestLag * m_random.unit());
    return server;
}

FaultInjector::Decision FaultInjector::next()
{
    ++m_log.operations;
    Decision decision;
    decision.log = &m_log;
    if (!m_healed) {
        const auto scripted = m_plan.scripted.find(m_log.operations);
        decision.fault = scripted != m_plan.scripted.end() ? scripted->second : draw();
    }
    if (decision.fault != Fault::None) {
        const auto most = static_cast<double>(longest(decision.fault).count());
        decision.duration = async::Duration(static_cast<async::Duration::rep>(most * m_random.unit()));
        decision.ofReply = m_random.chance(0.5);
    }
    ++m_log.counts[static_cast<std::size_t>(decision.fault)];
    return decision;
}

} // namespace drover::test
