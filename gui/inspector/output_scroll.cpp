#include "gui/inspector/output_scroll.h"

#include "gui/inspector/styled_lines.h"
#include "gui/output/line_stretch.h"

#include <QAbstractTextDocumentLayout>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QPlainTextEdit>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QTextBlock>

#include <algorithm>
#include <limits>
#include <optional>

namespace drover::gui {

namespace {

constexpr int Margin = 40; // rows; others are loaded when the end of those in the editor is as near as that

// An end of the selection.
struct Mark {
    qint64 line;
    int column;
};

Mark markOf(const QTextDocument &document, int position, qint64 first)
{
    const QTextBlock block = document.findBlock(position);
    return {first + block.blockNumber(), position - block.position()};
}

std::optional<int> positionOf(const QTextDocument &document, const Mark &mark, qint64 first)
{
    if (mark.line < first || mark.line >= first + document.blockCount())
        return std::nullopt;
    const QTextBlock block = document.findBlockByNumber(static_cast<int>(mark.line - first));
    return block.position() + std::min(mark.column, block.length() - 1);
}

} // namespace

OutputScroll::OutputScroll(QPlainTextEdit *text, QObject *parent)
    : QObject(parent), m_text(text), m_bar(new QScrollBar(Qt::Vertical, text->verticalScrollBar()))
{
    m_bar->hide();
    m_later.setSingleShot(true);
    m_text->installEventFilter(this);
    m_text->viewport()->installEventFilter(this);
    m_text->verticalScrollBar()->installEventFilter(this);
    connect(m_bar, &QScrollBar::valueChanged, this, &OutputScroll::followBar);
    connect(m_text->verticalScrollBar(), &QScrollBar::valueChanged, this, &OutputScroll::followText);
    connect(m_text, &QPlainTextEdit::updateRequest, this, [this] { // the keys of pages move the bar without a signal
        if (m_text->verticalScrollBar()->value() != m_row)
            followText();
    });
    connect(&m_later, &QTimer::timeout, this, &OutputScroll::loadWhatIsNear);
}

void OutputScroll::open(std::shared_ptr<const OutputFile> file)
{
    m_file = std::move(file);
    m_first = m_end = 0;
    m_text->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    m_bar->resize(m_text->verticalScrollBar()->size());
    m_bar->show();
    measure();
    showEnd();
    m_text->setTextCursor(QTextCursor(m_text->document()->lastBlock()));
}

void OutputScroll::close()
{
    if (!m_file)
        return;
    m_file.reset();
    m_later.stop();
    m_bar->hide();
    m_text->setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    m_text->clear();
}

// A position beyond the last one is possible while the lines are wrapped: then the end is shown.
void OutputScroll::measure()
{
    const int rows = std::max(1, m_text->viewport()->height() / std::max(1, m_text->fontMetrics().lineSpacing()));
    const qint64 last = std::clamp<qint64>(m_file->lines() - rows, 0, std::numeric_limits<int>::max());
    const QScopedValueRollback moving(m_isMoving, true);
    m_bar->setPageStep(rows);
    m_bar->setRange(0, static_cast<int>(last));
}

void OutputScroll::settle()
{
    if (!m_file)
        return;
    const bool wasAtEnd = m_isAtEnd;
    measure();
    if (wasAtEnd)
        showEnd();
}

void OutputScroll::load(qint64 around)
{
    const QScopedValueRollback moving(m_isMoving, true);
    QTextDocument *const document = m_text->document();
    const Mark anchor = markOf(*document, m_text->textCursor().anchor(), m_first);
    const Mark cursor = markOf(*document, m_text->textCursor().position(), m_first);
    const LineStretch stretch = stretchAround(*m_file, around);
    m_text->clear();
    QTextCursor at(document);
    at.beginEditBlock();
    if (!stretch.lines.isEmpty())
        insertLines(at, stretch.lines.first(stretch.lines.size() - 1), stretch.lines.last(), m_text->palette());
    at.endEditBlock();
    m_first = stretch.first;
    m_end = stretch.end();
    for (QTextBlock block = document->begin(); block.isValid(); block = block.next()) // how many rows each has
        document->documentLayout()->blockBoundingRect(block);
    const std::optional<int> from = positionOf(*document, anchor, m_first);
    const std::optional<int> to = positionOf(*document, cursor, m_first);
    QTextCursor selected(document->findBlockByNumber(static_cast<int>(std::max<qint64>(0, around - m_first))));
    if (from && to) {
        selected.setPosition(*from);
        selected.setPosition(*to, QTextCursor::KeepAnchor);
    }
    m_text->setTextCursor(selected);
}

void OutputScroll::showAtTop(qint64 line, int row)
{
    if (line < m_first || line >= m_end)
        load(line);
    const QTextBlock block = m_text->document()->findBlockByNumber(static_cast<int>(line - m_first));
    m_text->verticalScrollBar()->setValue(block.firstLineNumber() + row);
    followText();
}

void OutputScroll::showEnd()
{
    if (m_end < m_file->lines() || m_end == 0)
        load(m_file->lines() - 1);
    m_text->verticalScrollBar()->setValue(m_text->verticalScrollBar()->maximum());
    followText();
}

void OutputScroll::followBar(int value)
{
    if (m_isMoving || !m_file)
        return;
    if (value == m_bar->maximum())
        showEnd();
    else
        showAtTop(value);
}

void OutputScroll::followText()
{
    if (m_isMoving || !m_file)
        return;
    const QScopedValueRollback moving(m_isMoving, true);
    const QScrollBar *const own = m_text->verticalScrollBar();
    m_row = own->value();
    const bool isEnd = own->value() == own->maximum() && m_end == m_file->lines();
    m_isAtEnd = isEnd;
    m_bar->setValue(isEnd ? m_bar->maximum() : static_cast<int>(std::min<qint64>(top(), m_bar->maximum())));
    const bool isNearBegin = own->value() < Margin && m_first > 0;
    const bool isNearEnd = own->value() > own->maximum() - Margin && m_end < m_file->lines();
    if (isNearBegin || isNearEnd)
        m_later.start(0);
}

void OutputScroll::loadWhatIsNear()
{
    const qint64 line = top();
    const QTextBlock block = m_text->document()->findBlockByNumber(static_cast<int>(line - m_first));
    const int row = m_text->verticalScrollBar()->value() - block.firstLineNumber();
    load(line);
    const QScopedValueRollback moving(m_isMoving, true);
    showAtTop(line, row);
}

qint64 OutputScroll::top() const
{
    return m_first + m_text->cursorForPosition(QPoint(0, 0)).blockNumber();
}

qint64 OutputScroll::cursorLine() const
{
    return m_first + m_text->textCursor().blockNumber();
}

void OutputScroll::goTo(qint64 line, bool atItsEnd)
{
    if (m_file->lines() == 0)
        return;
    if (line < m_first || line >= m_end)
        load(line);
    QTextCursor cursor(m_text->document()->findBlockByNumber(static_cast<int>(line - m_first)));
    if (atItsEnd)
        cursor.movePosition(QTextCursor::EndOfBlock);
    m_text->setTextCursor(cursor);
    m_text->centerCursor();
    followText();
}

// The editor's own, whose “Select all” would take the lines in the editor for all.
void OutputScroll::openMenu(const QPoint &place)
{
    QMenu *const menu = m_text->createStandardContextMenu();
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const QList<QAction *> actions = menu->actions();
    for (QAction *const action : actions) {
        if (!action->objectName().endsWith(QLatin1String("select-all")))
            continue;
        action->disconnect();
        connect(action, &QAction::triggered, this, &OutputScroll::allWanted);
    }
    menu->popup(place);
}

// The keys that lead to the ends of a text lead to those of the file.
bool OutputScroll::eventFilter(QObject *watched, QEvent *event)
{
    if (!m_file)
        return QObject::eventFilter(watched, event);
    if (event->type() == QEvent::ContextMenu && watched != m_text->verticalScrollBar() && !hasAll()) {
        openMenu(static_cast<QContextMenuEvent *>(event)->globalPos());
        return true;
    }
    const bool isOfText = watched != m_text->viewport();
    if (isOfText && (event->type() == QEvent::Resize || event->type() == QEvent::Show))
        QMetaObject::invokeMethod(this, &OutputScroll::settle, Qt::QueuedConnection);
    if (event->type() == QEvent::Resize)
        m_bar->resize(m_text->verticalScrollBar()->size());
    if (event->type() != QEvent::KeyPress || watched != m_text)
        return QObject::eventFilter(watched, event);
    const auto *const key = static_cast<QKeyEvent *>(event);
    const bool isPlain = key->modifiers() == Qt::NoModifier;
    if (key->matches(QKeySequence::MoveToStartOfDocument) || (isPlain && key->key() == Qt::Key_Home))
        goTo(0);
    else if (key->matches(QKeySequence::MoveToEndOfDocument) || (isPlain && key->key() == Qt::Key_End))
        goTo(m_file->lines() - 1);
    else if (key->matches(QKeySequence::SelectAll) && !hasAll())
        Q_EMIT allWanted();
    else
        return QObject::eventFilter(watched, event);
    return true;
}

} // namespace drover::gui
