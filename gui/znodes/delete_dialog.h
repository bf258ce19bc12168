#pragma once

#include "gui/znodes/node_change_dialog.h"

class QLabel;
class QLineEdit;

namespace drover::gui {

// Deletes a node with all below it. It counts them first, and says how many nodes and bytes go. In the directories of
// Drover the node's name has to be typed.
class DeleteDialog final : public NodeChangeDialog
{
    Q_OBJECT

public:
    DeleteDialog(const zk::Path &path, QWidget *parent);

    void take(const ZnodeAnswer &answer) override; // first the count

Q_SIGNALS:
    void wanted(const drover::zk::Path &path, qint64 nodes);

protected:
    void confirm() override;

private:
    void check();

    zk::Path m_path;
    qint64 m_nodes = 0; // 0: not counted yet
    QLabel *m_about;
    QLineEdit *m_name; // null: nothing has to be typed
};

} // namespace drover::gui
