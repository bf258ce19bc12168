#pragma once

#include "gui/widgets/theme.h"

#include <QMenu>

class QActionGroup;
class QSettings;

namespace drover::gui {

class ActionRegistry;

// The choice of the theme, as a menu. It is remembered unless it is for this time alone.
class ThemeMenu final : public QMenu
{
    Q_OBJECT

public:
    ThemeMenu(ActionRegistry &actions, QWidget *parent);

    void choose(ThemeChoice choice);
    void chooseOnce(ThemeChoice choice);
    void saveTo(QSettings &settings) const;
    void restoreFrom(const QSettings &settings);

private:
    QActionGroup *m_group;
    ThemeChoice m_saved = ThemeChoice::System;
};

} // namespace drover::gui
