#include "gui/znodes/search_panel.h"

#include "gui/text/counted.h"
#include "gui/text/marks.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/table_view.h"
#include "gui/znodes/finding_model.h"
#include "text/quantity.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace drover::gui {

SearchPanel::SearchPanel(QWidget *parent)
    : QWidget(parent), m_findings(new FindingModel(this)), m_text(new QLineEdit), m_scope(new QComboBox),
      m_previous(new QPushButton(tr("Previous"))), m_next(new QPushButton(tr("Next"))),
      m_stop(new QPushButton(tr("Cancel"))), m_about(plainLabel()), m_list(new TableView(m_findings, -1))
{
    m_text->setPlaceholderText(tr("Find"));
    m_text->setAccessibleName(tr("Text to find"));
    m_text->setClearButtonEnabled(true);
    m_scope->addItems({tr("among its siblings"), tr("in names below it"), tr("in data below it")});
    m_scope->setAccessibleName(tr("Where to find it"));
    m_about->setForegroundRole(QPalette::PlaceholderText);
    m_about->setWordWrap(true);
    m_list->setAccessibleName(tr("Nodes that were found"));
    m_list->setColumnWidths({0, 30});
    m_list->sortByColumn(FindingModel::Path, Qt::AscendingOrder);
    m_list->setRootIsDecorated(false);
    m_list->setAwake(true);
    auto *const fields = new QHBoxLayout;
    fields->addWidget(m_text, 1);
    fields->addWidget(m_scope);
    auto *const buttons = new QHBoxLayout;
    buttons->addWidget(m_about, 1);
    for (QPushButton *const button : {m_previous, m_next, m_stop}) {
        button->setAutoDefault(false);
        buttons->addWidget(button);
    }
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(8, 6, 8, 6);
    column->addLayout(fields);
    column->addLayout(buttons);
    column->addWidget(m_list, 1);
    connect(m_text, &QLineEdit::returnPressed, this, [this] { go(false); });
    connect(m_next, &QPushButton::clicked, this, [this] { go(false); });
    connect(m_previous, &QPushButton::clicked, this, [this] { go(true); });
    connect(m_stop, &QPushButton::clicked, this, &SearchPanel::stop);
    connect(m_scope, &QComboBox::currentIndexChanged, this, &SearchPanel::showScope);
    connect(m_list, &QAbstractItemView::activated, this, [this](const QModelIndex &index) {
        if (const int row = m_list->sourceRow(index); row >= 0)
            Q_EMIT chosen(m_findings->path(row));
    });
    showScope();
    hide();
}

SearchPanel::Scope SearchPanel::scope() const
{
    return Scope(m_scope->currentIndex());
}

void SearchPanel::open(Scope scope)
{
    m_scope->setCurrentIndex(int(scope));
    show();
    m_text->setFocus(Qt::ShortcutFocusReason);
    m_text->selectAll();
}

void SearchPanel::setPlace(const zk::Path &selected, const QByteArrayList &siblings)
{
    m_selected = selected;
    m_siblings = siblings;
}

void SearchPanel::showScope()
{
    const bool among = scope() == Siblings;
    m_previous->setVisible(among);
    m_next->setText(among ? tr("Next") : tr("Search"));
    m_list->setVisible(!among);
    m_list->showColumn(FindingModel::Excerpt, scope() == DataBelow);
    m_stop->setVisible(!among && m_running);
    m_next->setVisible(among || !m_running);
    if (!m_running)
        m_about->clear();
}

void SearchPanel::go(bool backwards)
{
    if (m_text->text().isEmpty())
        m_about->setText(tr("Enter the text to find."));
    else if (scope() == Siblings)
        findSibling(backwards);
    else
        search();
}

// The next sibling in the order of the tree, around the end.
void SearchPanel::findSibling(bool backwards)
{
    const QString wanted = m_text->text();
    std::vector<qsizetype> fitting;
    for (qsizetype i = 0; i < m_siblings.size(); ++i) {
        if (QString::fromUtf8(m_siblings[i]).contains(wanted, Qt::CaseInsensitive))
            fitting.push_back(i);
    }
    if (fitting.empty())
        return m_about->setText(
            tr("None of %1 siblings has that in its name.").arg(text::formatCount(m_siblings.size())));
    const auto place = std::lower_bound(m_siblings.begin(), m_siblings.end(), m_selected.name()) - m_siblings.begin();
    auto found = backwards ? std::lower_bound(fitting.begin(), fitting.end(), place)
                           : std::upper_bound(fitting.begin(), fitting.end(), place);
    if (backwards)
        found = found == fitting.begin() ? fitting.end() - 1 : found - 1;
    else if (found == fitting.end())
        found = fitting.begin();
    m_about->setText(
        tr("%1 of %2", "place among those found, their number")
            .arg(text::formatCount(found - fitting.begin() + 1), text::formatCount(qint64(fitting.size()))));
    Q_EMIT chosen(m_selected.parent() / m_siblings[*found]);
}

void SearchPanel::search()
{
    m_findings->clear();
    m_below = m_selected;
    m_running = true;
    showScope();
    m_about->setText(tr("Searching…"));
    Q_EMIT searchWanted(
        {m_below, m_text->text(), scope() == DataBelow ? ZnodeQuery::Where::Data : ZnodeQuery::Where::Names});
}

void SearchPanel::showReport(const ZnodeSearchReport &report)
{
    if (!m_running)
        return;
    m_findings->add(report.found);
    m_running = report.running;
    showScope();
    QStringList sentences{tr("%1 found in %2 below %3.", "number, “20 nodes”, path")
                              .arg(text::formatCount(m_findings->rowCount()), counted(report.visited, Things::Nodes),
                                   marked(m_below.bytes()))};
    if (report.unreadable > 0)
        sentences << tr("No permission to read %1.").arg(counted(report.unreadable, Things::Nodes));
    if (!report.end.isEmpty())
        sentences << report.end;
    else if (report.running)
        sentences << tr("Searching…");
    m_about->setText(sentences.join(u' '));
}

void SearchPanel::keyPressEvent(QKeyEvent *event)
{
    if (event->key() != Qt::Key_Escape)
        return QWidget::keyPressEvent(event);
    if (m_running)
        stop();
    else
        close();
}

void SearchPanel::close()
{
    hide();
    Q_EMIT closed();
}

} // namespace drover::gui
