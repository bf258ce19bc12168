#include "gui/shell/rail.h"

#include "gui/shell/page.h"
#include "gui/text/format.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/theme.h"

#include <QButtonGroup>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QVBoxLayout>

namespace drover::gui {

namespace {

constexpr int IconSize = 20;
constexpr int EntryHeight = 38;
constexpr int NarrowWidth = 48;
constexpr int TitleColumns = 22; // average characters of an entry with its title

} // namespace

RailButton::RailButton(Page &page, int number) : m_page(page)
{
    setCheckable(true);
    setFocusPolicy(Qt::TabFocus); // a click leaves the keyboard to the page
    setText(page.title());
    setIcon(lineIcon(page.name()));
    setAttribute(Qt::WA_Hover);
    m_toolTip = number <= 10 ? tr("%1 (Ctrl+%2)").arg(page.title()).arg(number % 10) : page.title();
    connect(&page, &Page::badgeChanged, this, &RailButton::showBadge);
    showBadge();
}

void RailButton::setNarrow(bool narrow)
{
    m_narrow = narrow;
    updateGeometry();
    update();
}

QSize RailButton::sizeHint() const
{
    return {m_narrow ? NarrowWidth : TitleColumns * fontMetrics().averageCharWidth() + 24, EntryHeight};
}

QSize RailButton::minimumSizeHint() const
{
    return {NarrowWidth, EntryHeight};
}

void RailButton::showBadge()
{
    const Page::Badge &badge = m_page.badge();
    const QString words = badge.words.isEmpty() ? badge.text : badge.words;
    setAccessibleName(words.isEmpty() ? text() : tr("%1: %2", "page, its badge").arg(text(), words));
    setToolTip(plainToolTip(words.isEmpty() ? m_toolTip : m_toolTip + u'\n' + words));
    update();
}

void RailButton::keyPressEvent(QKeyEvent *event)
{
    const QList<int> goIn{Qt::Key_Return, Qt::Key_Enter, Qt::Key_Right};
    if (!goIn.contains(event->key()))
        return QAbstractButton::keyPressEvent(event);
    setChecked(true);
    Q_EMIT entered();
}

void RailButton::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF inner = QRectF(rect()).adjusted(6, 2, -6, -2);
    QColor accent = palette().color(QPalette::Link);
    if (isChecked() || underMouse()) {
        accent.setAlpha(isChecked() ? 40 : 18);
        painter.setPen(Qt::NoPen);
        painter.setBrush(accent);
        painter.drawRoundedRect(inner, 6, 6);
    }
    if (hasFocus()) {
        painter.setPen(QPen(palette().color(QPalette::Link), 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(inner.adjusted(1, 1, -1, -1), 5, 5);
    }
    const QRect place(m_narrow ? (width() - IconSize) / 2 : 16, (height() - IconSize) / 2, IconSize, IconSize);
    icon().paint(&painter, place, Qt::AlignCenter, QIcon::Normal, isChecked() ? QIcon::On : QIcon::Off);
    if (!m_narrow) {
        QFont bold = font();
        bold.setBold(isChecked());
        painter.setFont(bold);
        painter.setPen(palette().color(QPalette::WindowText));
        painter.drawText(rect().adjusted(16 + IconSize + 10, 0, -8, 0), Qt::AlignLeft | Qt::AlignVCenter, text());
    }
    paintBadge(painter);
}

void RailButton::paintBadge(QPainter &painter) const
{
    const Page::Badge &badge = m_page.badge();
    if (badge.text.isEmpty())
        return;
    QFont small = font();
    small.setPointSizeF(font().pointSizeF() * (m_narrow ? 0.72 : 0.88));
    const QFontMetrics metrics(small);
    const qreal high = metrics.height() + (m_narrow ? 0 : 2);
    const qreal wide = std::max<qreal>(high, metrics.horizontalAdvance(badge.text) + (m_narrow ? 6 : 12));
    const QRectF pill = m_narrow ? QRectF(width() - wide - 3, 2, wide, high)
                                 : QRectF(width() - wide - 14, (height() - high) / 2, wide, high);
    QColor color = toneColor(badge.tone, palette());
    painter.setPen(Qt::NoPen);
    if (m_narrow) { // it lies over the icon
        painter.setBrush(palette().color(QPalette::Window));
        painter.drawRoundedRect(pill, high / 2, high / 2);
    }
    color.setAlpha(36);
    painter.setBrush(color);
    painter.drawRoundedRect(pill, high / 2, high / 2);
    painter.setFont(small);
    painter.setPen(badge.tone == Tone::Muted ? palette().color(QPalette::WindowText)
                                             : toneColor(badge.tone, palette()));
    painter.drawText(pill, Qt::AlignCenter, badge.text);
}

Rail::Rail(QWidget *parent) : QWidget(parent), m_column(new QVBoxLayout(this)), m_buttons(new QButtonGroup(this))
{
    setAccessibleName(tr("Pages"));
    m_column->setContentsMargins(0, 6, 1, 6);
    m_column->setSpacing(0);
    m_column->addStretch(1);
}

void Rail::addPage(Page &page)
{
    auto *const button = new RailButton(page, int(m_buttons->buttons().size()) + 1);
    m_buttons->addButton(button);
    m_column->insertWidget(m_column->count() - 1, button);
    connect(button, &RailButton::clicked, this, [this, button] {
        Q_EMIT chosen(&button->page());
        if (!button->hasFocus()) // a mouse
            Q_EMIT entered(&button->page());
    });
    connect(button, &RailButton::toggled, this, [this, button](bool isOn) { // by a screen reader, which clicks nothing
        if (isOn)
            Q_EMIT chosen(&button->page());
    });
    button->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(button, &QWidget::customContextMenuRequested, this, [this, button](const QPoint &at) {
        QMenu menu(this);
        menu.addAction(lineIcon(QStringLiteral("window")), tr("Open in a &window of its own"), this,
                       [this, button] { Q_EMIT windowWanted(&button->page()); });
        menu.exec(button->mapToGlobal(at));
    });
    connect(button, &RailButton::entered, this, [this, button] {
        Q_EMIT chosen(&button->page());
        Q_EMIT entered(&button->page());
    });
}

void Rail::check(const Page &page)
{
    const QList<QAbstractButton *> buttons = m_buttons->buttons();
    for (QAbstractButton *const button : buttons)
        button->setChecked(&static_cast<RailButton *>(button)->page() == &page);
}

void Rail::setNarrow(bool narrow)
{
    m_narrow = narrow;
    const QList<QAbstractButton *> buttons = m_buttons->buttons();
    for (QAbstractButton *const button : buttons)
        static_cast<RailButton *>(button)->setNarrow(narrow);
}

void Rail::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setPen(gridColor(palette()));
    painter.drawLine(width() - 1, 0, width() - 1, height());
}

} // namespace drover::gui
