#include "workers/claims/refusals.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;

Q_LOGGING_CATEGORY(lcRefusals, "drover.workers.refusals")

namespace {

constexpr async::Duration Second = 1s;

} // namespace

Refusals::~Refusals()
{
    tellOthers();
}

void Refusals::tell(const QString &line)
{
    beginSecond();
    if (m_lines >= EachSecond)
        return tellOther(line);
    ++m_lines;
    qCWarning(lcRefusals, "%s", qPrintable(line));
}

void Refusals::tellOther(const QString &line)
{
    ++m_others;
    m_last = line;
    if (m_others == 1)
        m_end = m_loop.after(Second, [this] { tellOthers(); });
}

void Refusals::noteEnded(const std::vector<JobEnding> &endings, const std::vector<LeftJob> &left)
{
    for (const auto &[entry, version, record, isRecorded] : endings) {
        if (std::any_of(left.begin(), left.end(), [&id = record.id](const LeftJob &job) { return job.id == id; }))
            continue;
        if (record.outcome != jobs::FinalRecord::Outcome::Malformed)
            count();
        if (isRecorded)
            tell(QStringLiteral("%1 is %2: %3")
                     .arg(record.id.toString(), jobs::outcomeName(record.outcome), record.reason));
        else
            tellOther(record.id.toString());
    }
}

bool Refusals::recordsUnsigned()
{
    beginSecond();
    return m_records < EachSecond && ++m_records > 0;
}

void Refusals::beginSecond()
{
    const async::TimePoint now = m_loop.now();
    if (std::exchange(m_hasBegun, true) && now - m_since < Second)
        return;
    m_since = now;
    m_lines = m_records = 0;
}

void Refusals::tellOthers()
{
    const qint64 others = std::exchange(m_others, 0);
    if (others > 0)
        qCWarning(lcRefusals, "%lld further jobs in this second, the last: %s", static_cast<long long>(others),
                  qPrintable(m_last));
}

} // namespace drover::workers
