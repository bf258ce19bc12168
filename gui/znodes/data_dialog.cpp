#include "gui/znodes/data_dialog.h"

#include "gui/text/marks.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"
#include "gui/znodes/diff_view.h"

#include <QHBoxLayout>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QStringDecoder>
#include <QVBoxLayout>

#include <algorithm>

namespace drover::gui {

namespace {

enum Step { Editing, Reviewing };

// Whether an editor gives back the bytes that it was given.
bool isEditableText(const QByteArray &data)
{
    QStringDecoder decode(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString text = decode(data);
    const auto keeps = [](QChar c) { return c == u'\n' || c == u'\t' || c >= u' '; };
    return !decode.hasError() && std::all_of(text.begin(), text.end(), keeps) && !text.contains(QChar::Nbsp)
        && !text.contains(QChar::LineSeparator) && !text.contains(QChar::ParagraphSeparator);
}

} // namespace

DataDialog::DataDialog(const ZnodeContents &contents, QWidget *parent)
    : NodeChangeDialog(tr("Edit the data of %1").arg(marked(contents.path.bytes())), tr("Review…"), parent),
      m_base(contents), m_isText(isEditableText(contents.data)), m_steps(new QStackedWidget),
      m_editor(new QPlainTextEdit), m_about(plainLabel()), m_diff(new DiffView),
      m_edit(new QPushButton(tr("&Keep editing"))), m_theirs(new QPushButton(tr("&Take the other data"))),
      m_over(new QPushButton(tr("Write &over them")))
{
    m_editor->setFont(fixedFont());
    m_editor->setAccessibleName(tr("Data of the node"));
    m_editor->setPlainText(shownText(contents.data));
    m_about->setWordWrap(true);
    auto *const reviewing = new QWidget;
    auto *const column = new QVBoxLayout(reviewing);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_diff, 1);
    auto *const ways = new QHBoxLayout;
    for (QPushButton *const way : {m_edit, m_theirs, m_over}) {
        way->setAutoDefault(false);
        ways->addWidget(way);
    }
    ways->addStretch(1);
    column->addLayout(ways);
    m_steps->addWidget(m_editor);
    m_steps->addWidget(reviewing);
    body()->addWidget(m_about);
    body()->addWidget(m_steps, 1);
    connect(m_edit, &QPushButton::clicked, this, &DataDialog::editOn);
    connect(m_theirs, &QPushButton::clicked, this, &DataDialog::takeTheirs);
    connect(m_over, &QPushButton::clicked, this, &DataDialog::writeOver);
    editOn();
    resize(640, 480);
}

QString DataDialog::shownText(const QByteArray &bytes) const
{
    return m_isText ? QString::fromUtf8(bytes) : QString::fromLatin1(bytes.toBase64());
}

void DataDialog::editOn()
{
    m_steps->setCurrentIndex(Editing);
    m_about->setText(
        m_isText ? tr("Based on version %1.").arg(m_base.stat.version)
                 : tr("The data are not text: edit their base64. Based on version %1.").arg(m_base.stat.version));
    confirmButton()->setText(tr("Review…"));
    confirmButton()->show();
    say({});
    m_editor->setFocus();
}

void DataDialog::confirm()
{
    if (m_steps->currentIndex() == Editing)
        return review();
    setWaiting(true);
    const QString text = m_editor->toPlainText();
    Q_EMIT wanted(
        {m_base.path, m_isText ? text.toUtf8() : QByteArray::fromBase64(text.toLatin1()), m_base.stat.version});
}

// What the write would change.
void DataDialog::review()
{
    const QString text = m_editor->toPlainText();
    if (!m_isText && !QByteArray::fromBase64Encoding(text.toLatin1(), QByteArray::AbortOnBase64DecodingErrors))
        return say(tr("This is not base64."));
    m_steps->setCurrentIndex(Reviewing);
    m_about->setText(tr("This is written if the node still has version %1:").arg(m_base.stat.version));
    m_diff->show(shownText(m_base.data), text);
    m_edit->show();
    m_theirs->hide();
    m_over->hide();
    confirmButton()->setText(tr("Write"));
    say({});
}

void DataDialog::take(const ZnodeAnswer &answer)
{
    if (answer.kind != ZnodeAnswer::Kind::Changed || answer.present.condition != NodeCondition::Ok)
        return NodeChangeDialog::take(answer);
    setWaiting(false);
    m_about->setText(answer.text + u' ' + tr("Nothing was written. The other data (-) and yours (+) differ so:"));
    m_diff->show(shownText(answer.present.data), m_editor->toPlainText());
    m_base = answer.present;
    m_theirs->show();
    m_over->show();
    confirmButton()->hide();
}

void DataDialog::takeTheirs()
{
    m_editor->setPlainText(shownText(m_base.data));
    editOn();
}

// Reviewed already, as the difference from what is there.
void DataDialog::writeOver()
{
    m_theirs->hide();
    m_over->hide();
    confirmButton()->show();
    confirm();
}

} // namespace drover::gui
