#include "gui/shell/action_registry.h"

#include "gui/shell/gateway.h"
#include "gui/shell/page.h"
#include "gui/text/format.h"
#include "gui/widgets/action_button.h"
#include "gui/widgets/icon.h"

#include <QAction>
#include <QActionGroup>
#include <QHash>
#include <QMenu>

namespace drover::gui {

namespace {

// The icon of the action of that name, without ".svg"; empty: it has none.
QString iconOf(const QByteArray &name)
{
    static const QHash<QByteArray, QByteArray> icons{
        {"help.about", "about"},       {"job.cancel", "cancel"},      {"job.details", "details"},
        {"job.fold", "fold"},          {"job.hold", "hold"},          {"job.move", "move"},
        {"job.priority", "priority"},  {"job.release", "release"},    {"job.repeat", "repeat"},
        {"job.requeue", "requeue"},    {"job.signal", "signal"},      {"job.repeat-failed", "repeat"},
        {"job.view-remove", "delete"}, {"job.view-rename", "edit"},   {"job.view-save", "save"},
        {"job.view-save-as", "save"},  {"lock.limit", "limit"},       {"queue.limit", "limit"},
        {"queue.pause", "pause"},      {"queue.resume", "run"},       {"schedule.pause", "pause"},
        {"schedule.edit", "edit"},     {"schedule.remove", "delete"}, {"schedule.resume", "run"},
        {"schedule.run", "run"},       {"window.quit", "quit"},       {"worker.cordon", "cordon"},
        {"worker.drain", "drain"},     {"worker.launch", "launch"},   {"worker.uncordon", "uncordon"},
        {"worker.depose", "depose"},   {"znode.acl", "key"},          {"znode.compare", "compare"},
        {"znode.copy", "copy"},        {"znode.create", "plus"},      {"znode.delete", "delete"},
        {"znode.edit", "edit"},        {"znode.export", "export"},    {"znode.go", "go"},
        {"znode.import", "import"},    {"znode.move", "move"},
    };
    return QString::fromLatin1(icons.value(name.endsWith("-all") ? name.chopped(4) : name));
}

} // namespace

ActionRegistry::ActionRegistry(QWidget &window, const Gateway *gateway) : m_window(window), m_gateway(gateway)
{
    if (!gateway)
        return;
    connect(gateway, &Gateway::changed, this, [this] {
        for (const Entry &entry : std::as_const(m_entries))
            obey(entry);
    });
}

void ActionRegistry::add(const char *name, QAction *action, const QKeySequence &shortcut, Page *page, const Need &need)
{
    action->setObjectName(QLatin1String(name));
    action->setShortcut(shortcut);
    action->setAutoRepeat(false);
    if (const QString icon = iconOf(name); action->icon().isNull() && !icon.isEmpty())
        action->setIcon(lineIcon(icon));
    (page ? page : &m_window)->addAction(action);
    m_entries.append({action, page, need});
    connect(action, &QObject::destroyed, this,
            [this, action] { m_entries.removeIf([action](const Entry &entry) { return entry.action == action; }); });
    if (need) { // an action of a disabled group is disabled, whatever else enables it
        auto *const group = new QActionGroup(this);
        group->setExclusionPolicy(QActionGroup::ExclusionPolicy::None);
        group->addAction(action);
        obey(m_entries.back());
    }
}

void ActionRegistry::obey(const Entry &entry) const
{
    if (!entry.need || !m_gateway)
        return;
    const QString refusal = m_gateway->refusal(*entry.need);
    setNeedsEditing(*entry.action, m_gateway->waitsForEditing(*entry.need));
    entry.action->actionGroup()->setEnabled(refusal.isEmpty());
    entry.action->setToolTip(refusal.isEmpty() ? QString() : plainToolTip(refusal));
}

QAction *ActionRegistry::add(const char *name, const QIcon &icon, const QString &text, const QKeySequence &shortcut,
                             std::function<void()> act, const Need &need)
{
    auto *const action = new QAction(icon, text, this);
    connect(action, &QAction::triggered, this, std::move(act));
    add(name, action, shortcut, nullptr, need);
    return action;
}

void ActionRegistry::share(const ActionRegistry &other)
{
    m_entries += other.m_entries;
}

QAction *ActionRegistry::find(const QString &name) const
{
    for (const Entry &entry : m_entries) {
        if (entry.action->objectName() == name)
            return entry.action;
    }
    return nullptr;
}

QList<QAction *> ActionRegistry::of(const Page *page) const
{
    QList<QAction *> actions;
    for (const Entry &entry : m_entries) {
        if (entry.page == page)
            actions.append(entry.action);
    }
    return actions;
}

void ActionRegistry::fill(QMenu &menu, const QStringList &names) const
{
    menu.setToolTipsVisible(true);
    for (const QString &name : names) {
        if (name.isEmpty())
            menu.addSeparator();
        else if (QAction *const action = find(name))
            menu.addAction(action);
    }
}

} // namespace drover::gui
