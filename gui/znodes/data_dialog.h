#pragma once

#include "gui/znodes/node_change_dialog.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;

namespace drover::gui {

class DiffView;

// Edits the data of a node: the text, then what changes, then the write. Data that are not text are edited as base64.
//
// The write names the version that the text is based on. If another client was faster, nothing is written. The dialog
// shows what that client has changed, and offers three ways: to edit on, to take the other data, and to write over
// them. The last two are based on the version that is seen then.
class DataDialog final : public NodeChangeDialog
{
    Q_OBJECT

public:
    DataDialog(const ZnodeContents &contents, QWidget *parent);

    void take(const ZnodeAnswer &answer) override;

Q_SIGNALS:
    void wanted(const drover::gui::DataEdit &edit);

protected:
    void confirm() override;

private:
    void review();
    void editOn();
    void takeTheirs();
    void writeOver();
    QString shownText(const QByteArray &bytes) const;

    ZnodeContents m_base; // that the text is based on
    bool m_isText;
    QStackedWidget *m_steps;
    QPlainTextEdit *m_editor;
    QLabel *m_about;
    DiffView *m_diff;
    QPushButton *m_edit;
    QPushButton *m_theirs;
    QPushButton *m_over;
};

} // namespace drover::gui
