#include "gui/workspace/chart_links.h"

#include "gui/charts/load_history.h"
#include "gui/feeds/feed.h"

namespace drover::gui {

using namespace std::chrono_literals;

ChartLinks::ChartLinks(LoadHistory &load, ConsoleSession &session, QObject *parent) : QObject(parent), m_load(load)
{
    connect(&session.jobs(), &JobFeed::depthsChanged, &load, &LoadHistory::show);
    connect(&session, &ConsoleSession::statusChanged, &load, [&load](const SessionStatus &status) {
        load.setConnected(status.phase == SessionStatus::Phase::Connected);
    });
    connect(&m_timer, &QTimer::timeout, &load, &LoadHistory::sample);
    m_timer.start(1s);
}

void ChartLinks::keepIn(const QString &path)
{
    m_thread = LoadThread::ofProgram(path);
    LoadKeeper *const keeper = &m_thread->keeper();
    connect(this, &ChartLinks::keepWanted, keeper, &LoadKeeper::add);
    connect(this, &ChartLinks::readWanted, keeper, &LoadKeeper::read);
    connect(&m_load, &LoadHistory::sampled, this, [this](const LoadSample &sample) {
        if (!m_cluster.isEmpty())
            Q_EMIT keepWanted(m_cluster, sample);
    });
    connect(keeper, &LoadKeeper::found, this, [this](int request, const std::vector<LoadSample> &samples) {
        if (request == m_request) // the user may have left that cluster meanwhile
            m_load.restore(samples);
    });
    connect(keeper, &LoadKeeper::failed, this,
            [this](const QString &why) { Q_EMIT said(tr("The charts are not kept: %1").arg(why), 15s); });
}

void ChartLinks::setTarget(const Target &target)
{
    m_load.clear();
    m_cluster = target.connect + u'\n' + QString::fromUtf8(target.cluster);
    if (m_thread)
        Q_EMIT readWanted(m_request = newRequest(), m_cluster);
}

} // namespace drover::gui
