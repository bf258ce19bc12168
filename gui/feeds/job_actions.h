#pragma once

#include "gui/feeds/feed.h"
#include "jobs/cancel.h"
#include "jobs/repeat.h"

#include <set>

namespace drover::gui {

// What came of one that was to be submitted again: another job, or why there is none.
struct Repeated {
    jobs::Repeat repeat;
    std::optional<jobs::JobId> made{};
    QString why{}; // one line
};

// What a user does to jobs. Each request is answered by exactly one signal, with the number that came with it.
class JobActions final : public Feed
{
    Q_OBJECT

public:
    int watches() const override { return 0; }

public Q_SLOTS:
    void submit(int request, const drover::jobs::JobSpec &spec);
    void cancel(int request, const drover::jobs::JobId &id);
    void lookUp(int request, const drover::jobs::JobId &id);
    // Finds what it would submit.
    void prepare(int request, const drover::jobs::Repeat &repeat);
    // Submits them as they were, one after the other.
    void repeat(int request, const QList<drover::jobs::Repeat> &repeats);

Q_SIGNALS:
    void submitted(int request, const drover::jobs::JobId &id);
    void cancelled(int request, const drover::jobs::JobId &id, drover::jobs::CancelResult result);
    void found(int request, const drover::jobs::JobView &job);
    void prepared(int request, const drover::jobs::JobSpec &spec);
    void repeated(int request, const QList<drover::gui::Repeated> &outcomes);
    void failed(int request, const QString &why);

protected:
    void begin() override { }
    void end() override;

private:
    void start(int request, async::Task<void> task);
    async::Task<void> guard(int request, async::Task<void> task);
    async::Task<void> submitTask(int request, jobs::JobSpec spec);
    async::Task<void> cancelTask(int request, jobs::JobId id);
    async::Task<void> lookUpTask(int request, jobs::JobId id);
    async::Task<void> prepareTask(int request, jobs::Repeat repeat);
    async::Task<jobs::JobSpec> find(jobs::Repeat repeat);
    async::Task<void> repeatTask(int request, QList<jobs::Repeat> repeats);

    std::set<int> m_underWay;
};

// What that means to the user.
QString cancelText(const jobs::JobId &id, jobs::CancelResult result);

} // namespace drover::gui
