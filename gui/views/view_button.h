#pragma once

#include "gui/views/saved_view.h"

#include <QPointer>
#include <QPushButton>

#include <functional>

namespace drover::gui {

class ChangeDialog;
class GroupMenu;
class JobPane;
class SavedViews;

// The saved views of the table of jobs, as a button with a menu. It names the view that was chosen last; a star says
// that the table shows something else now. The view itself changes only when the user saves the changes.
class ViewButton final : public QPushButton
{
    Q_OBJECT

public:
    // Both outlive it.
    ViewButton(JobPane &pane, SavedViews &views);

    // The cluster whose views the menu offers; a cluster without servers has none. A view of another is chosen no more.
    void setTarget(const Target &target);
    const QString &chosen() const { return m_chosen; } // its name; empty: none
    void setChosen(const QString &name); // without a change of what the table shows
    bool isChanged() const { return m_isChanged; }

    struct Verb {
        const char *name; // of the registry
        QAction *action;
    };
    const QList<Verb> &verbs() const { return m_verbs; }
    const GroupMenu &groups() const { return *m_groups; }
    // One for each view, which shows it. Later ones replace them, and these are destroyed.
    const QList<QAction *> &ofViews() const { return m_ofViews; }

Q_SIGNALS:
    void said(const QString &text); // why a view is not shown; empty: nothing is wrong
    void listed(); // ofViews() has others

private:
    QAction *addVerb(const char *name, const QString &text, void (ViewButton::*act)());
    void list();
    void fillMenu();
    void compare();
    void choose(const QString &name);
    void showAll();
    void save();
    void askToSave();
    void askToRename();
    void askToRemove();
    void askForName(ChangeDialog *dialog, const QString &name, std::function<void(const QString &name)> then);
    ShownJobs shown() const;
    void apply(const ShownJobs &jobs);

    JobPane &m_pane;
    SavedViews &m_views;
    Target m_target;
    QString m_chosen;
    bool m_isChanged = false;
    QMenu *m_menu;
    QList<Verb> m_verbs;
    GroupMenu *m_groups;
    QAction *m_all;
    QAction *m_save;
    QAction *m_saveAs;
    QAction *m_rename;
    QAction *m_remove;
    QList<QAction *> m_ofViews;
    QPointer<ChangeDialog> m_dialog; // about a view of this target
};

} // namespace drover::gui
