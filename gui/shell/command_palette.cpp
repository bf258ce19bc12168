#include "gui/shell/command_palette.h"

#include "gui/shell/action_registry.h"
#include "gui/shell/page.h"
#include "gui/text/entity_text.h"
#include "gui/widgets/action_button.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/theme.h"

#include <QAction>
#include <QApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QRegularExpression>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace drover::gui {

namespace {

constexpr QSize Largest(620, 460);
constexpr int EntityData = Qt::UserRole + 1; // of an item that is no action

// Of two ampersands one is a letter.
QString withoutMnemonic(QString text)
{
    static const QRegularExpression mark(QStringLiteral("&(.)"));
    return text.replace(mark, QStringLiteral("\\1"));
}

// Keeps the labels in line.
QIcon noIcon()
{
    QPixmap nothing(16, 16);
    nothing.fill(Qt::transparent);
    return nothing;
}

} // namespace

CommandPalette::CommandPalette(const ActionRegistry &actions, QWidget &window)
    : QFrame(&window), m_actions(actions), m_text(new QLineEdit), m_list(new QTreeWidget)
{
    setFrameShape(StyledPanel);
    setAutoFillBackground(true);
    setAccessibleName(tr("Commands"));
    m_text->setPlaceholderText(tr("Type what to do, or a job, worker, queue, lock or /path"));
    m_text->setAccessibleName(tr("Filter commands"));
    m_text->setClearButtonEnabled(true);
    m_list->setAccessibleName(tr("Commands"));
    m_list->setColumnCount(2);
    m_list->setHeaderHidden(true);
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAllColumnsShowFocus(true);
    m_list->setFrameShape(NoFrame);
    m_list->setFocusPolicy(Qt::NoFocus); // the keys go to the text
    m_list->header()->setStretchLastSection(false);
    m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->addWidget(m_text);
    column->addWidget(m_list, 1);
    m_text->installEventFilter(this);
    window.installEventFilter(this);
    connect(m_text, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_text, &QLineEdit::returnPressed, this, &CommandPalette::trigger);
    connect(m_list, &QTreeWidget::itemClicked, this, &CommandPalette::trigger);
    hide();
}

QToolButton *CommandPalette::newButton()
{
    const QKeySequence keys(Qt::CTRL | Qt::Key_K);
    auto *const button = new QToolButton;
    button->setText(tr("Find or do anything  %1", "keys").arg(keys.toString(QKeySequence::NativeText)));
    button->setToolTip(tr("All that the menus have, and jobs, workers, queues, locks and znodes by name"));
    button->setIcon(lineIcon(QStringLiteral("search")));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::NoFocus);
    return button;
}

void CommandPalette::open(const Page *page)
{
    if (!isVisible())
        m_before = QApplication::focusWidget();
    m_entries.clear();
    const QList<QAction *> ofPage = page ? m_actions.of(page) : QList<QAction *>();
    for (QAction *const action : ofPage)
        m_entries.append({labelOf(*action, page), action});
    const QList<QAction *> ofWindow = m_actions.ofWindow();
    for (QAction *const action : ofWindow)
        m_entries.append({labelOf(*action, nullptr), action});
    m_text->clear();
    filter();
    place();
    show();
    raise();
    m_text->setFocus(Qt::PopupFocusReason);
}

void CommandPalette::close()
{
    if (!isVisible())
        return;
    hide();
    if (m_before)
        m_before->setFocus(Qt::PopupFocusReason);
}

QString CommandPalette::labelOf(const QAction &action, const Page *page)
{
    const QString text = withoutMnemonic(action.text());
    return page ? tr("%1: %2", "page, what to do there").arg(page->title(), text) : text;
}

