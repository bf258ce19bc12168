#pragma once

#include "gui/data/znode_edits.h"

#include <QDialog>

class QFormLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace drover::gui {

// A change of znodes that the user is about to make, which looks as a ChangeDialog does. It closes once it is carried
// out. A refusal, or the end of the session, is said below what was typed, which stays.
class NodeChangeDialog : public QDialog
{
    Q_OBJECT

public:
    NodeChangeDialog(const QString &title, const QString &confirm, QWidget *parent);

    // The answer to the request that the dialog has asked for.
    virtual void take(const ZnodeAnswer &answer);

Q_SIGNALS:
    void carriedOut(const QString &text);

protected:
    QVBoxLayout *body() const { return m_body; }
    void addRow(const QString &label, QWidget *field); // to a form at the top of the body
    // A text with the path of a node, elided in the middle if it would make the dialog too wide. The label has all of
    // it as its tool tip.
    static QLabel *pathLabel(const QString &text, const QFont &font);
    static QString elided(const QString &text, const QFont &font);
    QPushButton *confirmButton() const { return m_confirm; }
    void say(const QString &trouble); // empty: nothing
    void setWaiting(bool waiting); // for the answer: it cannot be confirmed again
    bool isWaiting() const { return m_waiting; }
    void setConfirmable(bool confirmable);
    virtual void confirm() = 0; // by its button

private:
    void showState();

    QVBoxLayout *m_body;
    QFormLayout *m_form;
    QLabel *m_trouble;
    QPushButton *m_confirm;
    bool m_waiting = false;
    bool m_confirmable = true;
};

} // namespace drover::gui
