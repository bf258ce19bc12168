#pragma once

#include <QObject>

namespace drover::gui {

class ActionRegistry;
class CommandPalette;
struct ConsoleModels;
class Shell;

// Leads from one thing of the cluster to another, and back. It makes the actions "back" and "forward" and those of the
// pages, and finds for the palette by name.
class Navigation final : public QObject
{
    Q_OBJECT

public:
    // All of them outlive it.
    Navigation(Shell &shell, ActionRegistry &actions, const ConsoleModels &models);

    // An action for each page of the shell, of which the first ten have a digit.
    void addPages(ActionRegistry &actions);
    // Lets the palette find what the models know, and go there.
    void furnish(CommandPalette &palette);

private:
    Shell &m_shell;
    const ConsoleModels &m_models;
};

} // namespace drover::gui
