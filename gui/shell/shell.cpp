#include "gui/shell/shell.h"

#include "gui/shell/page.h"
#include "gui/shell/page_window.h"
#include "gui/shell/rail.h"
#include "gui/widgets/plain_text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace drover::gui {

namespace {

constexpr int RoomForTitles = 1100; // pixels of width in which the rail shows titles

QString windowKey(const Page *page)
{
    return QStringLiteral("page-windows/") + page->name();
}

} // namespace

Shell::Shell(QWidget *parent) : QWidget(parent), m_rail(new Rail), m_stack(new QStackedWidget), m_split(new QSplitter)
{
    auto *const row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_rail);
    row->addWidget(m_split, 1);
    m_split->addWidget(m_stack);
    m_split->setChildrenCollapsible(false);
    m_split->setHandleWidth(1);
    m_split->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Expanding); // the rail gets its width first
    m_stack->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored); // and then the panel
    connect(m_rail, &Rail::chosen, this, &Shell::showPage);
    connect(m_rail, &Rail::entered, this, &Shell::goTo);
    connect(m_rail, &Rail::windowWanted, this, &Shell::openInWindow);
}

void Shell::addPage(Page *page)
{
    m_pages.push_back(page);
    m_rail->addPage(*page);
    m_stack->addWidget(page);
    m_places[page].remark = newRemark(page);
    m_stack->addWidget(m_places[page].remark);
    connect(page, &Page::entityWanted, this, &Shell::goToEntity);
    connect(page, &Page::inspectWanted, this, &Shell::inspectWanted);
    connect(page, &Page::selectionChanged, this, [this, page] {
        if (page->isAwake())
            Q_EMIT selected(page->selection());
    });
    if (!m_current)
        showPage(page);
}

QStringList Shell::pageNames() const
{
    QStringList names;
    for (const Page *const page : m_pages)
        names << page->name();
    return names;
}

Page *Shell::find(const QString &name) const
{
    const auto found = std::find_if(m_pages.begin(), m_pages.end(), [&](Page *page) { return page->name() == name; });
    return found == m_pages.end() ? nullptr : *found;
}

void Shell::showPage(Page *page)
{
    if (page == m_current)
        return;
    visit({page});
    uncover(page);
}

void Shell::visit(const Visit &place)
{
    if (m_current)
        m_visits.note(m_current->selection());
    m_visits.go(place);
    Q_EMIT visitsChanged();
}

void Shell::goToEntity(const EntityRef &entity)
{
    const auto page =
        std::find_if(m_pages.begin(), m_pages.end(), [&](const Page *one) { return one->shows(entity.kind); });
    if (page == m_pages.end())
        return Q_EMIT inspectWanted(entity);
    visit({*page, entity});
    uncover(*page);
    goTo(*page);
    (*page)->select(entity);
}

void Shell::move(int step)
{
    if (!canMove(step))
        return;
    m_visits.note(m_current->selection());
    const Visit place = m_visits.move(step);
    uncover(place.page);
    goTo(place.page);
    if (!place.entity.isNull())
        place.page->select(place.entity);
    Q_EMIT visitsChanged();
}

void Shell::uncover(Page *page)
{
    if (page == m_current)
        return;
    if (m_current && !windowOf(m_current))
        m_current->setAwake(false);
    m_current = page;
    m_rail->check(*page);
    page->setAwake(m_isSeen || windowOf(page));
    m_stack->setCurrentWidget(windowOf(page) ? m_places[page].remark : page);
    Q_EMIT currentChanged(page);
    Q_EMIT selected(page->selection());
}

void Shell::goTo(Page *page)
{
    showPage(page);
    if (PageWindow *const window = windowOf(page)) {
        window->raise();
        window->activateWindow();
    }
    if (m_isSeen || windowOf(page))
        page->takeFocus();
}

QWidget *Shell::newRemark(Page *page)
{
    auto *const remark = new QWidget;
    auto *const back = new QPushButton(tr("Show it &here"));
    connect(back, &QPushButton::clicked, this, [this, page] { windowOf(page)->close(); });
    auto *const column = new QVBoxLayout(remark);
    column->addStretch(1);
    column->addWidget(plainLabel(tr("%1: in a window of its own", "page").arg(page->title())), 0, Qt::AlignCenter);
    column->addSpacing(8);
    column->addWidget(back, 0, Qt::AlignCenter);
    column->addStretch(1);
    return remark;
}

PageWindow *Shell::windowOf(const Page *page) const
{
    const auto place = m_places.find(page);
    return place == m_places.end() ? nullptr : place->second.window;
}

void Shell::openInWindow(Page *page)
{
    if (!windowOf(page)) {
        m_stack->removeWidget(page);
        auto *const own = new PageWindow(*page, owner());
        m_places[page].window = own;
        page->setAwake(true);
        if (page == m_current)
            m_stack->setCurrentWidget(m_places[page].remark);
        connect(own, &PageWindow::closed, this, &Shell::takeBack);
        own->show();
        Q_EMIT windowOpened(own);
    }
    goTo(page);
}

