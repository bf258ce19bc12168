#include "gui/views/view_button.h"

#include "gui/text/format.h"
#include "gui/views/group_menu.h"
#include "gui/views/saved_views.h"
#include "gui/widgets/change_dialog.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/job_pane.h"
#include "gui/widgets/table_view.h"
#include "text/printable.h"

#include <QAction>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>

namespace drover::gui {

namespace {

constexpr int WidestName = 18; // average characters on the button

// An ampersand of a name is no mnemonic.
QString labelOf(const QString &name)
{
    return text::printable(name).replace(u'&', QStringLiteral("&&"));
}

} // namespace

ViewButton::ViewButton(JobPane &pane, SavedViews &views)
    : m_pane(pane), m_views(views), m_menu(new QMenu(this)), m_groups(new GroupMenu(pane, this)),
      m_all(addVerb("job.view-all", tr("Show &all jobs"), &ViewButton::showAll)),
      m_save(addVerb("job.view-save", tr("Save the changes of the &view"), &ViewButton::save)),
      m_saveAs(addVerb("job.view-save-as", tr("&Save as a view…"), &ViewButton::askToSave)),
      m_rename(addVerb("job.view-rename", tr("Re&name the view…"), &ViewButton::askToRename)),
      m_remove(addVerb("job.view-remove", tr("&Delete the view…"), &ViewButton::askToRemove))
{
    setObjectName(QStringLiteral("views"));
    setMenu(m_menu);
    m_menu->setToolTipsVisible(true);
    connect(m_menu, &QMenu::aboutToShow, this, &ViewButton::fillMenu);
    connect(&pane, &JobPane::filterChanged, this, &ViewButton::compare);
    connect(&pane, &JobPane::groupingChanged, this, &ViewButton::compare);
    connect(&pane.table(), &TableView::columnsChosen, this, &ViewButton::compare);
    connect(pane.table().header(), &QHeaderView::sortIndicatorChanged, this, &ViewButton::compare);
    connect(&views, &SavedViews::changed, this, &ViewButton::list);
    list();
}

QAction *ViewButton::addVerb(const char *name, const QString &text, void (ViewButton::*act)())
{
    auto *const action = new QAction(text, this);
    connect(action, &QAction::triggered, this, act);
    m_verbs.append({name, action});
    return action;
}

void ViewButton::setTarget(const Target &target)
{
    if (target.connect.isEmpty() || target == m_target)
        return;
    if (!m_target.connect.isEmpty()) // at the start the last one is still chosen
        m_chosen.clear();
    m_target = target;
    delete m_dialog;
    list();
}

void ViewButton::setChosen(const QString &name)
{
    m_chosen = name;
    compare();
}

void ViewButton::list()
{
    qDeleteAll(m_ofViews);
    m_ofViews.clear();
    const QStringList names = m_views.namesOf(m_target);
    for (const QString &name : names) {
        auto *const action =
            new QAction(lineIcon(QStringLiteral("view")), tr("Show the view “%1”").arg(labelOf(name)), this);
        action->setObjectName(QStringLiteral("job.view.") + name);
        connect(action, &QAction::triggered, this, [this, name] { choose(name); });
        m_ofViews.append(action);
    }
    Q_EMIT listed();
    compare();
}

void ViewButton::fillMenu()
{
    m_menu->clear();
    m_menu->addAction(m_all);
    const QStringList names = m_views.namesOf(m_target);
    if (!names.isEmpty())
        m_menu->addSeparator();
    for (const QString &name : names) {
        const bool isChosen = name == m_chosen;
        QAction *const action =
            m_menu->addAction(isChosen && m_isChanged ? tr("%1 (changed)", "a view").arg(labelOf(name)) : labelOf(name),
                              this, [this, name] { choose(name); });
        action->setCheckable(true);
        action->setChecked(isChosen);
    }
    m_menu->addSeparator();
    m_menu->addMenu(m_groups);
    m_menu->addSeparator();
    m_menu->addActions({m_save, m_saveAs, m_rename, m_remove});
}

// What the table shows with the view that was chosen.
void ViewButton::compare()
{
    const QByteArray stored = m_views.find(m_target, m_chosen);
    const ReadView read = readView(stored);
    if (stored.isEmpty() || !read.unknown.isEmpty()) {
        if (!m_target.connect.isEmpty())
            m_chosen.clear(); // it has gone, in another tab perhaps
    }
    const bool isChosen = !m_chosen.isEmpty() && !stored.isEmpty();
    m_isChanged = isChosen && read.shown != shown();
    m_save->setEnabled(m_isChanged);
    m_saveAs->setEnabled(!m_target.connect.isEmpty());
    m_rename->setEnabled(isChosen);
    m_remove->setEnabled(isChosen);
    const QString name = text::printable(m_chosen);
    const int widest = fontMetrics().averageCharWidth() * WidestName;
    setText(isChosen ? labelOf(fontMetrics().elidedText(name, Qt::ElideRight, widest))
                    + (m_isChanged ? QStringLiteral(" *") : QString())
                     : tr("Vie&ws"));
    const QString words = !isChosen ? tr("Views of the jobs that are saved for this cluster")
        : m_isChanged               ? tr("The view “%1”, changed since it was saved").arg(name)
                                    : tr("The view “%1”").arg(name);
    setToolTip(plainToolTip(words));
    setAccessibleName(words);
}

void ViewButton::choose(const QString &name)
{
    const ReadView read = readView(m_views.find(m_target, name));
    QString unknown = read.unknown;
    if (unknown.isEmpty() && !JobPane::offers(read.shown.search.states)) {
        QStringList states;
        for (const jobs::JobState state : read.shown.search.states)
            states << jobs::stateName(state);
        unknown = states.join(QStringLiteral(", "));
    }
    if (!unknown.isEmpty()) {
        Q_EMIT said(
            tr("The view “%1” is not shown: this version does not understand its filter (%2). The view stays as "
               "it is.")
                .arg(text::printable(name), text::printable(unknown)));
        return;
    }
    Q_EMIT said({});
    m_chosen = name;
    apply(read.shown);
}

void ViewButton::showAll()
{
    Q_EMIT said({});
    m_chosen.clear();
    apply({});
}

ShownJobs ViewButton::shown() const
{
    const TableView &table = m_pane.table();
    return {m_pane.search(), table.header()->sortIndicatorSection(), table.header()->sortIndicatorOrder(),
            m_pane.grouping(), table.columnChoices()};
}

void ViewButton::apply(const ShownJobs &jobs)
{
    m_pane.setSearch(jobs.search);
    m_pane.table().sortByColumn(jobs.column, jobs.order);
    m_pane.table().setColumnChoices(jobs.columns);
    m_pane.group(jobs.grouping);
    compare();
}

void ViewButton::save()
{
    m_views.put(m_target, m_chosen, storedView(shown(), m_views.find(m_target, m_chosen)));
}

void ViewButton::askToSave()
{
    m_dialog =
        new ChangeDialog(tr("Save a view"),
                         {tr("Save what the table shows as a view?"),
                          m_views.namesOf(m_target).size() < SavedViews::Most
                              ? tr("A view has the filter, the order, the groups and the chosen columns. It is kept "
                                   "for this cluster.")
                              : tr("There are %1 views already: delete one first.").arg(SavedViews::Most),
                          tr("Save it"), tr("Do not save it")},
                         this);
    askForName(m_dialog, {}, [this](const QString &name) {
        m_chosen = name;
        m_views.put(m_target, name, storedView(shown()));
    });
}

void ViewButton::askToRename()
{
    m_dialog = new ChangeDialog(
        tr("Rename a view"),
        {tr("Rename the view “%1”?").arg(text::printable(m_chosen)), {}, tr("Rename it"), tr("Leave it")}, this);
    askForName(m_dialog, m_chosen, [this, from = m_chosen](const QString &name) {
        if (m_chosen == from)
            m_chosen = name;
        m_views.rename(m_target, from, name);
    });
}

void ViewButton::askToRemove()
{
    m_dialog = new ChangeDialog(tr("Delete a view"),
                                {tr("Delete the view “%1”?").arg(text::printable(m_chosen)),
                                 tr("The table goes on to show what it shows now."), tr("Delete it"), tr("Keep it")},
                                this);
    m_dialog->makeDangerous();
    connect(m_dialog, &QDialog::accepted, this, [this, name = m_chosen] { m_views.remove(m_target, name); });
    m_dialog->open();
}

void ViewButton::askForName(ChangeDialog *dialog, const QString &name, std::function<void(const QString &name)> then)
{
    auto *const field = new QLineEdit(name);
    field->setMaxLength(int(SavedViews::MaxName));
    field->selectAll();
    dialog->addField(tr("&Name:"), field);
    dialog->require(field, [this, name](const QString &typed) {
        const bool isFull = name.isEmpty() && m_views.namesOf(m_target).size() >= SavedViews::Most;
        const bool isUnchanged = !name.isEmpty() && typed.trimmed() == name;
        const QString why = isUnchanged ? QString() : m_views.whyNot(m_target, typed);
        return isFull ? tr("There are too many views.") : why;
    });
    connect(dialog, &QDialog::accepted, this, [field, act = std::move(then)] { act(field->text().trimmed()); });
    dialog->open();
}

} // namespace drover::gui
