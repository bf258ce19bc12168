#pragma once

#include "workers/claims/replay_journal.h"

namespace drover::workers {

// A start that is noted. If the machine could not begin the job, the note is taken back with the last owner of this
// object. Otherwise a machine that is sick for hours would use up all that the signature allows.
class NotedStart
{
public:
    // The journal may go before this object; then the note stays.
    NotedStart(std::weak_ptr<ReplayJournal> journal, ReplayJournal::Start start)
        : m_journal(std::move(journal)), m_start(std::move(start))
    {
    }
    NotedStart(const NotedStart &) = delete;
    NotedStart &operator=(const NotedStart &) = delete;
    ~NotedStart()
    {
        const std::shared_ptr<ReplayJournal> journal = m_mayHaveBegun ? nullptr : m_journal.lock();
        if (journal)
            journal->takeBack(std::move(m_start));
    }

    // True from the moment at which the runner gets the order to begin it; false again once it is certain that it has
    // not.
    void setMayHaveBegun(bool may) { m_mayHaveBegun = may; }

    // The start counts no more: this machine has broken the run off, and is about to give the job back at no cost. At
    // most `most` starts of a job are forgiven here. ReplayJournal::forgive() says what a cancelled call means. Does
    // nothing if the job has not begun. If the journal fails, the start may count.
    async::Task<void> forgive(int most);

private:
    std::weak_ptr<ReplayJournal> m_journal;
    ReplayJournal::Start m_start;
    bool m_mayHaveBegun = false;
};

} // namespace drover::workers
