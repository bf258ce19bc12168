#include "gui/inspector/job_output.h"

#include "gui/inspector/output_scroll.h"
#include "gui/inspector/styled_lines.h"
#include "gui/text/write_file.h"
#include "gui/widgets/announce.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"

#include <QApplication>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QStringMatcher>
#include <QTextBlock>
#include <QThreadPool>
#include <QVBoxLayout>

namespace drover::gui {

namespace {

// A line that tells of an error, in the words of most programs.
const QRegularExpression &errorLine()
{
    static const QRegularExpression words(
        QStringLiteral("\\b(error|errors|failed|failure|fatal|panic|exception|traceback|cannot|denied)\\b"),
        QRegularExpression::CaseInsensitiveOption);
    return words;
}

} // namespace

JobOutput::JobOutput(QWidget *parent)
    : QWidget(parent), m_text(new QPlainTextEdit), m_field(new QLineEdit), m_none(plainLabel()),
      m_scroll(new OutputScroll(m_text, this)), m_search(new LineSearch(this))
{
    m_text->setUndoRedoEnabled(false);
    m_text->setReadOnly(true);
    m_text->setMaximumBlockCount(MaxLines);
    m_text->setFont(fixedFont());
    m_text->setAccessibleName(tr("End of the output"));
    m_field->setPlaceholderText(tr("Find in the output"));
    m_field->setAccessibleName(m_field->placeholderText());
    m_field->setToolTip(tr("Ctrl+F; Enter or F3 for the next, Shift+F3 for the one before"));
    m_field->setClearButtonEnabled(true);
    m_field->setMaximumWidth(fontMetrics().averageCharWidth() * 36);
    m_none->setForegroundRole(QPalette::PlaceholderText);
    auto *const error = new QPushButton(tr("Next &error"));
    error->setToolTip(tr("F4"));
    error->setAutoDefault(false);
    auto *const save = new QPushButton(tr("Save…"));
    save->setToolTip(tr("Writes it into a file"));
    save->setAutoDefault(false);
    auto *const bar = new QHBoxLayout;
    bar->addWidget(m_field, 1);
    bar->addWidget(error);
    bar->addWidget(save);
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addLayout(bar);
    column->addWidget(m_none);
    column->addWidget(m_text, 1);
    m_none->hide();
    connect(error, &QPushButton::clicked, this, &JobOutput::findError);
    connect(save, &QPushButton::clicked, this, &JobOutput::askWhereToSave);
    connect(m_field, &QLineEdit::textChanged, this, &JobOutput::giveUp);
    connect(m_field, &QLineEdit::returnPressed, this, [this] { find(); });
    connect(m_scroll, &OutputScroll::allWanted, this, [this] {
        m_none->setText(tr("Only what is near can be selected. “Save…” writes all of it."));
        m_none->show();
    });
    connect(m_search, &LineSearch::found, this, &JobOutput::selectIn);
    connect(m_search, &LineSearch::foundNothing, this, [this] { tell(false); });
    connect(m_search, &LineSearch::progressed, this, [this](int percent) {
        m_none->setText(tr("Searching… %1 %; Escape stops it").arg(percent));
        m_none->show();
    });
}

// While the keyboard is in the output its keys are not for the page beside it, which has some of them, too.
bool JobOutput::event(QEvent *event)
{
    if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress)
        return QWidget::event(event);
    const auto *const key = static_cast<QKeyEvent *>(event);
    const std::pair<bool, std::function<void()>> keys[] = {
        {key->matches(QKeySequence::Find), [this] { focusField(); }},
        {key->matches(QKeySequence::FindNext), [this] { find(); }},
        {key->matches(QKeySequence::FindPrevious), [this] { find(true); }},
        {key->key() == Qt::Key_F4 && key->modifiers() == Qt::NoModifier, [this] { findError(); }},
        {key->key() == Qt::Key_Escape && m_search->isUnderWay(), [this] { giveUp(); }}};
    for (const auto &[isIt, act] : keys) {
        if (!isIt)
            continue;
        if (event->type() == QEvent::KeyPress)
            act();
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void JobOutput::focusField()
{
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
}

void JobOutput::clear()
{
    giveUp();
    m_scroll->close();
    m_text->setAccessibleName(tr("End of the output"));
    m_terminal.clear();
    m_text->clear();
}

bool JobOutput::isEmpty() const
{
    return m_text->document()->isEmpty();
}

// The last line is written anew: it may have been written over.
void JobOutput::add(const QString &text)
{
    const QList<TerminalText::Line> ended = m_terminal.add(text);
    QScrollBar *const bar = m_text->verticalScrollBar();
    const bool atEnd = bar->value() == bar->maximum();
    QTextCursor end(m_text->document());
    end.movePosition(QTextCursor::End);
    end.beginEditBlock();
    end.movePosition(QTextCursor::StartOfBlock, QTextCursor::KeepAnchor);
    end.removeSelectedText();
    insertLines(end, ended, m_terminal.current(), palette());
    end.endEditBlock();
    if (atEnd)
        bar->setValue(bar->maximum());
}

void JobOutput::showWhole(std::shared_ptr<const OutputFile> file)
{
    clear();
    m_text->setAccessibleName(tr("Output"));
    m_scroll->open(std::move(file));
}

const std::shared_ptr<const OutputFile> &JobOutput::whole() const
{
    return m_scroll->file();
}

int JobOutput::lineCount() const
{
    return m_text->blockCount();
}

bool JobOutput::find(bool backward)
{
    const QTextDocument::FindFlags direction = backward ? QTextDocument::FindBackward : QTextDocument::FindFlags();
    const QString wanted = m_field->text();
    if (wanted.isEmpty())
        return false;
    const QStringMatcher matcher(wanted, Qt::CaseInsensitive);
    return lookFor({[this, wanted, direction] { return m_text->find(wanted, direction); },
                    [matcher](const QString &text) { return matcher.indexIn(text) >= 0; }, backward});
}

bool JobOutput::findError()
{
    m_text->moveCursor(QTextCursor::EndOfBlock); // one stop a line
    return lookFor({[this] { return m_text->find(errorLine()); },
                    [](const QString &text) { return errorLine().match(text).hasMatch(); }});
}

// The editor has a part of the output; the search goes through the file, which has all of it.
bool JobOutput::lookFor(const Wanted &wanted)
{
    giveUp();
    if (wanted.select())
        return tell(true);
    if (!isWhole()) {
        m_text->moveCursor(wanted.backward ? QTextCursor::End : QTextCursor::Start);
        return tell(wanted.select());
    }
    const qint64 lines = whole()->lines();
    const qint64 next = wanted.backward ? m_scroll->first() + lines - 1 : m_scroll->end();
    m_wanted = wanted;
    m_search->start(whole(), lines == 0 ? 0 : next % lines, wanted.backward, wanted.fits);
    return false;
}

// It selects the whole line where what is found is not seen as it was written, because of a mark in it.
void JobOutput::selectIn(qint64 line)
{
    m_scroll->goTo(line, m_wanted.backward);
    if (!m_wanted.select() || m_scroll->cursorLine() != line) {
        m_scroll->goTo(line);
        m_text->moveCursor(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
    }
    tell(true);
}

bool JobOutput::tell(bool found)
{
    m_none->setText(isWhole() ? tr("Not found in the output.") : tr("Not found in what is shown."));
    m_none->setVisible(!found);
    if (!found)
        announce(*m_none);
    Q_EMIT searched(found);
    return found;
}

void JobOutput::giveUp()
{
    m_search->cancel();
    m_none->hide();
}

void JobOutput::askWhereToSave()
{
    auto *const dialog = new QFileDialog(this, tr("Save the output"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("log"));
    connect(dialog, &QFileDialog::fileSelected, this, &JobOutput::save);
    dialog->open();
}

// A whole output is written on another thread, which may take as long as it likes. The panel may have gone meanwhile.
void JobOutput::save(const QString &path)
{
    const QPointer<JobOutput> self(this);
    const auto tellOf = [self, path](const QString &why) {
        if (!why.isEmpty())
            complain(self ? self.data() : QApplication::activeWindow(), tr("Save the output"),
                     tr("The output was not saved."), {tr("Cannot write %1: %2").arg(path, why)});
    };
    if (!isWhole())
        return tellOf(writeFile(path, m_text->toPlainText().toUtf8()));
    QThreadPool::globalInstance()->start([file = whole(), path, tellOf] {
        const QString why = file->copyTo(path);
        QMetaObject::invokeMethod(
            qApp, [tellOf, why] { tellOf(why); }, Qt::QueuedConnection);
    });
}

QString JobOutput::saveTo(const QString &path) const
{
    const QString why = isWhole() ? whole()->copyTo(path) : writeFile(path, m_text->toPlainText().toUtf8());
    return why.isEmpty() ? QString() : tr("Cannot write %1: %2").arg(path, why);
}

} // namespace drover::gui
