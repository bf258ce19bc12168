#include "gui/pages/locks_page.h"

#include "gui/data/lock_node.h"
#include "gui/models/lock_model.h"
#include "gui/shell/gateway.h"
#include "gui/text/counted.h"
#include "gui/text/format.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/verb_row.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QAction>
#include <QHBoxLayout>
#include <QItemSelectionModel>

namespace drover::gui {

LocksPage::LocksPage(LockModel &model, ActionRegistry &actions)
    : TablePage(QStringLiteral("locks"), tr("Locks"), new TableView(&model, LockModel::Place), actions), m_model(model),
      m_notice(new Notice(nullptr, Tone::Bad)),
      m_ask(new QAction(lineIcon(QStringLiteral("unlocked")), tr("&Ask to let go…"), this)),
      m_break(new QAction(lineIcon(QStringLiteral("cancel")), tr("&Break…"), this)),
      m_limit(new QAction(tr("Set the &limit…"), this)),
      m_search(new QAction(lineIcon(QStringLiteral("search")), tr("&Search the tree"), this)), m_found(plainLabel())
{
    QHBoxLayout *const bar = layOut(tr("Filter locks"), m_notice);
    m_found->setForegroundRole(QPalette::PlaceholderText);
    bar->addWidget(m_found);
    auto *const verbs = new VerbRow;
    verbs->add(m_search);
    verbs->add(m_ask, {}, tr("Select a holder or a waiter that can be asked"));
    verbs->add(m_break, {}, tr("Select a row that is certainly a holder or a waiter"));
    verbs->add(m_limit, {}, tr("Select a row of a limit"));
    bar->addWidget(verbs);
    table().setAccessibleName(tr("Locks"));
    table().setColumnWidths({26, 16, 15, 0, 20, 13, 9, 13});
    constexpr int NameOfHolder = 30; // characters: a user, a host and a command, or a worker and its job
    table().setSpareColumns({LockModel::Since, LockModel::Fence, LockModel::Session, LockModel::Kind}, NameOfHolder);
    table().setTextElideMode(Qt::ElideMiddle); // a path ends in the name, and a holder in the number
    connect(&m_clock, &QTimer::timeout, table().viewport(), qOverload<>(&QWidget::update)); // of each row that is seen
    m_clock.setInterval(std::chrono::seconds(1));
    showEntities(EntityRef::Kind::Lock, &table());
    inspectOnActivation();
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(&model, signal, this, &LocksPage::count);
    connect(&model, &LockModel::deadlocksChanged, this, &LocksPage::warn);
    addVerbs();
}

void LocksPage::addVerbs()
{
    m_ask->setToolTip(tr("Asks the program that holds or awaits the lock; it decides"));
    addVerb("lock.ask", m_ask, {}, Gateway::toShare());
    addVerb("lock.break", m_break, {}, Gateway::toShare());
    m_limit->setToolTip(tr("How many of the jobs that ask for the limit may run at a time"));
    addVerb("lock.limit", m_limit, {}, Gateway::toShare());
    m_search->setToolTip(
        tr("Finds the locks, elections and semaphores of other programs, and those of other clusters"));
    addVerb("lock.search", m_search);
    connect(m_search, &QAction::triggered, this, [this] {
        if (m_searches)
            Q_EMIT stopWanted();
        else
            Q_EMIT searchWanted();
    });
    connect(m_ask, &QAction::triggered, this, [this] { Q_EMIT askWanted(*selected()); });
    connect(m_break, &QAction::triggered, this, [this] { Q_EMIT breakWanted(*selected()); });
    connect(m_limit, &QAction::triggered, this, [this] { Q_EMIT limitWanted(*current()); });
    connect(table().selectionModel(), &QItemSelectionModel::selectionChanged, this, &LocksPage::updateVerbs);
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(&m_model, signal, this, &LocksPage::updateVerbs);
    connect(&m_model, &QAbstractItemModel::dataChanged, this, &LocksPage::updateVerbs);
    updateVerbs();
}

void LocksPage::showSearch(const LockSearchReport &report)
{
    m_searches = report.running;
    m_search->setText(m_searches ? tr("&Stop the search") : tr("&Search the tree"));
    QStringList said;
    if (report.visited > 0)
        said << tr("%1 in the tree, of %2")
                    .arg(counted(report.locks, Things::Locks), counted(report.visited, Things::Nodes));
    if (report.unreadable > 0)
        said << tr("%1 cannot be read").arg(text::formatCount(report.unreadable));
    if (!report.end.isEmpty())
        said << report.end;
    m_found->setText(said.join(QStringLiteral("; ")));
}

const LockRow *LocksPage::current() const
{
    const int row = selectedRow();
    return row < 0 ? nullptr : &m_model.row(row);
}

const LockRow *LocksPage::selected() const
{
    const LockRow *const contender = current();
    return !contender || contender->place < 0 || contender->directory.isEmpty() ? nullptr : contender;
}

void LocksPage::updateVerbs()
{
    const LockRow *const contender = selected();
    m_ask->setEnabled(contender && canBeAsked(*contender));
    m_break->setEnabled(contender && isCertainPlace(*contender));
    const bool takesOut = contender && isMember(*contender);
    m_break->setText(takesOut ? tr("Take &out…") : tr("&Break…"));
    m_break->setToolTip(takesOut ? tr("Deletes the znode of the member: it does not count any more")
                                 : tr("Deletes the znode of the holder, whether its program notices or not"));
    m_limit->setEnabled(current() && !nameOfLimit(*current()).isEmpty());
}

void LocksPage::warn()
{
    QStringList sentences;
    for (const Deadlock &deadlock : m_model.deadlocks()) {
        sentences << tr("Deadlock: %1.", "the locks of a circle").arg(deadlock.path());
        for (const LockRow &row : deadlock.waiting)
            sentences << tr("“%1” waits for %2.", "owner, lock")
                             .arg(text::printable(ownWordsOf(row).left(80)), text::printable(row.lock));
        sentences << tr("One of them has to be ended.");
    }
    m_notice->say(sentences.join(u' '));
    count();
}

void LocksPage::count()
{
    const qsizetype deadlocks = m_model.deadlocks().size();
    if (deadlocks > 0)
        return setBadge({shortCount(deadlocks) + u'!', counted(deadlocks, Things::Deadlocks), Tone::Bad});
    const qint64 locks = m_model.lockCount();
    setBadge({locks > 0 ? shortCount(locks) : QString(), counted(locks, Things::Locks), Tone::Muted});
}

void LocksPage::activate()
{
    TablePage::activate();
    m_clock.start();
}

void LocksPage::deactivate()
{
    TablePage::deactivate();
    m_clock.stop();
}

QString LocksPage::whenEmpty(const ConnectionState &state) const
{
    return tr("No locks.\nTake one: %1 NAME -- COMMAND")
        .arg(state.commandFor({QStringLiteral("drover"), QStringLiteral("lock")}));
}

} // namespace drover::gui
