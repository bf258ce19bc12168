#include "gui/workspace/menus.h"

#include "gui/shell/action_registry.h"
#include "gui/shell/page.h"
#include "gui/shell/shell.h"

#include <QCoreApplication>
#include <QMenu>
#include <QWidget>

namespace drover::gui {

namespace {

struct MenuTexts {
    Q_DECLARE_TR_FUNCTIONS(Menus)
};

} // namespace

QList<QMenu *> newMenus(QWidget &owner, Shell &shell, const ActionRegistry &actions, QMenu *colors,
                        const QList<QMenu *> &looks)
{
    QList<QMenu *> menus;
    const auto add = [&](const QString &title, const QStringList &names) {
        menus.append(new QMenu(title, &owner));
        actions.fill(*menus.back(), names);
        return menus.back();
    };
    QMenu *const console = add(MenuTexts::tr("&Console"),
                               {QStringLiteral("job.submit"), QStringLiteral("window.commands"), QString(),
                                QStringLiteral("connection.edit"), QStringLiteral("connection.credentials")});
    console->addMenu(colors);
    actions.fill(
        *console,
        {QString(), QStringLiteral("tab.new"), QStringLiteral("tab.close"), QString(), QStringLiteral("window.quit")});
    QMenu *const view = add(MenuTexts::tr("&View"), {});
    std::vector<std::pair<Page *, QMenu *>> ofPages;
    for (Page *const page : shell.pages()) {
        actions.fill(*view, {u"page."_qs + page->name()});
        QMenu *const menu = add(page->title(), {});
        menu->setToolTipsVisible(true);
        menu->addActions(actions.of(page));
        ofPages.emplace_back(page, menu);
    }
    view->addSeparator();
    actions.fill(*view,
                 {QStringLiteral("go.back"), QStringLiteral("go.forward"), QStringLiteral("page.window"),
                  QStringLiteral("window.inspector"), QString(), QStringLiteral("tab.next"),
                  QStringLiteral("tab.previous")});
    for (QMenu *const look : looks)
        view->addMenu(look);
    add(MenuTexts::tr("&Help"), {QStringLiteral("help.about"), QStringLiteral("help.qt")});
    const auto showMenuOf = [ofPages](const Page *current) {
        for (const auto &[page, menu] : ofPages)
            menu->menuAction()->setVisible(page == current && !menu->isEmpty());
    };
    QObject::connect(&shell, &Shell::currentChanged, &owner, showMenuOf);
    showMenuOf(shell.current());
    return menus;
}

} // namespace drover::gui
