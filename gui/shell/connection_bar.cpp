#include "gui/widgets/connection_bar.h"

#include "gui/widgets/plain_text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace drover::gui {

using Phase = SessionStatus::Phase;

ConnectionBar::ConnectionBar(QWidget *parent)
    : QWidget(parent), m_servers(new QLineEdit), m_cluster(new QLineEdit), m_button(new QPushButton)
{
    m_servers->setPlaceholderText(tr("host:port,host:port"));
    m_servers->setAccessibleName(tr("ZooKeeper servers"));
    m_servers->setMinimumWidth(fontMetrics().averageCharWidth() * 18);
    m_cluster->setPlaceholderText(QStringLiteral("default"));
    m_cluster->setAccessibleName(tr("Cluster"));
    m_cluster->setMinimumWidth(fontMetrics().averageCharWidth() * 10);
    m_cluster->setMaximumWidth(fontMetrics().averageCharWidth() * 18);

    auto *servers = plainLabel(tr("&Servers"));
    servers->setBuddy(m_servers);
    auto *cluster = plainLabel(tr("C&luster"));
    cluster->setBuddy(m_cluster);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(10, 7, 12, 7);
    row->setSpacing(7);
    row->addWidget(servers);
    row->addWidget(m_servers, 1);
    row->addSpacing(6);
    row->addWidget(cluster);
    row->addWidget(m_cluster);
    row->addSpacing(6);
    row->addWidget(m_button);

    connect(m_button, &QPushButton::clicked, this, &ConnectionBar::toggle);
    for (QLineEdit *field : {m_servers, m_cluster})
        connect(field, &QLineEdit::returnPressed, this, [this] { Q_EMIT connectWanted(target()); });
    showStatus({});
}

void ConnectionBar::setTarget(const Target &target)
{
    m_servers->setText(target.connect);
    m_cluster->setText(QString::fromUtf8(target.cluster));
}

Target ConnectionBar::target() const
{
    const QString cluster = m_cluster->text().trimmed();
    return {m_servers->text().trimmed(), cluster.isEmpty() ? Target().cluster : cluster.toUtf8()};
}

void ConnectionBar::toggle()
{
    const bool off = m_status.phase == Phase::Disconnected || m_status.phase == Phase::Failed;
    if (off)
        Q_EMIT connectWanted(target());
    else
        Q_EMIT disconnectWanted();
}

void ConnectionBar::showStatus(const SessionStatus &status)
{
    m_status = status;
    const bool off = status.phase == Phase::Disconnected || status.phase == Phase::Failed;
    m_button->setText(off ? tr("&Connect") : tr("Dis&connect"));
}

} // namespace drover::gui
