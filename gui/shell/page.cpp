#include "gui/shell/page.h"

#include "gui/widgets/table_view.h"

namespace drover::gui {

Page::Page(const QString &name, const QString &title) : m_name(name), m_title(title)
{
    setObjectName(name);
    setAccessibleName(title);
}

void Page::setAwake(bool awake)
{
    if (awake == std::exchange(m_awake, awake))
        return;
    if (awake)
        activate();
    else
        deactivate();
    Q_EMIT awakeChanged();
}

void Page::takeFocus()
{
    QWidget *const last = focusWidget();
    (last ? last : mainPart())->setFocus(Qt::ShortcutFocusReason);
}

void Page::showEntities(EntityRef::Kind kind, TableView *table)
{
    m_kind = kind;
    m_entities = table;
    if (!table)
        return;
    connect(table, &TableView::entityWanted, this, &Page::entityWanted);
    connect(table, &TableView::currentEntityChanged, this, &Page::selectionChanged);
}

void Page::inspectOnActivation()
{
    connect(m_entities, &QAbstractItemView::activated, this, [this] {
        if (const EntityRef chosen = selection(); !chosen.isNull())
            Q_EMIT inspectWanted(chosen);
    });
}

void Page::select(const EntityRef &entity)
{
    if (!m_entities)
        return;
    m_entities->setFocus(Qt::ShortcutFocusReason);
    m_entities->select(entity);
}

EntityRef Page::selection() const
{
    return m_entities ? m_entities->currentEntity() : EntityRef();
}

void Page::setBadge(const Badge &badge)
{
    if (badge == m_badge)
        return;
    m_badge = badge;
    Q_EMIT badgeChanged();
}

} // namespace drover::gui
