#include "gui/workspace/chart_links.h"

#include "gui/charts/load_history.h"
#include "gui/charts/queue_loads.h"
#include "gui/feeds/feed.h"

namespace drover::gui {

using namespace std::chrono_literals;

ChartLinks::ChartLinks(LoadHistory &load, QueueLoads &queues, ConsoleSession &session, QObject *parent)
    : QObject(parent), m_load(load), m_queues(queues)
{
    connect(&session.jobs(), &JobFeed::depthsChanged, &load, &LoadHistory::show);
    connect(&session.jobs(), &JobFeed::depthsChanged, &queues, &QueueLoads::show);
    connect(&session, &ConsoleSession::statusChanged, this, [this](const SessionStatus &status) {
        const bool isConnected = status.phase == SessionStatus::Phase::Connected;
        m_load.setConnected(isConnected);
        m_queues.setConnected(isConnected);
    });
    connect(&m_timer, &QTimer::timeout, &load, &LoadHistory::sample);
    connect(&m_timer, &QTimer::timeout, &queues, &QueueLoads::sample);
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
    connect(&m_queues, &QueueLoads::sampled, this, [this](const QByteArray &queue, const LoadSample &sample) {
        if (!m_cluster.isEmpty())
            Q_EMIT keepWanted(keyOf(queue), sample);
    });
    connect(&m_queues, &QueueLoads::begun, this, [this](const QByteArray &queue) {
        const int request = newRequest();
        m_asked[request] = queue;
        Q_EMIT readWanted(request, keyOf(queue));
    });
    connect(keeper, &LoadKeeper::found, this, [this](int request, const std::vector<LoadSample> &samples) {
        if (request == m_request) // the user may have left that cluster meanwhile
            m_load.restore(samples);
        else if (const auto asked = m_asked.extract(request))
            m_queues.restore(asked.mapped(), samples);
    });
    connect(keeper, &LoadKeeper::failed, this,
            [this](const QString &why) { Q_EMIT said(tr("The charts are not kept: %1").arg(why), 15s); });
}

// The names of clusters and queues have no line break.
QString ChartLinks::keyOf(const QByteArray &queue) const
{
    return m_cluster + u'\n' + QString::fromUtf8(queue);
}

void ChartLinks::setTarget(const Target &target)
{
    m_load.clear();
    m_queues.clear();
    m_asked.clear();
    m_cluster = target.connect + u'\n' + QString::fromUtf8(target.cluster);
    if (m_thread)
        Q_EMIT readWanted(m_request = newRequest(), m_cluster);
}

} // namespace drover::gui
