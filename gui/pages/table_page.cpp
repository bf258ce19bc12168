#include "gui/pages/table_page.h"

#include "gui/widgets/icon.h"
#include "gui/widgets/table_actions.h"
#include "gui/widgets/table_view.h"

#include <QAction>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QLineEdit>
#include <QSettings>

#include <algorithm>

namespace drover::gui {

namespace {

QString key(const char *group, const QString &page)
{
    return QLatin1String(group) + u'/' + page;
}

} // namespace

TablePage::TablePage(const QString &name, const QString &title, TableView *table, ActionRegistry &actions)
    : Page(name, title), m_actions(actions), m_table(table)
{
    table->setAwake(false);
    const char *const names[] = {"copy", "copy-csv", "copy-json", "copy-markdown", "export"};
    const QList<QAction *> &onRows = table->actionsOnRows().onRows();
    for (qsizetype i = 0; i < onRows.size(); ++i)
        actions.add(qPrintable(name + u'.' + QLatin1String(names[i])), onRows[i], onRows[i]->shortcut(), this);
}

QHBoxLayout *TablePage::layOut(const QString &filterTitle, QWidget *above)
{
    m_filter = new QLineEdit;
    m_filter->setPlaceholderText(filterTitle);
    m_filter->setAccessibleName(filterTitle);
    m_filter->setToolTip(tr("Shows the rows of which a cell contains this (Ctrl+F)"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setMinimumWidth(fontMetrics().averageCharWidth() * 14);
    m_filter->setMaximumWidth(fontMetrics().averageCharWidth() * 48);
    connect(m_filter, &QLineEdit::textChanged, this, [this](const QString &text) {
        filterBy(text.trimmed());
        sayWhyEmpty();
    });
    auto *const focus = new QAction(lineIcon(QStringLiteral("search")), filterTitle, this);
    connect(focus, &QAction::triggered, this, [this] {
        m_filter->setFocus(Qt::ShortcutFocusReason);
        m_filter->selectAll();
    });
    m_actions.add(qPrintable(name() + QStringLiteral(".filter")), focus, QKeySequence::Find, this);

    auto *const bar = new QHBoxLayout;
    bar->setContentsMargins(8, 6, 8, 6);
    bar->setSpacing(8);
    bar->addWidget(m_filter, 1);
    bar->addStretch(0); // takes what the field leaves
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    if (above)
        column->addWidget(above);
    column->addLayout(bar);
    column->addWidget(m_table, 1);
    m_table->setFocus();
    return bar;
}

void TablePage::addVerb(const char *name, QAction *verb, const QKeySequence &shortcut, const ActionRegistry::Need &need)
{
    m_actions.add(name, verb, shortcut, this, need);
    m_table->actionsOnRows().addVerb(verb);
}

void TablePage::offer(QAction *verb, qint64 count, Things things, const QString &ofOne, const QString &ofSeveral)
{
    verb->setEnabled(count > 0);
    verb->setText(count < 2 ? ofOne : ofSeveral.arg(counted(count, things)));
}

QList<int> TablePage::selectedRows() const
{
    QModelIndexList selected = m_table->selectionModel()->selectedRows();
    std::sort(selected.begin(), selected.end());
    QList<int> rows;
    for (const QModelIndex &index : std::as_const(selected))
        rows.append(m_table->sourceRow(index));
    return rows;
}

int TablePage::selectedRow() const
{
    const QList<int> rows = selectedRows();
    return rows.size() == 1 ? rows.front() : -1;
}

void TablePage::showState(const ConnectionState &state)
{
    const QString why = state.whyNothing();
    sayWhenEmpty(why.isEmpty() ? whenEmpty(state) : why);
    m_table->setStale(state.isStale());
}

void TablePage::sayWhenEmpty(const QString &text)
{
    m_whenEmpty = text;
    sayWhyEmpty();
}

void TablePage::filterBy(const QString &text)
{
    m_table->filter(text);
}

bool TablePage::selectRow(const QString &text)
{
    const QAbstractItemModel &rows = *m_table->model();
    const QModelIndexList found = rows.match(rows.index(0, 0), Qt::DisplayRole, text, 1, Qt::MatchExactly);
    if (found.isEmpty())
        return false;
    m_table->setCurrentIndex(found.front());
    m_table->scrollTo(found.front());
    return true;
}

void TablePage::sayWhyEmpty()
{
    m_table->say(m_filter && !m_filter->text().trimmed().isEmpty() ? tr("No row fits the filter.") : m_whenEmpty);
}

void TablePage::saveTo(QSettings &settings) const
{
    settings.setValue(key("columns", name()), m_table->saveColumns());
    if (m_filter)
        settings.setValue(key("filters", name()), m_filter->text());
}

void TablePage::restoreFrom(const QSettings &settings)
{
    m_table->restoreColumns(settings.value(key("columns", name())).toByteArray());
    if (m_filter)
        m_filter->setText(settings.value(key("filters", name())).toString());
}

QWidget *TablePage::mainPart() const
{
    return m_table;
}

void TablePage::activate()
{
    m_table->setAwake(true);
}

void TablePage::deactivate()
{
    m_table->setAwake(false);
}

} // namespace drover::gui
