#include "workers/claims/noted_start.h"

namespace drover::workers {

async::Task<void> NotedStart::forgive(int most)
{
    const std::shared_ptr<ReplayJournal> journal = m_mayHaveBegun ? m_journal.lock() : nullptr;
    if (!journal)
        co_return;
    try {
        co_await journal->forgive(m_start, most);
    } catch (const ReplayJournal::Failed &) {
        // The worker finds that out when it notes a start.
    }
}

} // namespace drover::workers
