#include "gui/workspace/workspace_pages.h"

#include "gui/feeds/console_session.h"
#include "gui/pages/ensemble_page.h"
#include "gui/pages/events_page.h"
#include "gui/pages/jobs_page.h"
#include "gui/pages/lab/lab_page.h"
#include "gui/pages/locks_page.h"
#include "gui/pages/overview_page.h"
#include "gui/pages/queues_page.h"
#include "gui/pages/schedules/schedules_page.h"
#include "gui/pages/waits_page.h"
#include "gui/pages/workers_page.h"
#include "gui/pages/znodes_page.h"
#include "gui/shell/gateway.h"
#include "gui/shell/shell.h"
#include "gui/shell/start_view.h"
#include "gui/widgets/job_pane.h"
#include "gui/workspace/cluster_commands.h"
#include "gui/workspace/console_models.h"
#include "gui/workspace/job_dialogs.h"
#include "gui/znodes/node_edits.h"
#include "gui/znodes/node_view.h"
#include "gui/znodes/path_bar.h"
#include "gui/znodes/search_panel.h"

namespace drover::gui {

namespace {

void wireEdits(NodeEdits &edits, ZnodeEdits &feed, const Gateway &gateway)
{
    QObject::connect(&edits, &NodeEdits::createWanted, &feed, &ZnodeEdits::create);
    QObject::connect(&edits, &NodeEdits::writeWanted, &feed, &ZnodeEdits::write);
    QObject::connect(&edits, &NodeEdits::aclWanted, &feed, &ZnodeEdits::setAcl);
    QObject::connect(&edits, &NodeEdits::copyWanted, &feed, &ZnodeEdits::copy);
    QObject::connect(&edits, &NodeEdits::measureWanted, &feed, &ZnodeEdits::measure);
    QObject::connect(&edits, &NodeEdits::removeWanted, &feed, &ZnodeEdits::remove);
    QObject::connect(&edits, &NodeEdits::readWanted, &feed, &ZnodeEdits::read);
    QObject::connect(&edits, &NodeEdits::exportWanted, &feed, &ZnodeEdits::exportTo);
    QObject::connect(&edits, &NodeEdits::importWanted, &feed, &ZnodeEdits::importFrom);
    QObject::connect(&feed, &ZnodeEdits::answered, &edits, &NodeEdits::take);
    const auto obey = [&edits, &gateway] { edits.setEnabled(gateway.isEditing()); };
    QObject::connect(&gateway, &Gateway::changed, &edits, obey);
    obey();
}

void wireZnodes(ZnodesPage &page, ConsoleSession &session, const Gateway &gateway)
{
    ZnodeFeed *const feed = &session.znodes();
    QObject::connect(&page, &ZnodesPage::nodeWanted, feed, &ZnodeFeed::select);
    QObject::connect(feed, &ZnodeFeed::contentsRead, &page.node(), &NodeView::show);
    QObject::connect(feed, &ZnodeFeed::aboutRead, &page.node(), &NodeView::showAbout);
    QObject::connect(&page.path(), &PathBar::namesWanted, feed, &ZnodeFeed::list);
    QObject::connect(feed, &ZnodeFeed::listedOnce, &page.path(), &PathBar::showNames);
    ZnodeSearch *const search = &session.znodeSearch();
    QObject::connect(&page.search(), &SearchPanel::searchWanted, search, &ZnodeSearch::start);
    QObject::connect(&page.search(), &SearchPanel::stopWanted, search, &ZnodeSearch::stop);
    QObject::connect(search, &ZnodeSearch::reported, &page.search(), &SearchPanel::showReport);
    wireEdits(page.edits(), session.znodeEdits(), gateway);
}

} // namespace

WorkspacePages addPages(Shell &shell, ConsoleModels &models, ActionRegistry &actions, SavedViews &views)
{
    WorkspacePages pages{};
    const auto add = [&shell](auto *page) {
        shell.addPage(page);
        return page;
    };
    pages.overview = add(new OverviewPage(models.jobs, models.queues, models.load, models.workers, models.locks));
    pages.jobs = add(new JobsPage(models.jobs, actions, views));
    pages.queues = add(new QueuesPage(models.queues, models.queueLoads, models.queueTable, actions));
    pages.workers = add(new WorkersPage(models.workers, models.attempts, actions));
    pages.locks = add(new LocksPage(models.locks, actions));
    pages.znodes = add(new ZnodesPage(models.znodes, actions));
    add(new WaitsPage(models.waits));
    pages.schedules = add(new SchedulesPage(models.schedules, actions));
    pages.events = add(new EventsPage(models.events, models.subscriptions, actions));
    add(new EnsemblePage(models.ensemble, models.ensembleHistory, actions));
    return pages;
}

void joinPages(const WorkspacePages &pages, Shell &shell, const PageCommands &with)
{
    const auto wire = [](auto *from, auto signal, auto *to, auto slot) { QObject::connect(from, signal, to, slot); };
    QObject::connect(pages.overview, &OverviewPage::pageWanted, &shell, [&shell](const QString &name) {
        if (Page *const page = shell.find(name))
            shell.goTo(page);
    });
    QObject::connect(pages.overview, &OverviewPage::jobsWanted, &shell,
                     [&shell, page = pages.jobs](const JobSearch &search) {
                         page->pane().setSearch(search);
                         shell.goTo(page);
                     });
    const JobPane *const jobs = &pages.jobs->pane();
    wire(jobs, &JobPane::verbWanted, &with.commands, &ClusterCommands::act);
    wire(jobs, &JobPane::verbOnAllWanted, &with.commands, &ClusterCommands::actOnAll);
    wire(jobs, &JobPane::repeatWanted, &with.dialogs, &JobDialogs::repeat);
    wire(jobs, &JobPane::repeatFailedWanted, &with.dialogs, &JobDialogs::repeatFailed);
    wire(jobs, &JobPane::searchWanted, &with.session.jobs(), &JobFeed::search);
    wire(jobs, &JobPane::searchWanted, &with.session.past(), &PastJobs::search);
    wire(jobs, &JobPane::orderWanted, &with.session.jobs(), &JobFeed::sort);
    wire(jobs, &JobPane::orderWanted, &with.session.past(), &PastJobs::sort);
    wire(pages.queues, &QueuesPage::pauseWanted, &with.commands, &ClusterCommands::pause);
    wire(pages.queues, &QueuesPage::resumeWanted, &with.commands, &ClusterCommands::resume);
    wire(pages.queues, &QueuesPage::limitWanted, &with.commands, &ClusterCommands::limit);
    wire(pages.workers, &WorkersPage::cordonWanted, &with.commands, &ClusterCommands::cordon);
    wire(pages.workers, &WorkersPage::uncordonWanted, &with.commands, &ClusterCommands::uncordon);
    wire(pages.workers, &WorkersPage::stepDownWanted, &with.commands, &ClusterCommands::stepDown);
    with.commands.serve(*pages.locks, with.session.locks());
    wireZnodes(*pages.znodes, with.session, with.gateway);
}

void addLab(Shell &shell, const StartView &start)
{
    auto *const page = new LabPage;
    shell.addPage(page);
    QObject::connect(&start, &StartView::labWanted, page, [&shell, page] { shell.openInWindow(page); });
}

} // namespace drover::gui
