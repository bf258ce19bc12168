#include "gui/znodes/node_edits.h"

#include "gui/text/marks.h"
#include "gui/text/write_file.h"
#include "gui/znodes/acl_dialog.h"
#include "gui/znodes/compare_dialog.h"
#include "gui/znodes/copy_dialog.h"
#include "gui/znodes/create_dialog.h"
#include "gui/znodes/data_dialog.h"
#include "gui/znodes/delete_dialog.h"
#include "gui/znodes/import_dialog.h"

#include <QAction>
#include <QFile>
#include <QFileDialog>

namespace drover::gui {

void NodeEdits::setEnabled(bool enabled)
{
    m_enabled = enabled;
    showActions();
}

void NodeEdits::addChange(QAction *action)
{
    m_changes.append(action);
    showActions();
}

void NodeEdits::setSelected(const ZnodeContents &contents, const ZnodeAbout &about)
{
    m_contents = contents;
    m_about = about;
    showActions();
}

void NodeEdits::showActions()
{
    for (QAction *const action : std::as_const(m_changes))
        action->setEnabled(mayChange());
}

bool NodeEdits::hasNode() const
{
    return m_contents.condition == NodeCondition::Ok && m_contents.stat != zk::Stat();
}

void NodeEdits::open(NodeChangeDialog *dialog)
{
    connect(dialog, &NodeChangeDialog::carriedOut, this, &NodeEdits::said);
    dialog->open();
}

int NodeEdits::requestOf(NodeChangeDialog *dialog)
{
    m_dialogs[++m_lastRequest] = dialog;
    return m_lastRequest;
}

void NodeEdits::change(NodeChangeDialog *dialog, const std::function<void(int request)> &ask)
{
    if (m_enabled)
        return ask(requestOf(dialog));
    ZnodeAnswer refusal;
    refusal.kind = ZnodeAnswer::Kind::Failed;
    refusal.text = tr("Editing has been switched off: nothing was changed.");
    dialog->take(refusal);
}

void NodeEdits::closeDialogs()
{
    qDeleteAll(m_page->findChildren<NodeChangeDialog *>());
    m_dialogs.clear();
    m_exports.clear();
}

void NodeEdits::create()
{
    if (!mayChange())
        return;
    auto *const dialog = new CreateDialog(m_contents.path, m_page);
    connect(dialog, &CreateDialog::wanted, this, [this, dialog](const NewNode &node) {
        change(dialog, [&](int request) { Q_EMIT createWanted(request, node); });
    });
    open(dialog);
}

void NodeEdits::editData()
{
    if (!mayChange())
        return;
    auto *const dialog = new DataDialog(m_contents, m_page);
    connect(dialog, &DataDialog::wanted, this, [this, dialog](const DataEdit &edit) {
        change(dialog, [&](int request) { Q_EMIT writeWanted(request, edit); });
    });
    open(dialog);
}

void NodeEdits::editAcl()
{
    if (!mayChange() || m_about.path != m_contents.path || m_about.acl.empty())
        return;
    auto *const dialog = new AclDialog(m_about, m_page);
    connect(dialog, &AclDialog::wanted, this, [this, dialog](const AclEdit &edit) {
        change(dialog, [&](int request) { Q_EMIT aclWanted(request, edit); });
    });
    open(dialog);
}

void NodeEdits::copy(bool move)
{
    if (!mayChange())
        return;
    auto *const dialog = new CopyDialog(m_contents.path, move, m_page);
    connect(dialog, &CopyDialog::wanted, this, [this, dialog](const CopyOfNodes &wanted) {
        change(dialog, [&](int request) { Q_EMIT copyWanted(request, wanted); });
    });
    open(dialog);
}

void NodeEdits::remove()
{
    if (!mayChange() || m_contents.path.isRoot())
        return;
    auto *const dialog = new DeleteDialog(m_contents.path, m_page);
    connect(dialog, &DeleteDialog::wanted, this, [this, dialog](const zk::Path &path, qint64 nodes) {
        change(dialog, [&](int request) { Q_EMIT removeWanted(request, path, nodes); });
    });
    open(dialog);
    Q_EMIT measureWanted(requestOf(dialog), m_contents.path);
}

void NodeEdits::compare()
{
    if (!hasNode())
        return;
    auto *const dialog =
        new CompareDialog(m_contents, m_compared.isEmpty() ? m_contents.path.toString() : m_compared, m_page);
    connect(dialog, &CompareDialog::wanted, this, [this, dialog](const zk::Path &path) {
        m_compared = path.toString();
        Q_EMIT readWanted(requestOf(dialog), path);
    });
    open(dialog);
}

void NodeEdits::exportNodes()
{
    if (!hasNode())
        return;
    const QString name = m_contents.path.isRoot() ? QStringLiteral("root") : QString::fromUtf8(m_contents.path.name());
    const QString file = QFileDialog::getSaveFileName(m_page, tr("Export the node and all below it"),
                                                      name + QStringLiteral(".json"), tr("JSON (*.json)"));
    if (!file.isEmpty())
        exportTo(file);
}

void NodeEdits::exportTo(const QString &file)
{
    m_exports[++m_lastRequest] = file;
    Q_EMIT exportWanted(m_lastRequest, m_contents.path);
}

void NodeEdits::keep(const QString &file, const ZnodeAnswer &answer)
{
    if (answer.kind != ZnodeAnswer::Kind::Done)
        return Q_EMIT said(answer.text);
    const QString why = writeFile(file, answer.file);
    Q_EMIT said(why.isEmpty() ? answer.text : tr("Cannot write %1: %2").arg(marked(file), why));
}

void NodeEdits::importNodes()
{
    if (!mayChange())
        return;
    const QString file = QFileDialog::getOpenFileName(m_page, tr("Import below the node"), QString(),
                                                      tr("JSON (*.json);;All files (*)"));
    if (!file.isEmpty())
        importFrom(file);
}

void NodeEdits::importFrom(const QString &file)
{
    QFile read(file);
    if (!mayChange())
        return;
    if (!read.open(QIODevice::ReadOnly))
        return Q_EMIT said(tr("Cannot read %1: %2").arg(marked(file), read.errorString()));
    auto *const dialog = new ImportDialog(read.readAll(), m_contents.path, m_page);
    connect(dialog, &ImportDialog::wanted, this, [this, dialog](const ImportOfNodes &import) {
        change(dialog, [&](int request) { Q_EMIT importWanted(request, import); });
    });
    open(dialog);
}

void NodeEdits::take(int request, const ZnodeAnswer &answer)
{
    if (const QString file = m_exports.take(request); !file.isEmpty())
        return keep(file, answer);
    const QPointer<NodeChangeDialog> dialog = m_dialogs.take(request);
    if (dialog)
        dialog->take(answer);
    else if (!answer.text.isEmpty())
        Q_EMIT said(answer.text); // of a dialog that was closed meanwhile
    if (answer.kind == ZnodeAnswer::Kind::Done && !answer.text.isEmpty() && !answer.present.path.isRoot())
        Q_EMIT goWanted(answer.present.path); // that was created
}

} // namespace drover::gui
