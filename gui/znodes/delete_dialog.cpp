#include "gui/znodes/delete_dialog.h"

#include "gui/text/counted.h"
#include "gui/text/marks.h"
#include "gui/widgets/plain_text.h"
#include "gui/words/node_words.h"
#include "jobs/model/layout.h"
#include "text/quantity.h"

#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace drover::gui {

namespace {

bool isOfDrover(const zk::Path &path)
{
    const zk::Path clusters = jobs::Layout::clusters();
    return path == clusters || path.bytes().startsWith(clusters.bytes() + '/');
}

} // namespace

DeleteDialog::DeleteDialog(const zk::Path &path, QWidget *parent)
    : NodeChangeDialog(tr("Delete %1").arg(marked(path.bytes())), tr("Delete"), parent), m_path(path),
      m_about(plainLabel(tr("Counting…"))), m_name(isOfDrover(path) ? new QLineEdit : nullptr)
{
    m_about->setWordWrap(true);
    body()->addWidget(m_about);
    if (m_name) {
        QLabel *const why = plainLabel(
            tr("It belongs to Drover: jobs may be lost. To delete it, type its name, %1.").arg(marked(path.name())));
        why->setWordWrap(true);
        body()->addWidget(why);
        body()->addWidget(m_name);
        m_name->setAccessibleName(tr("Name of the node to delete"));
        connect(m_name, &QLineEdit::textChanged, this, &DeleteDialog::check);
    }
    body()->addStretch(1);
    confirmButton()->setAutoDefault(false);
    confirmButton()->setDefault(false); // Enter does not delete
    check();
    resize(460, 200);
}

void DeleteDialog::check()
{
    setConfirmable(m_nodes > 0 && (!m_name || m_name->text().toUtf8() == m_path.name()));
}

void DeleteDialog::take(const ZnodeAnswer &answer)
{
    if (m_nodes > 0)
        return NodeChangeDialog::take(answer);
    if (answer.kind == ZnodeAnswer::Kind::Failed) {
        m_about->setText(tr("It cannot be counted."));
        return say(answer.text);
    }
    m_nodes = answer.nodes;
    QString about = answer.nodes == 1 ? tr("This deletes one node with %1 of data.").arg(byteWords(answer.bytes))
                                      : tr("This deletes %1 with %2 of data: %3 and all below it.")
                                            .arg(counted(answer.nodes, Things::Nodes), byteWords(answer.bytes),
                                                 elided(marked(m_path.bytes()), font()));
    if (answer.ephemerals > 0)
        about += u' '
            + tr("%1 of them are ephemeral, and belong to sessions that live.")
                  .arg(text::formatCount(answer.ephemerals));
    m_about->setText(about + u' ' + tr("It cannot be undone."));
    check();
}

void DeleteDialog::confirm()
{
    setWaiting(true);
    Q_EMIT wanted(m_path, m_nodes);
}

} // namespace drover::gui
