#include "gui/workspace/replay_links.h"

#include "gui/feeds/console_session.h"
#include "gui/models/znode_model.h"
#include "gui/pages/replay/record_switch.h"
#include "gui/pages/replay/replay_page.h"
#include "gui/shell/shell.h"
#include "gui/shell/status_line.h"
#include "gui/workspace/feed_needs.h"

namespace drover::gui {

using namespace std::chrono_literals;

ReplayLinks::ReplayLinks(ConsoleSession &session, const ZnodeModel &znodes, Shell &shell, StatusLine &line,
                         FeedNeeds &needs)
    : m_page(new ReplayPage), m_switch(new RecordSwitch), m_line(line), m_needs(needs)
{
    shell.addPage(m_page);
    setParent(m_page);
    line.addPart(m_switch);
    Recorder &recorder = m_thread.recorder();
    joinFeeds(session, znodes);
    connect(m_switch, &RecordSwitch::clicked, this, &ReplayLinks::setOn);
    connect(&recorder, &Recorder::statusChanged, this, &ReplayLinks::showStatus);
    connect(&recorder, &Recorder::momentRead, m_page, &ReplayPage::showMoment);
    connect(&recorder, &Recorder::found, m_page, &ReplayPage::showFound);
    connect(m_page, &ReplayPage::recordWanted, this, [this] { setOn(true); });
    connect(m_page, &ReplayPage::momentWanted, &recorder, &Recorder::read);
    connect(m_page, &ReplayPage::nextWanted, &recorder, &Recorder::findNext);
    connect(m_page, &ReplayPage::previousWanted, &recorder, &Recorder::findPrevious);
}

void ReplayLinks::joinFeeds(ConsoleSession &session, const ZnodeModel &znodes)
{
    Recorder &recorder = m_thread.recorder();
    connect(&session, &ConsoleSession::statusChanged, &recorder, &Recorder::showStatus);
    connect(&session.jobs(), &JobFeed::jobsChanged, &recorder, &Recorder::showJobs);
    connect(&session.jobs(), &JobFeed::depthsChanged, &recorder, &Recorder::showQueues);
    connect(&session.jobs(), &JobFeed::loadsChanged, &recorder, &Recorder::showLoads);
    connect(&session.workers(), &WorkerFeed::changed, &recorder, &Recorder::showWorkers);
    connect(&session.locks(), &LockFeed::changed, &recorder, &Recorder::showLocks);
    connect(&session.locks(), &LockFeed::othersChanged, &recorder, &Recorder::showOthers);
    connect(&session.znodes(), &ZnodeFeed::listed, &recorder, &Recorder::showListing);
    connect(&znodes, &ZnodeModel::closeWanted, &recorder, &Recorder::forgetListing);
}

void ReplayLinks::record(const Target &target)
{
    m_page->setWanted(target, true);
}

void ReplayLinks::setOn(bool on)
{
    m_page->setWanted(m_status.target, on);
    QMetaObject::invokeMethod(&m_thread.recorder(), [&recorder = m_thread.recorder(), on] { recorder.setOn(on); });
}

void ReplayLinks::showStatus(const RecordingStatus &status)
{
    const bool isOther = status.target != m_status.target;
    if (m_status.isOn && !status.trouble.isEmpty() && status.trouble != m_status.trouble)
        m_line.say(tr("Nothing is recorded any more: %1").arg(status.trouble), 30s);
    m_status = status;
    m_switch->showStatus(status);
    m_page->showStatus(status);
    m_needs.setAllNeeded(status.isOn);
    if (isOther)
        setOn(m_page->isWanted(status.target));
}

} // namespace drover::gui
