#include "gui/znodes/compare_dialog.h"

#include "gui/text/marks.h"
#include "gui/text/node_text.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"
#include "gui/words/node_words.h"
#include "gui/znodes/diff_view.h"

#include <QLineEdit>
#include <QVBoxLayout>

namespace drover::gui {

namespace {

QString brief(const ZnodeContents &contents)
{
    return CompareDialog::tr("%1: %2, version %3", "path, size, version")
        .arg(marked(contents.path.bytes()), byteWords(contents.data.size()))
        .arg(contents.stat.version);
}

} // namespace

CompareDialog::CompareDialog(const ZnodeContents &contents, const QString &other, QWidget *parent)
    : NodeChangeDialog(tr("Compare two nodes"), tr("Compare"), parent), m_contents(contents),
      m_other(new QLineEdit(other)), m_about(plainLabel()), m_diff(new DiffView)
{
    m_other->setFont(fixedFont());
    m_other->selectAll();
    m_about->setWordWrap(true);
    m_about->setForegroundRole(QPalette::PlaceholderText);
    addRow(tr("Node"), pathLabel(marked(contents.path.bytes()), font()));
    addRow(tr("&With"), m_other);
    body()->addWidget(m_diff, 1);
    body()->addWidget(m_about);
    resize(720, 520);
}

void CompareDialog::confirm()
{
    try {
        const zk::Path path(m_other->text().toUtf8());
        setWaiting(true);
        Q_EMIT wanted(path);
    } catch (const zk::InvalidPath &error) {
        say(marked(QString::fromUtf8(error.what())));
    }
}

void CompareDialog::take(const ZnodeAnswer &answer)
{
    if (answer.kind != ZnodeAnswer::Kind::Done)
        return NodeChangeDialog::take(answer);
    setWaiting(false);
    if (answer.present.condition != NodeCondition::Ok)
        return say(tr("There is no node %1.").arg(marked(answer.present.path.bytes())));
    m_about->setText(QStringLiteral("- %1\n+ %2").arg(brief(m_contents), brief(answer.present)));
    m_diff->show(renderData(m_contents.data, DataFormat::Automatic).text,
                 renderData(answer.present.data, DataFormat::Automatic).text);
}

} // namespace drover::gui
