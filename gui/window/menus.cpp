#include "gui/window/menus.h"

#include "gui/shell/action_registry.h"
#include "gui/shell/page.h"
#include "gui/shell/shell.h"

#include <QCoreApplication>
#include <QMenuBar>

namespace drover::gui {

namespace {

struct MenuTexts {
    Q_DECLARE_TR_FUNCTIONS(Menus)
};

} // namespace

void fillMenus(QMenuBar &bar, Shell &shell, const ActionRegistry &actions, QMenu *colors, const QList<QMenu *> &looks)
{
    QMenu *const console = bar.addMenu(MenuTexts::tr("&Console"));
    actions.fill(*console,
                 {QStringLiteral("job.submit"), QStringLiteral("window.commands"), QString(),
                  QStringLiteral("connection.edit")});
    console->addMenu(colors);
    actions.fill(*console, {QString(), QStringLiteral("window.quit")});
    QMenu *const view = bar.addMenu(MenuTexts::tr("&View"));
    std::vector<std::pair<Page *, QMenu *>> ofPages;
    for (Page *const page : shell.pages()) {
        actions.fill(*view, {u"page."_qs + page->name()});
        QMenu *const menu = bar.addMenu(page->title());
        menu->setToolTipsVisible(true);
        menu->addActions(actions.of(page));
        ofPages.emplace_back(page, menu);
    }
    view->addSeparator();
    actions.fill(*view,
                 {QStringLiteral("go.back"), QStringLiteral("go.forward"), QStringLiteral("page.window"),
                  QStringLiteral("window.inspector")});
    for (QMenu *const look : looks)
        view->addMenu(look);
    actions.fill(*bar.addMenu(MenuTexts::tr("&Help")), {QStringLiteral("help.about"), QStringLiteral("help.qt")});
    const auto showMenuOf = [ofPages](const Page *current) {
        for (const auto &[page, menu] : ofPages)
            menu->menuAction()->setVisible(page == current && !menu->isEmpty());
    };
    QObject::connect(&shell, &Shell::currentChanged, &bar, showMenuOf);
    showMenuOf(shell.current());
}

} // namespace drover::gui
