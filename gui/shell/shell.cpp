#include "gui/shell/shell.h"

#include "gui/shell/page.h"
#include "gui/shell/rail.h"

#include <QHBoxLayout>
#include <QSettings>
#include <QStackedWidget>

#include <algorithm>

namespace drover::gui {

namespace {

constexpr int RoomForTitles = 1100; // pixels of width in which the rail shows titles

} // namespace

Shell::Shell(QWidget *parent) : QWidget(parent), m_rail(new Rail), m_stack(new QStackedWidget)
{
    auto *const row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_rail);
    row->addWidget(m_stack, 1);
    connect(m_rail, &Rail::chosen, this, &Shell::showPage);
    connect(m_rail, &Rail::entered, this, &Shell::goTo);
}

void Shell::addPage(Page *page)
{
    m_pages.push_back(page);
    m_rail->addPage(*page);
    m_stack->addWidget(page);
    if (!m_current)
        showPage(page);
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
    if (m_current)
        m_current->setAwake(false);
    m_current = page;
    m_rail->check(*page);
    page->setAwake(true);
    m_stack->setCurrentWidget(page);
    Q_EMIT currentChanged(page);
}

void Shell::goTo(Page *page)
{
    showPage(page);
    page->takeFocus();
}

void Shell::showState(const ConnectionState &state)
{
    for (Page *const page : m_pages)
        page->showState(state);
}

void Shell::saveTo(QSettings &settings) const
{
    settings.setValue(QStringLiteral("window/page"), m_current->name());
    for (const Page *const page : m_pages)
        page->saveTo(settings);
}

void Shell::restoreFrom(const QSettings &settings)
{
    for (Page *const page : m_pages)
        page->restoreFrom(settings);
    if (Page *const page = find(settings.value(QStringLiteral("window/page")).toString()))
        goTo(page);
}

void Shell::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    const bool narrow = width() < RoomForTitles;
    if (narrow != m_rail->isNarrow())
        m_rail->setNarrow(narrow);
}

} // namespace drover::gui