QVariantMap Shell::windows() const
{
    QVariantMap windows;
    for (const Page *const page : m_pages) {
        if (const PageWindow *const own = windowOf(page))
            windows.insert(page->name(), own->saveGeometry());
    }
    return windows;
}

void Shell::openWindows(const QVariantMap &windows)
{
    Page *const shown = m_current;
    for (Page *const page : m_pages) {
        const QByteArray geometry = windows.value(page->name()).toByteArray();
        if (geometry.isEmpty())
            continue;
        openInWindow(page);
        windowOf(page)->restoreGeometry(geometry);
    }
    showPage(shown);
}

void Shell::takeBack(Page *page)
{
    m_places[page].window = nullptr;
    m_stack->addWidget(page);
    if (page == m_current)
        m_stack->setCurrentWidget(page);
    page->setAwake(page == m_current && m_isSeen);
}

void Shell::present()
{
    Q_EMIT presentWanted();
}

void Shell::setSeen(bool seen)
{
    m_isSeen = seen;
    if (m_current)
        m_current->setAwake(seen || windowOf(m_current));
}

QStringList Shell::alerts() const
{
    QStringList alerts;
    for (const Page *const page : m_pages) {
        const Page::Badge &badge = page->badge();
        if (badge.tone == Tone::Bad && !badge.text.isEmpty())
            alerts << tr("%1: %2", "page, what it tells of").arg(page->title(), badge.words);
    }
    return alerts;
}

void Shell::showState(const ConnectionState &state)
{
    for (Page *const page : m_pages)
        page->showState(state);
}

EntityRef Shell::selection() const
{
    return m_current ? m_current->selection() : EntityRef();
}

void Shell::setPanel(QWidget *panel)
{
    m_panel = panel;
    panel->hide();
    m_split->addWidget(panel);
    m_split->setStretchFactor(0, 1);
    m_split->setStretchFactor(1, 0);
    placePanel();
}

bool Shell::isPanelShown() const
{
    return m_panel && !m_panel->isHidden();
}

void Shell::showPanel(bool shown)
{
    if (shown == isPanelShown())
        return;
    placePanel();
    m_panel->setVisible(shown);
}

// Beside the page if there is room for both, else below it. The user's sizes are kept for each of the two.
void Shell::placePanel()
{
    const Qt::Orientation wanted = width() < RoomForTitles ? Qt::Vertical : Qt::Horizontal;
    if (!m_panel || (wanted == m_split->orientation() && m_isPlaced))
        return;
    if (m_isPlaced && isPanelShown())
        m_panelSize[m_split->orientation()] = m_split->sizes().last();
    m_isPlaced = true;
    m_split->setOrientation(wanted);
    const int room = wanted == Qt::Vertical ? height() : width() - m_rail->width();
    const int usual = wanted == Qt::Vertical ? room / 2 : fontMetrics().averageCharWidth() * 62;
    const int size = m_panelSize.value(wanted, usual);
    m_split->setSizes({std::max(1, room - size), size});
}

void Shell::savePanel(QSettings &settings) const
{
    if (!m_panel)
        return;
    settings.setValue(QStringLiteral("inspector/shown"), isPanelShown());
    QMap<Qt::Orientation, int> sizes = m_panelSize;
    if (isPanelShown())
        sizes[m_split->orientation()] = m_split->sizes().last();
    settings.setValue(QStringLiteral("inspector/width"), sizes.value(Qt::Horizontal));
    settings.setValue(QStringLiteral("inspector/height"), sizes.value(Qt::Vertical));
}

void Shell::restorePanel(const QSettings &settings)
{
    if (!m_panel)
        return;
    const std::pair<Qt::Orientation, QString> kept[] = {{Qt::Horizontal, QStringLiteral("inspector/width")},
                                                        {Qt::Vertical, QStringLiteral("inspector/height")}};
    for (const auto &[orientation, key] : kept) {
        if (const int size = settings.value(key).toInt(); size > 0)
            m_panelSize[orientation] = size;
    }
    m_isPlaced = false;
    placePanel();
    showPanel(settings.value(QStringLiteral("inspector/shown")).toBool());
}

void Shell::saveTo(QSettings &settings) const
{
    settings.setValue(QStringLiteral("window/page"), m_current->name());
    for (const Page *const page : m_pages) {
        page->saveTo(settings);
        const PageWindow *const own = windowOf(page);
        settings.setValue(windowKey(page), own ? own->saveGeometry() : QByteArray());
    }
    savePanel(settings);
}

void Shell::restoreFrom(const QSettings &settings, bool asItWas)
{
    QVariantMap windows;
    for (Page *const page : m_pages) {
        page->restoreFrom(settings);
        if (!asItWas)
            continue;
        page->restoreFilter(settings);
        windows.insert(page->name(), settings.value(windowKey(page)));
    }
    openWindows(windows);
    restorePanel(settings);
    if (Page *const page = find(settings.value(QStringLiteral("window/page")).toString()))
        goTo(page);
}

void Shell::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const bool narrow = width() < RoomForTitles;
    if (narrow != m_rail->isNarrow())
        m_rail->setNarrow(narrow);
    placePanel();
}

} // namespace drover::gui
