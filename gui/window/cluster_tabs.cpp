#include "gui/window/cluster_tabs.h"

#include "gui/shell/status_line.h"
#include "gui/text/format.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"

#include <QHBoxLayout>
#include <QMouseEvent>
#include <QPainter>
#include <QTabBar>
#include <QToolButton>

namespace drover::gui {

// Paints the colour of each connection over its tab.
class ClusterTabs::Bar final : public QTabBar
{
public:
    std::vector<ClusterTab> tabs; // in the order of the tabs

protected:
    void paintEvent(QPaintEvent *event) override
    {
        QTabBar::paintEvent(event);
        QPainter painter(this);
        for (int i = 0; i < count(); ++i) {
            const ConnectionLook &look = tabs[std::size_t(i)].look;
            const QColor band = look.band(palette());
            const QRect place = tabRect(i).adjusted(1, 1, -1, 0);
            if (look.isEditing) {
                QColor veil = look.fill();
                veil.setAlpha(64);
                painter.fillRect(place, veil);
            }
            if (band.isValid())
                painter.fillRect(QRect(place.topLeft(), QSize(place.width(), BandHeight)), band);
        }
    }

    // A tab is closed if the button goes down and up on it.
    void mousePressEvent(QMouseEvent *event) override
    {
        m_pressed = event->button() == Qt::MiddleButton ? tabAt(event->position().toPoint()) : -1;
        QTabBar::mousePressEvent(event);
    }
    void mouseReleaseEvent(QMouseEvent *event) override
    {
        const int index = tabAt(event->position().toPoint());
        if (event->button() != Qt::MiddleButton)
            QTabBar::mouseReleaseEvent(event);
        else if (index >= 0 && index == std::exchange(m_pressed, -1))
            Q_EMIT tabCloseRequested(index);
    }
    void tabLayoutChange() override
    {
        m_pressed = -1; // a tab has come, gone or moved
        QTabBar::tabLayoutChange();
    }

    void changeEvent(QEvent *event) override
    {
        QTabBar::changeEvent(event);
        if (event->type() == QEvent::PaletteChange) {
            for (int i = 0; i < count(); ++i)
                showIcon(i);
        }
    }

public:
    // The state of the session as in the line at the bottom, and the lock as in the connection bar.
    void showIcon(int index)
    {
        const ClusterTab &tab = tabs[std::size_t(index)];
        constexpr int Side = 16;
        const qreal ratio = devicePixelRatioF();
        QPixmap picture(QSize(2 * Side, Side) * ratio);
        picture.setDevicePixelRatio(ratio);
        picture.fill(Qt::transparent);
        QPainter painter(&picture);
        painter.drawPixmap(QPointF(1, 1), dot(toneColor(StatusLine::phaseTone(tab.phase), palette()), ratio));
        const QIcon lock = lineIcon(tab.look.isEditing ? QStringLiteral("unlocked") : QStringLiteral("locks"));
        if (!tab.title.isEmpty())
            lock.paint(&painter, QRect(Side, 1, Side - 2, Side - 2));
        painter.end();
        setTabIcon(index, picture);
    }

private:
    static constexpr int BandHeight = 3;

    int m_pressed = -1; // the tab on which the middle button went down; -1: none
};

namespace {

// "default on zk1:2181: Connected, read-only, Locks: 1 deadlock"
QString words(const ClusterTab &tab)
{
    if (tab.title.isEmpty())
        return ClusterTabs::tr("New tab");
    QStringList parts{StatusLine::phaseText(tab.phase),
                      tab.look.isEditing ? ClusterTabs::tr("editing is on") : ClusterTabs::tr("read-only")};
    if (tab.look.color != ConnectionColor::None)
        parts << colorTitle(tab.look.color);
    parts += tab.alerts;
    return ClusterTabs::tr("%1: %2", "cluster, its state").arg(tab.about, parts.join(QStringLiteral(", ")));
}

} // namespace

ClusterTabs::ClusterTabs(QWidget *parent) : QWidget(parent), m_bar(new Bar), m_new(new QToolButton)
{
    m_bar->setObjectName(QStringLiteral("clusters"));
    m_bar->setAccessibleName(tr("Clusters"));
    m_bar->setIconSize(QSize(32, 16));
    m_bar->setTabsClosable(true);
    m_bar->setMovable(true);
    m_bar->setExpanding(false);
    m_bar->setDrawBase(false);
    m_bar->setElideMode(Qt::ElideRight);
    m_bar->setUsesScrollButtons(true);
    m_new->setIcon(lineIcon(QStringLiteral("plus")));
    m_new->setAutoRaise(true);
    m_new->setAccessibleName(tr("Open another cluster in a new tab"));
    m_new->setToolTip(tr("Open another cluster in a new tab (Ctrl+T)"));
    auto *const row = new QHBoxLayout(this);
    row->setContentsMargins(6, 3, 6, 0);
    row->setSpacing(4);
    row->addWidget(m_bar);
    row->addWidget(m_new);
    row->addStretch(1);
    connect(m_bar, &QTabBar::currentChanged, this, &ClusterTabs::chosen);
    connect(m_bar, &QTabBar::tabCloseRequested, this, &ClusterTabs::closeWanted);
    connect(m_bar, &QTabBar::tabMoved, this, [this](int from, int to) {
        const ClusterTab tab = m_bar->tabs[std::size_t(from)];
        m_bar->tabs.erase(m_bar->tabs.begin() + from);
        m_bar->tabs.insert(m_bar->tabs.begin() + to, tab);
        Q_EMIT moved(from, to);
    });
    connect(m_new, &QToolButton::clicked, this, &ClusterTabs::newWanted);
    hide();
}

void ClusterTabs::insert(int index)
{
    const QSignalBlocker quiet(m_bar);
    m_bar->tabs.insert(m_bar->tabs.begin() + index, ClusterTab());
    m_bar->insertTab(index, QString());
    setVisible(m_bar->count() > 1);
}

void ClusterTabs::remove(int index)
{
    const QSignalBlocker quiet(m_bar);
    m_bar->tabs.erase(m_bar->tabs.begin() + index);
    m_bar->removeTab(index);
    setVisible(m_bar->count() > 1);
}

void ClusterTabs::show(int index, const ClusterTab &tab)
{
    m_bar->tabs[std::size_t(index)] = tab;
    const QString title =
        tab.title.isEmpty() ? tr("New tab") : text::printable(tab.title).replace(u'&', QStringLiteral("&&"));
    m_bar->setTabText(
        index, tab.alerts.isEmpty() ? title : tr("%1 (%2!)", "cluster, alerts").arg(title).arg(tab.alerts.size()));
    m_bar->setTabToolTip(index, plainToolTip(words(tab)));
    m_bar->setAccessibleTabName(index, words(tab));
    m_bar->showIcon(index);
    for (const QTabBar::ButtonPosition side : {QTabBar::LeftSide, QTabBar::RightSide}) {
        if (QWidget *const close = m_bar->tabButton(index, side))
            close->setAccessibleName(tr("Close the tab of %1").arg(title));
    }
    m_bar->update();
}

void ClusterTabs::setCurrent(int index)
{
    const QSignalBlocker quiet(m_bar);
    m_bar->setCurrentIndex(index);
}

} // namespace drover::gui
