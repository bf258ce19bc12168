#include "jobs/model/claim.h"

#include "jobs/model/job_spec.h"

#include <algorithm>

namespace drover::jobs {

namespace {

constexpr int MostSignals = 1 << 30;

QStringList signalTexts(const std::vector<Claim::Signal> &sent)
{
    QStringList texts;
    for (const Claim::Signal &signal : sent)
        texts.append(QStringLiteral("%1 %2").arg(signal.number).arg(signal.key));
    return texts;
}

std::vector<Claim::Signal> signalsFrom(const QStringList &texts)
{
    std::vector<Claim::Signal> sent;
    for (const QString &text : texts)
        sent.push_back({text.section(u' ', 0, 0).toInt(), text.section(u' ', 1)});
    return sent;
}

} // namespace

template <class Fields, class Record>
void Claim::fields(Fields &each, Record &claim)
{
    each("worker", claim.worker);
    each("attempt", claim.attempts.claimVersion, {1, 1 << 30});
    each("entry", claim.entry);
    each("cancelled", claim.cancelled);
    each("slots", claim.slotCount, {1, JobSpec::MaxSlots, 1});
    each("waits", claim.waits);
    each("pending", claim.pending);
    each("ahead", claim.prefetched);
    each("unbegun", claim.attempts.notStarted, {0, 1 << 30});
    each("requeue", claim.requeue);
    each("signal_count", claim.signalCount, {0, MostSignals});
    each.as("signals", claim.latestSignals, signalTexts, signalsFrom);
}

QByteArray Claim::encode() const
{
    return encodeRecord(*this);
}

Claim Claim::decode(const QByteArray &bytes)
{
    Claim claim = decodeRecord<Claim>(bytes);
    requireNodeName("worker", claim.worker);
    requireNodeName("entry", QString::fromLatin1(claim.entry));
    return claim;
}

void Claim::addSignal(int number, const QString &key)
{
    signalCount = std::min(signalCount + 1, MostSignals); // beyond that no program could read the claim
    latestSignals.push_back({number, key});
    if (latestSignals.size() > KeptSignals)
        latestSignals.erase(latestSignals.begin());
}

bool Claim::hasSignal(const QString &key) const
{
    return std::any_of(latestSignals.begin(), latestSignals.end(), [&](const Signal &s) { return s.key == key; });
}

} // namespace drover::jobs
