#include "gui/shell/start_view.h"

#include "gui/widgets/icon.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"

#include <QCommandLinkButton>
#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

namespace drover::gui {

namespace {

constexpr int ColumnWidth = 460; // pixels
constexpr int IconSide = 20;

// As it is written: an ampersand is no mnemonic.
QString asWritten(const QString &text)
{
    return text::printable(text).replace(u'&', QStringLiteral("&&"));
}

// As large as the other icons, so that the titles are in line.
QIcon dotIcon(const QColor &color, qreal devicePixelRatio)
{
    const QPixmap small = dot(color, devicePixelRatio);
    QPixmap picture(QSize(IconSide, IconSide) * devicePixelRatio);
    picture.setDevicePixelRatio(devicePixelRatio);
    picture.fill(Qt::transparent);
    const qreal margin = (IconSide - small.deviceIndependentSize().width()) / 2;
    QPainter(&picture).drawPixmap(QPointF(margin, margin), small);
    return picture;
}

} // namespace

StartView::StartView(QWidget *parent) : QWidget(parent), m_column(new QVBoxLayout)
{
    setAccessibleName(tr("Connect to a cluster"));
    auto *const title = plainLabel(tr("Connect to a cluster"));
    QFont large = title->font();
    large.setPointSizeF(large.pointSizeF() * 1.6);
    title->setFont(large);
    auto *const middle = new QWidget;
    middle->setFixedWidth(ColumnWidth);
    auto *const column = new QVBoxLayout(middle);
    column->addStretch(1);
    column->addWidget(title);
    column->addSpacing(8);
    column->addLayout(m_column);
    column->addStretch(2);
    auto *const row = new QHBoxLayout(this);
    row->addStretch(1);
    row->addWidget(middle);
    row->addStretch(1);
}

void StartView::setLocal(const Target &target)
{
    m_local = target;
    if (isVisible())
        makeChoices();
}

void StartView::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    makeChoices();
    m_choices.front()->setFocus(Qt::OtherFocusReason);
}

void StartView::makeChoices()
{
    qDeleteAll(m_choices);
    m_choices.clear();
    const QList<Connection> recent = m_source ? m_source().mid(0, MostRecent) : QList<Connection>();
    for (const Connection &one : recent) {
        const ConnectionLook look{one.color};
        const QColor band = look.band(palette());
        const QString state = one.isEditing ? tr("editing is on") : tr("read-only");
        addTarget(dotIcon(band.isValid() ? band : fieldBorder(palette()), devicePixelRatioF()),
                  QString::fromUtf8(one.target.cluster),
                  tr("%1 — %2", "servers, read-only or not").arg(one.target.connect, state), one.target);
    }
    addTarget(lineIcon(QStringLiteral("workers")), tr("A cluster on this machine"),
              tr("%1 — “drover up” starts one").arg(m_local.connect), m_local);
    connect(add(lineIcon(QStringLiteral("search")), tr("Another cluster"), tr("Enter its ZooKeeper servers above.")),
            &QCommandLinkButton::clicked, this, &StartView::otherWanted);
    connect(add(lineIcon(QStringLiteral("lab")), tr("The lab"),
                tr("Locks and elections to learn from, on a private server. No cluster is needed.")),
            &QCommandLinkButton::clicked, this, &StartView::labWanted);
}

void StartView::addTarget(const QIcon &icon, const QString &title, const QString &about, const Target &target)
{
    connect(add(icon, title, about), &QCommandLinkButton::clicked, this,
            [this, target] { Q_EMIT connectWanted(target); });
}

QCommandLinkButton *StartView::add(const QIcon &icon, const QString &title, const QString &about)
{
    auto *const choice = new QCommandLinkButton(asWritten(title), asWritten(about));
    choice->setAccessibleName(title);
    choice->setAccessibleDescription(about);
    choice->setIcon(icon);
    choice->setIconSize({IconSide, IconSide});
    m_column->addWidget(choice);
    choice->show(); // what is hidden cannot have the keyboard
    m_choices.append(choice);
    return choice;
}

} // namespace drover::gui
