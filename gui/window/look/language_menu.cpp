#include "gui/window/look/language_menu.h"

#include "gui/shell/action_registry.h"
#include "gui/translations/languages.h"

#include <QActionGroup>
#include <QSettings>

namespace drover::gui {

using namespace std::chrono_literals;

namespace {

const QString &key()
{
    static const QString name = QStringLiteral("window/language");
    return name;
}

} // namespace

LanguageMenu::LanguageMenu(ActionRegistry &actions, QWidget *parent)
    : QMenu(tr("&Language"), parent), m_group(new QActionGroup(this))
{
    const std::tuple<const char *, QString, QString> choices[] = {
        {"language.system", QString(), tr("Language of the s&ystem")},
        {"language.en", QStringLiteral("en"), QStringLiteral("&English")},
        {"language.zh_CN", QStringLiteral("zh_CN"), QStringLiteral("简体中文(&Z)")}};
    for (const auto &[name, language, text] : choices) {
        QAction *const action = actions.add(name, {}, text, {}, [this, chosen = language] { choose(chosen); });
        action->setCheckable(true);
        action->setData(language);
        m_group->addAction(action);
        addAction(action);
    }
    m_group->actions().front()->setChecked(true);
}

void LanguageMenu::choose(const QString &language)
{
    const QList<QAction *> actions = m_group->actions();
    for (QAction *const action : actions) {
        if (action->data().toString() != language)
            continue;
        action->setChecked(true);
        Q_EMIT said(tr("“%1” counts from the next start of the console on.").arg(action->text().remove(u'&')), 8s);
    }
}

void LanguageMenu::saveTo(QSettings &settings) const
{
    settings.setValue(key(), m_group->checkedAction()->data().toString());
}

QString LanguageMenu::saved(const QSettings &settings)
{
    const QString language = settings.value(key()).toString();
    return allLanguages().contains(language) ? language : QString();
}

void LanguageMenu::restoreFrom(const QSettings &settings)
{
    const QString language = saved(settings);
    const QList<QAction *> actions = m_group->actions();
    for (QAction *const action : actions)
        action->setChecked(action->data().toString() == language);
}

} // namespace drover::gui
