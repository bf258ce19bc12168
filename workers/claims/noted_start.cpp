#include "workers/claims/noted_start.h"

namespace drover::workers {

async::Task<void> NotedStart::forgive(int most)
{
    const std::shared_ptr<ReplayJournal> journal = m_mayHaveBegun ? m_journal.lock() : nullptr;
    if (!journal)
        co_return;
    ReplayJournal::Start forgiven = m_start;
    forgiven.nonce += " forgiven"; // no start's: those are hexadecimal
    try {
        const bool isForgiven = co_await journal->begin(std::move(forgiven), most);
        if (isForgiven)
            co_await journal->takeBackNow(m_start);
    } catch (const ReplayJournal::Failed &) {
        // The worker finds that out when it notes a start.
    }
}

} // namespace drover::workers
