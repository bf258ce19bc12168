#pragma once

#include "gui/znodes/node_change_dialog.h"

class QCheckBox;
class QLineEdit;
class QPlainTextEdit;

namespace drover::gui {

// A new persistent node. Ephemeral ones are not offered: they would go with the console.
class CreateDialog final : public NodeChangeDialog
{
    Q_OBJECT

public:
    CreateDialog(const zk::Path &parentNode, QWidget *parent);

Q_SIGNALS:
    void wanted(const drover::gui::NewNode &node);

protected:
    void confirm() override;

private:
    zk::Path m_parentNode;
    QLineEdit *m_name;
    QPlainTextEdit *m_data;
    QCheckBox *m_sequential;
};

} // namespace drover::gui
