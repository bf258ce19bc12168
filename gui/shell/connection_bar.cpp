#include "gui/shell/connection_bar.h"

#include "gui/shell/edit_switch.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

namespace drover::gui {

using Phase = SessionStatus::Phase;

ConnectionBar::ConnectionBar(QAction *edit, QMenu *colors)
    : m_servers(new QLineEdit), m_cluster(new QLineEdit), m_button(new QPushButton), m_color(new QToolButton),
      m_edit(new EditSwitch(edit))
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
    row->addSpacing(6);
    row->addWidget(m_color);
    row->addWidget(m_edit);
    m_color->setMenu(colors);
    m_color->setPopupMode(QToolButton::InstantPopup);
    m_color->setAutoRaise(true);
    m_color->setMinimumWidth(34); // with room for the arrow of its menu
    m_color->setFocusPolicy(Qt::TabFocus);
    m_color->setToolTip(tr("The colour of this connection"));

    connect(m_button, &QPushButton::clicked, this, &ConnectionBar::toggle);
    for (QLineEdit *field : {m_servers, m_cluster})
        connect(field, &QLineEdit::returnPressed, this, [this] { Q_EMIT connectWanted(target()); });
    showStatus({});
    showLook({});
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

void ConnectionBar::showLook(const ConnectionLook &look)
{
    m_look = look;
    m_edit->showLook(look);
    m_color->setAccessibleName(tr("Colour of the connection: %1").arg(colorTitle(look.color)));
    paintSwatch();
    update();
}

void ConnectionBar::paintSwatch()
{
    const QColor band = m_look.band(palette());
    m_color->setIcon(dot(band.isValid() ? band : fieldBorder(palette()), devicePixelRatioF()));
}

void ConnectionBar::changeEvent(QEvent *event)
{
    if (event->type() == QEvent::PaletteChange)
        paintSwatch();
    QWidget::changeEvent(event);
}

void ConnectionBar::paintEvent(QPaintEvent *)
{
    QColor band = m_look.band(palette());
    if (!band.isValid())
        return;
    band.setAlpha(m_look.isEditing ? 64 : 28);
    QPainter(this).fillRect(rect(), band);
}

void ConnectionBar::takeFocus()
{
    m_servers->setFocus(Qt::OtherFocusReason);
    m_servers->selectAll();
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
