#include "gui/workspace/navigation.h"

#include "gui/shell/action_registry.h"
#include "gui/shell/command_palette.h"
#include "gui/shell/page.h"
#include "gui/shell/shell.h"
#include "gui/widgets/icon.h"
#include "gui/workspace/entity_finder.h"

#include <QAction>

namespace drover::gui {

Navigation::Navigation(Shell &shell, ActionRegistry &actions, const ConsoleModels &models)
    : m_shell(shell), m_models(models)
{
    QAction *const back = actions.add("go.back", lineIcon(QStringLiteral("back")), tr("&Back"), Qt::ALT | Qt::Key_Left,
                                      [this] { m_shell.move(-1); });
    QAction *const forward = actions.add("go.forward", lineIcon(QStringLiteral("forward")), tr("&Forward"),
                                         Qt::ALT | Qt::Key_Right, [this] { m_shell.move(1); });
    const auto enable = [this, back, forward] {
        back->setEnabled(m_shell.canMove(-1));
        forward->setEnabled(m_shell.canMove(1));
    };
    connect(&shell, &Shell::visitsChanged, this, enable);
    enable();
}

void Navigation::addPages(ActionRegistry &actions)
{
    int number = 0;
    for (Page *const page : m_shell.pages()) {
        const Qt::Key digit = Qt::Key(Qt::Key_0 + ++number % 10); // the tenth has 0
        const QKeySequence key = number <= 10 ? QKeySequence(Qt::CTRL | digit) : QKeySequence();
        actions.add(qPrintable(u"page."_qs + page->name()), lineIcon(page->name()),
                    tr("Go to %1", "a page").arg(page->title()), key, [this, page] {
                        m_shell.present();
                        m_shell.goTo(page);
                    });
    }
}

void Navigation::furnish(CommandPalette &palette)
{
    palette.setFinder([this](const QString &typed) { return findEntities(m_models, typed); });
    connect(&palette, &CommandPalette::entityWanted, &m_shell, &Shell::goToEntity);
}

} // namespace drover::gui
