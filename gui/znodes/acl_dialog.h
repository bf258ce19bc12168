#pragma once

#include "gui/data/znode_about.h"
#include "gui/znodes/node_change_dialog.h"

class QLabel;
class QPlainTextEdit;

namespace drover::gui {

// Edits an ACL: one entry a line, as ZooKeeper's own client writes them, with the same in words beside it.
class AclDialog final : public NodeChangeDialog
{
    Q_OBJECT

public:
    AclDialog(const ZnodeAbout &about, QWidget *parent);

Q_SIGNALS:
    void wanted(const drover::gui::AclEdit &edit);

protected:
    void confirm() override;

private:
    void showWords();

    ZnodeAbout m_about;
    zk::AclList m_acl; // as typed; empty: not valid
    QPlainTextEdit *m_entries;
    QLabel *m_words;
};

} // namespace drover::gui
