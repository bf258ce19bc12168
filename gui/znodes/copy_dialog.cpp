#include "gui/znodes/copy_dialog.h"

#include "gui/text/marks.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"

#include <QLineEdit>
#include <QVBoxLayout>

namespace drover::gui {

CopyDialog::CopyDialog(const zk::Path &path, bool move, QWidget *parent)
    : NodeChangeDialog(move ? tr("Move a subtree") : tr("Copy a subtree"), move ? tr("Move") : tr("Copy"), parent),
      m_path(path), m_move(move), m_to(new QLineEdit(path.toString()))
{
    m_to->setFont(fixedFont());
    m_to->selectAll();
    addRow(tr("From"), pathLabel(marked(path.bytes()), font()));
    addRow(tr("&To"), m_to);
    QLabel *const rules = plainLabel(
        move
            ? tr("All below it moves too. The new path must not exist. ZooKeeper cannot rename: the nodes are created "
                 "anew, with their data and ACLs, and then the old ones are deleted.")
            : tr(
                "All below it is copied too, with data and ACLs. The new path must not exist. Ephemeral nodes are left "
                "out."));
    rules->setWordWrap(true);
    rules->setForegroundRole(QPalette::PlaceholderText);
    body()->addWidget(rules);
    body()->addStretch(1);
    resize(520, 180);
}

void CopyDialog::confirm()
{
    try {
        const zk::Path to(m_to->text().toUtf8());
        setWaiting(true);
        Q_EMIT wanted({m_path, to, m_move});
    } catch (const zk::InvalidPath &error) {
        say(marked(QString::fromUtf8(error.what())));
    }
}

} // namespace drover::gui
