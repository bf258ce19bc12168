#include "gui/widgets/table_actions.h"

#include "gui/text/write_file.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/table_view.h"

#include <QAction>
#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>

namespace drover::gui {

namespace {

struct FileKind {
    QString filter;
    QString suffix;
    TableFormat format;
};

QList<FileKind> fileKinds()
{
    return {{TableActions::tr("CSV (*.csv)"), QStringLiteral("csv"), TableFormat::Csv},
            {TableActions::tr("JSON (*.json)"), QStringLiteral("json"), TableFormat::Json},
            {TableActions::tr("Markdown (*.md)"), QStringLiteral("md"), TableFormat::Markdown}};
}

} // namespace

TableActions::TableActions(TableView &table)
    : QObject(&table), m_table(table), m_copyCell(new QAction(tr("Copy the &cell"), this))
{
    connect(m_copyCell, &QAction::triggered, this,
            [this] { QGuiApplication::clipboard()->setText(m_cell.data().toString()); });
    addCopy(tr("&Copy the rows"), TableFormat::Tabs);
    m_onRows.front()->setShortcut(QKeySequence::Copy);
    m_onRows.front()->setShortcutContext(Qt::WidgetShortcut);
    table.addAction(m_onRows.front());
    addCopy(tr("Copy the rows as CS&V"), TableFormat::Csv);
    addCopy(tr("Copy the rows as &JSON"), TableFormat::Json);
    addCopy(tr("Copy the rows as &Markdown"), TableFormat::Markdown);
    m_onRows.append(new QAction(tr("E&xport the table…"), this));
    connect(m_onRows.back(), &QAction::triggered, this, &TableActions::askWhereToExport);

    QHeaderView *const header = table.header();
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header, &QWidget::customContextMenuRequested, this, &TableActions::openHeaderMenu);
    connect(table.selectionModel(), &QItemSelectionModel::selectionChanged, this, &TableActions::update);
    update();
}

void TableActions::addCopy(const QString &title, TableFormat format)
{
    auto *const action = new QAction(title, this);
    connect(action, &QAction::triggered, this,
            [this, format] { QGuiApplication::clipboard()->setText(tableText(text(true), format)); });
    m_onRows.append(action);
}

void TableActions::update()
{
    for (QAction *const copy : m_onRows.first(m_onRows.size() - 1))
        copy->setEnabled(m_table.selectionModel()->hasSelection());
}

QMenu *TableActions::newMenu() const
{
    auto *const menu = new QMenu(&m_table);
    menu->setToolTipsVisible(true);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    return menu;
}

void TableActions::openMenu(const QPoint &globalPosition, const QModelIndex &cell)
{
    m_cell = cell;
    m_copyCell->setEnabled(cell.isValid() && !cell.data().toString().isEmpty());
    QMenu *const menu = newMenu();
    menu->addActions(m_verbs);
    menu->addSeparator();
    m_table.addLinks(*menu, cell);
    menu->addSeparator();
    menu->addAction(m_copyCell);
    menu->addActions(m_onRows);
    menu->popup(globalPosition);
}

void TableActions::openHeaderMenu(const QPoint &position)
{
    QMenu *const menu = newMenu();
    const QHeaderView *const header = m_table.header();
    const qsizetype shown = header->count() - header->hiddenSectionCount();
    for (int place = 0; place < header->count(); ++place) {
        const int column = header->logicalIndex(place);
        const QString title = m_table.model()->headerData(column, Qt::Horizontal).toString();
        QAction *const action = menu->addAction(title.isEmpty() ? tr("(no title)") : title);
        const bool isShown = !m_table.isColumnHidden(column);
        action->setCheckable(true);
        action->setChecked(isShown);
        action->setEnabled(!isShown || shown > 1);
        connect(action, &QAction::toggled, &m_table,
                [this, column](bool wanted) { m_table.chooseColumn(column, wanted); });
    }
    menu->addSeparator();
    connect(menu->addAction(tr("As the &width allows")), &QAction::triggered, &m_table, &TableView::forgetChoices);
    menu->popup(header->mapToGlobal(position));
}

TextTable TableActions::text(bool selectedOnly) const
{
    TextTable table;
    const QAbstractItemModel &model = *m_table.model();
    QList<int> columns;
    for (int place = 0; place < m_table.header()->count(); ++place) {
        const int column = m_table.header()->logicalIndex(place);
        if (m_table.isColumnHidden(column))
            continue;
        columns.append(column);
        table.titles.append(model.headerData(column, Qt::Horizontal).toString());
    }
    for (QModelIndex row = model.index(0, 0); row.isValid(); row = m_table.indexBelow(row)) {
        if (selectedOnly && !m_table.selectionModel()->isSelected(row))
            continue;
        QVariantList cells;
        for (const int column : std::as_const(columns))
            cells.append(row.siblingAtColumn(column).data());
        table.rows.append(cells);
    }
    return table;
}

void TableActions::askWhereToExport()
{
    auto *const dialog = new QFileDialog(&m_table, tr("Export the table"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    QStringList filters;
    for (const FileKind &kind : fileKinds())
        filters << kind.filter;
    dialog->setNameFilters(filters);
    dialog->setDefaultSuffix(fileKinds().front().suffix);
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString &filter) {
        for (const FileKind &kind : fileKinds()) {
            if (kind.filter == filter)
                dialog->setDefaultSuffix(kind.suffix);
        }
    });
    connect(dialog, &QFileDialog::fileSelected, &m_table, [this](const QString &path) {
        TableFormat format = TableFormat::Csv;
        for (const FileKind &kind : fileKinds()) {
            if (path.endsWith(u'.' + kind.suffix, Qt::CaseInsensitive))
                format = kind.format;
        }
        if (const QString why = exportTo(path, format); !why.isEmpty())
            complain(&m_table, tr("Export the table"), tr("The table was not exported."), {why});
    });
    dialog->open();
}

QString TableActions::exportTo(const QString &path, TableFormat format) const
{
    const QString why = writeFile(path, tableText(text(false), format).toUtf8());
    return why.isEmpty() ? QString() : tr("Cannot write %1: %2").arg(path, why);
}

} // namespace drover::gui
