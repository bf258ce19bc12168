#include "gui/widgets/connection_bar.h"

#include "gui/text/format.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"
#include "text/quantity.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace drover::gui {

using Phase = SessionStatus::Phase;

namespace {

QString phaseText(Phase phase)
{
    switch (phase) {
    case Phase::Disconnected:
        return ConnectionBar::tr("Disconnected");
    case Phase::Connecting:
        return ConnectionBar::tr("Connecting…");
    case Phase::Connected:
        return ConnectionBar::tr("Connected");
    case Phase::Suspended:
        return ConnectionBar::tr("Suspended");
    case Phase::Lost:
        return ConnectionBar::tr("Session lost");
    case Phase::Failed:
        return ConnectionBar::tr("Failed");
    }
    return {};
}

Tone phaseTone(Phase phase)
{
    switch (phase) {
    case Phase::Disconnected:
        return Tone::Muted;
    case Phase::Connecting:
        return Tone::Busy;
    case Phase::Connected:
        return Tone::Good;
    case Phase::Suspended:
        return Tone::Waiting;
    case Phase::Lost:
    case Phase::Failed:
        return Tone::Bad;
    }
    return Tone::Plain;
}

// "alice: submit, session 0x…, 10 s time-out, server …", as far as it is known.
QString details(const SessionStatus &status)
{
    QStringList parts;
    if (status.phase == Phase::Connected)
        parts << (status.identity.isEmpty() ? ConnectionBar::tr("no credentials") : status.identity);
    if (status.sessionId != 0 && status.phase != Phase::Disconnected) {
        parts << ConnectionBar::tr("session %1").arg(formatHex(status.sessionId));
        parts << ConnectionBar::tr("time-out %1").arg(text::formatDuration(status.timeout));
    }
    if (!status.server.isEmpty() && status.phase == Phase::Connected)
        parts << ConnectionBar::tr("server %1").arg(status.server);
    return parts.join(QStringLiteral("  ·  "));
}

} // namespace

ConnectionBar::ConnectionBar(QWidget *parent)
    : QWidget(parent), m_servers(new QLineEdit), m_cluster(new QLineEdit), m_button(new QPushButton),
      m_dot(plainLabel()), m_state(plainLabel()), m_details(plainLabel())
{
    m_servers->setPlaceholderText(tr("host:port,host:port"));
    m_servers->setAccessibleName(tr("ZooKeeper servers"));
    m_servers->setMinimumWidth(fontMetrics().averageCharWidth() * 18);
    m_cluster->setPlaceholderText(QStringLiteral("default"));
    m_cluster->setAccessibleName(tr("Cluster"));
    m_cluster->setMinimumWidth(fontMetrics().averageCharWidth() * 10);
    m_cluster->setMaximumWidth(fontMetrics().averageCharWidth() * 18);
    QFont bold = m_state->font();
    bold.setBold(true);
    m_state->setFont(bold);
    m_details->setForegroundRole(QPalette::PlaceholderText);
    m_details->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_details->setMinimumWidth(1); // it gives way first, and its tool tip has it all

    auto *servers = plainLabel(tr("&Servers"));
    servers->setBuddy(m_servers);
    auto *cluster = plainLabel(tr("C&luster"));
    cluster->setBuddy(m_cluster);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(10, 7, 12, 7);
    row->setSpacing(7);
    row->addWidget(servers);
    row->addWidget(m_servers);
    row->addSpacing(6);
    row->addWidget(cluster);
    row->addWidget(m_cluster);
    row->addSpacing(6);
    row->addWidget(m_button);
    row->addSpacing(14);
    row->addWidget(m_dot);
    row->addWidget(m_state);
    row->addSpacing(6);
    row->addWidget(m_details);
    row->addStretch(1);

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
    m_state->setText(phaseText(status.phase));
    m_details->setText(details(status));
    m_details->setToolTip(plainToolTip(details(status)));
    paintDot();
}

void ConnectionBar::paintDot()
{
    m_dot->setPixmap(dot(toneColor(phaseTone(m_status.phase), palette()), devicePixelRatioF()));
}

void ConnectionBar::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        paintDot();
    QWidget::changeEvent(event);
}

} // namespace drover::gui
