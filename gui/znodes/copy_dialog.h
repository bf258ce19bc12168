#pragma once

#include "gui/znodes/node_change_dialog.h"

class QLineEdit;

namespace drover::gui {

// Copies or moves a node with all below it to another path, which must not exist. The nodes keep their ACLs; ephemeral
// ones are left out of a copy.
class CopyDialog final : public NodeChangeDialog
{
    Q_OBJECT

public:
    CopyDialog(const zk::Path &path, bool move, QWidget *parent);

Q_SIGNALS:
    void wanted(const drover::gui::CopyOfNodes &copy);

protected:
    void confirm() override;

private:
    zk::Path m_path;
    bool m_move;
    QLineEdit *m_to;
};

} // namespace drover::gui
