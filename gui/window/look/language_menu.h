#pragma once

#include <QMenu>

class QActionGroup;
class QSettings;

namespace drover::gui {

class ActionRegistry;

// The choice of the language, as a menu in which each is written in itself. It is remembered, and counts from the next
// start of the program on, because windows that are open stay as they are.
class LanguageMenu final : public QMenu
{
    Q_OBJECT

public:
    LanguageMenu(ActionRegistry &actions, QWidget *parent);

    void saveTo(QSettings &settings) const;
    void restoreFrom(const QSettings &settings);
    // The language that was chosen, as languages.h names it, or an empty text: that of the desktop.
    static QString saved(const QSettings &settings);

Q_SIGNALS:
    void said(const QString &text, std::chrono::milliseconds duration);

private:
    void choose(const QString &language);

    QActionGroup *m_group;
};

} // namespace drover::gui
