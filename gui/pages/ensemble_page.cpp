#include "gui/pages/ensemble_page.h"

#include "gui/models/ensemble_model.h"
#include "gui/pages/quorum_picture.h"
#include "gui/pages/server_chart.h"
#include "gui/text/counted.h"
#include "gui/text/format.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/table_view.h"

#include <QVBoxLayout>

namespace drover::gui {

using Phase = SessionStatus::Phase;

EnsemblePage::EnsemblePage(EnsembleModel &model, const EnsembleHistory &history, ActionRegistry &actions)
    : TablePage(QStringLiteral("ensemble"), tr("Ensemble"), new TableView(&model, EnsembleModel::Role), actions),
      m_model(model), m_notice(new Notice), m_picture(new QuorumPicture(model, history))
{
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(1);
    column->addWidget(m_notice);
    column->addWidget(m_picture);
    column->addWidget(&table(), 2);
    auto *const charts = new QHBoxLayout;
    charts->setSpacing(1);
    const std::pair<QString, EnsembleHistory::Measure> measures[] = {
        {tr("Time to answer"), EnsembleHistory::AnswerTime},
        {tr("Outstanding requests"), EnsembleHistory::Outstanding},
        {tr("Connections"), EnsembleHistory::Connections}};
    for (const auto &[title, measure] : measures) {
        m_charts.push_back(new ServerChart(title, history, measure));
        charts->addWidget(m_charts.back(), 1);
    }
    column->addLayout(charts, 3);
    table().setAccessibleName(tr("ZooKeeper servers"));
    table().setColumnWidths({22, 18, 9, 9, 12, 10, 10, 12, 8, 14, 0});
    table().setSpareColumns({EnsembleModel::Zxid, EnsembleModel::Version, EnsembleModel::Znodes, EnsembleModel::Watches,
                             EnsembleModel::Connections, EnsembleModel::Outstanding});
    showEntities(EntityRef::Kind::Server, &table());
    inspectOnActivation();
    connect(&model, &EnsembleModel::shown, this, &EnsemblePage::warn);
}

void EnsemblePage::warn()
{
    m_notice->say(m_model.warning());
    const auto servers = qint64(m_model.now().servers.size());
    const Tone health = m_model.health();
    if (health == Tone::Good)
        return setBadge(
            {servers > 0 ? shortCount(servers) : QString(), counted(servers, Things::Servers), Tone::Muted});
    const QString words = health == Tone::Bad   ? tr("the quorum is lost")
        : m_model.now().majority.mayFail() == 0 ? tr("one more loss ends the quorum")
                                                : tr("%1 away").arg(m_model.away());
    setBadge({QStringLiteral("!"), words, health});
}

// What the servers say needs no session: it is of now while the console tries to have one.
void EnsemblePage::showState(const ConnectionState &state)
{
    const bool isOff = state.session.phase == Phase::Disconnected || state.session.phase == Phase::Failed;
    const QString nothing = isOff ? state.whyNothing() : whenEmpty(state);
    sayWhenEmpty(nothing);
    table().setStale(isOff);
    m_picture->setStale(isOff);
    for (ServerChart *const chart : m_charts) {
        chart->sayWhenEmpty(nothing);
        chart->setStale(isOff ? state.asOf : QString());
    }
}

QString EnsemblePage::whenEmpty(const ConnectionState &) const
{
    return tr("Asking the servers…");
}

} // namespace drover::gui
