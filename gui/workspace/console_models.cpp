#include "gui/workspace/console_models.h"

namespace drover::gui {

void connectModels(ConsoleModels &models, ConsoleSession &session)
{
    const auto wire = [](auto *from, auto signal, auto *to, auto slot) { QObject::connect(from, signal, to, slot); };
    wire(&session.jobs(), &JobFeed::jobsChanged, &models.jobs, &JobModel::show);
    wire(&session.jobs(), &JobFeed::jobsChanged, &models.attempts, &AttemptLog::show);
    for (const auto wanted : {&JobModel::olderWanted, &JobModel::earlierWanted, &JobModel::firstWanted})
        wire(&models.jobs, wanted, &session.jobs(), &JobFeed::awaitPast);
    wire(&models.jobs, &JobModel::olderWanted, &session.past(), &PastJobs::readOlder);
    wire(&models.jobs, &JobModel::earlierWanted, &session.past(), &PastJobs::readEarlier);
    wire(&models.jobs, &JobModel::firstWanted, &session.past(), &PastJobs::readFirst);
    wire(&session.jobs(), &JobFeed::depthsChanged, &models.queues, &QueueHistory::show);
    wire(&session.jobs(), &JobFeed::depthsChanged, &models.queueTable, &QueueTable::show);
    wire(&session.jobs(), &JobFeed::loadsChanged, &models.workers, &WorkerModel::showLoads);
    wire(&session.workers(), &WorkerFeed::changed, &models.workers, &WorkerModel::show);
    wire(&session.locks(), &LockFeed::changed, &models.locks, &LockModel::show);
    wire(&session.locks(), &LockFeed::othersChanged, &models.locks, &LockModel::showOthers);
    wire(&session.ensemble(), &EnsembleFeed::changed, &models.ensemble, &EnsembleModel::show);
    wire(&session.ensemble(), &EnsembleFeed::changed, &models.ensembleHistory, &EnsembleHistory::show);
    wire(&session.events(), &EventsFeed::happened, &models.events, &EventModel::add);
    wire(&session.events(), &EventsFeed::forgotten, &models.events, &EventModel::clear);
    wire(&session.events(), &EventsFeed::happened, &models.subscriptions, &Subscriptions::look);
    wire(&session.schedules(), &ScheduleFeed::changed, &models.schedules, &ScheduleModel::show);
    wire(&session.locks(), &LockFeed::changed, &models.waits, &WaitModel::showLocks);
    wire(&session.locks(), &LockFeed::othersChanged, &models.waits, &WaitModel::showOthers);
    wire(&models.waits, &WaitModel::confirmWanted, &session.locks(), &LockFeed::confirm);
    wire(&session.locks(), &LockFeed::confirmed, &models.waits, &WaitModel::confirm);
    const auto showFound = [&models](const LockSearchReport &report) {
        if (!report.rows)
            return;
        models.locks.showFound(*report.rows);
        models.waits.showFound(*report.rows);
    };
    QObject::connect(&session.locks(), &LockFeed::searched, &models.locks, showFound);
    QObject::connect(&models.waits, &WaitModel::changed, &models.locks,
                     [&models] { models.locks.showDeadlocks(models.waits.deadlocks()); });
    wire(&session.znodes(), &ZnodeFeed::listed, &models.znodes, &ZnodeModel::showListing);
    wire(&session.znodes(), &ZnodeFeed::statsRead, &models.znodes, &ZnodeModel::showStats);
    wire(&models.znodes, &ZnodeModel::openWanted, &session.znodes(), &ZnodeFeed::open);
    wire(&models.znodes, &ZnodeModel::closeWanted, &session.znodes(), &ZnodeFeed::close);
    wire(&models.znodes, &ZnodeModel::statsWanted, &session.znodes(), &ZnodeFeed::readStats);
}

} // namespace drover::gui
