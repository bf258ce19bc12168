#include "gui/window/look/theme_menu.h"

#include "gui/shell/action_registry.h"

#include <QActionGroup>
#include <QSettings>

namespace drover::gui {

ThemeMenu::ThemeMenu(ActionRegistry &actions, QWidget *parent)
    : QMenu(tr("&Theme"), parent), m_group(new QActionGroup(this))
{
    const std::tuple<ThemeChoice, const char *, QString> choices[] = {
        {ThemeChoice::System, "theme.system", tr("Theme as the &system")},
        {ThemeChoice::Light, "theme.light", tr("&Light theme")},
        {ThemeChoice::Dark, "theme.dark", tr("&Dark theme")}};
    for (const auto &[choice, name, text] : choices) {
        QAction *const action = actions.add(name, {}, text, {}, [this, chosen = choice] { choose(chosen); });
        action->setCheckable(true);
        action->setData(int(choice));
        m_group->addAction(action);
        addAction(action);
    }
    m_group->actions().front()->setChecked(true);
}

void ThemeMenu::choose(ThemeChoice choice)
{
    m_saved = choice;
    chooseOnce(choice);
}

void ThemeMenu::chooseOnce(ThemeChoice choice)
{
    applyTheme(choice);
    const QList<QAction *> actions = m_group->actions();
    for (QAction *const action : actions)
        action->setChecked(action->data().toInt() == int(choice));
}

void ThemeMenu::saveTo(QSettings &settings) const
{
    settings.setValue(QStringLiteral("window/theme"), int(m_saved));
}

void ThemeMenu::restoreFrom(const QSettings &settings)
{
    choose(ThemeChoice(settings.value(QStringLiteral("window/theme"), int(ThemeChoice::System)).toInt()));
}

} // namespace drover::gui