int CommandPalette::fit(const QString &label, const QString &typed)
{
    static const QRegularExpression pageAndEnd(QStringLiteral("^[^:：]*[:：]\\s*|…$"));
    const QString title = QString(label).remove(pageAndEnd);
    for (const QString &whole : {label, title}) {
        if (whole.compare(typed.trimmed(), Qt::CaseInsensitive) == 0)
            return 3;
    }
    int worst = 2;
    const QStringList words = typed.split(u' ', Qt::SkipEmptyParts);
    for (const QString &word : words) {
        const bool begins =
            label.startsWith(word, Qt::CaseInsensitive) || label.contains(u' ' + word, Qt::CaseInsensitive);
        worst = std::min(worst, begins ? 2 : label.contains(word, Qt::CaseInsensitive) ? 1 : 0);
    }
    return worst;
}

void CommandPalette::filter()
{
    QList<Entry> shown = m_entries;
    shown.removeIf([&](const Entry &entry) { return fit(entry.label, m_text->text()) == 0; });
    std::stable_sort(shown.begin(), shown.end(), [&](const Entry &a, const Entry &b) {
        return fit(a.label, m_text->text()) > fit(b.label, m_text->text());
    });
    m_list->clear();
    for (const Entry &entry : shown)
        addItem(entry);
    const QList<EntityRef> found = m_finder ? m_finder(m_text->text().trimmed()) : QList<EntityRef>();
    for (const EntityRef &entity : found)
        addItem(entity);
    int first = 0;
    while (first < m_list->topLevelItemCount() && m_list->topLevelItem(first)->isDisabled())
        ++first;
    m_list->setCurrentItem(m_list->topLevelItem(first < m_list->topLevelItemCount() ? first : 0));
}

void CommandPalette::addItem(const Entry &entry)
{
    const bool refused = isRefused(*entry.action);
    const QString refusal = needsEditing(*entry.action) ? tr("read-only: Ctrl+E") : tr("not allowed");
    const QString keys = entry.action->shortcut().toString(QKeySequence::NativeText);
    auto *const item = new QTreeWidgetItem(m_list, {entry.label, refused ? refusal : keys});
    if (refused)
        item->setToolTip(0, entry.action->toolTip());
    item->setIcon(0, entry.action->icon().isNull() ? noIcon() : entry.action->icon());
    item->setSizeHint(0, QSize(0, fontMetrics().height() + 10));
    item->setDisabled(!entry.action->isEnabled());
    item->setForeground(1, mutedText(palette()));
    item->setData(0, Qt::UserRole, QVariant::fromValue(entry.action));
}

void CommandPalette::addItem(const EntityRef &entity)
{
    auto *const item = new QTreeWidgetItem(m_list, {tr("Go to %1", "a thing of the cluster").arg(entityText(entity))});
    item->setIcon(0, noIcon());
    item->setSizeHint(0, QSize(0, fontMetrics().height() + 10));
    item->setData(0, EntityData, QVariant::fromValue(entity));
}

void CommandPalette::trigger()
{
    const QTreeWidgetItem *const item = m_list->currentItem();
    if (!item || item->isDisabled())
        return;
    auto *const action = item->data(0, Qt::UserRole).value<QAction *>();
    const auto entity = item->data(0, EntityData).value<EntityRef>();
    close(); // before: the action may give the keyboard to a page
    if (action)
        action->trigger();
    else
        Q_EMIT entityWanted(entity);
}

void CommandPalette::place()
{
    const QSize size = Largest.boundedTo(parentWidget()->size() - QSize(40, 80));
    setGeometry(QRect(QPoint((parentWidget()->width() - size.width()) / 2, 60), size));
}

bool CommandPalette::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == parentWidget() && event->type() == QEvent::Resize && isVisible())
        place();
    if (watched == m_text && event->type() == QEvent::FocusOut)
        hide();
    if (watched == m_text && (event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride)) {
        auto *const key = static_cast<QKeyEvent *>(event);
        const QList<int> moves{Qt::Key_Up, Qt::Key_Down, Qt::Key_PageUp, Qt::Key_PageDown};
        if (key->key() != Qt::Key_Escape && !moves.contains(key->key()))
            return false;
        if (event->type() == QEvent::ShortcutOverride)
            event->accept();
        else if (key->key() == Qt::Key_Escape)
            close();
        else
            QCoreApplication::sendEvent(m_list, event);
        return true;
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace drover::gui
