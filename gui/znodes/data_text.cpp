#include "gui/znodes/data_text.h"

#include "gui/text/pretty.h"
#include "gui/widgets/theme.h"
#include "gui/znodes/data_highlighter.h"

#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTextBlock>

namespace drover::gui {

namespace {

constexpr qsizetype Piece = 16 * 1024; // characters: some milliseconds

int depthOf(const QTextBlock &block)
{
    const QString line = block.text();
    int blanks = 0;
    while (blanks < line.size() && line[blanks] == u' ')
        ++blanks;
    return blanks;
}

} // namespace

// Left of the text: a triangle beside each line that folds.
class DataText::Margin final : public QWidget
{
public:
    explicit Margin(DataText &text) : QWidget(&text), m_text(text) { setCursor(Qt::PointingHandCursor); }

protected:
    void paintEvent(QPaintEvent *event) override { m_text.paintMargin(event); }
    void mousePressEvent(QMouseEvent *event) override { m_text.toggle(m_text.blockAt(int(event->position().y()))); }

private:
    DataText &m_text;
};

DataText::DataText(QWidget *parent)
    : QPlainTextEdit(parent), m_highlighter(new DataHighlighter(document(), *this)), m_margin(new Margin(*this))
{
    setReadOnly(true);
    setUndoRedoEnabled(false);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setFont(fixedFont());
    setFrameShape(NoFrame);
    m_adding.setInterval(0);
    connect(&m_adding, &QTimer::timeout, this, &DataText::addPiece);
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect &, int) { m_margin->update(); });
}

void DataText::showText(const NodeText &text)
{
    if (text.text == m_shown && text.format == m_format)
        return;
    const int scrolled = verticalScrollBar()->value();
    m_highlighter->setFormatOfData(text.format);
    m_format = text.format;
    m_shown = text.text;
    m_rest = m_shown;
    setLineWrapMode(text.format == DataFormat::Hex ? NoWrap : WidgetWidth);
    setViewportMargins(marginWidth(), 0, 0, 0);
    m_margin->setVisible(canFold());
    clear();
    addPiece();
    verticalScrollBar()->setValue(scrolled);
}

int DataText::marginWidth() const
{
    return canFold() ? fontMetrics().height() : 0;
}

void DataText::addPiece()
{
    qsizetype end = std::min(Piece, m_rest.size());
    const qsizetype lineEnd = m_rest.indexOf(u'\n', end);
    end = lineEnd < 0 ? m_rest.size() : lineEnd;
    QTextCursor cursor(document());
    cursor.movePosition(QTextCursor::End);
    cursor.insertText(m_rest.first(end).toString());
    m_rest = m_rest.sliced(end);
    if (m_rest.isEmpty())
        m_adding.stop();
    else if (!m_adding.isActive())
        m_adding.start();
}

bool DataText::opens(const QTextBlock &block) const
{
    const QTextBlock next = block.next();
    return block.isValid() && next.isValid() && depthOf(next) > depthOf(block);
}

void DataText::fold(const QTextBlock &block, bool folded)
{
    const int depth = depthOf(block);
    for (QTextBlock below = block.next(); below.isValid() && depthOf(below) > depth; below = below.next()) {
        below.setVisible(!folded);
        below.setLineCount(folded ? 0 : 1);
    }
}

void DataText::toggle(const QTextBlock &block)
{
    if (!opens(block))
        return;
    fold(block, !isFolded(block));
    relayout();
}

void DataText::foldAll()
{
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        if (depthOf(block) == Indent && opens(block))
            fold(block, true);
    }
    relayout();
}

void DataText::unfoldAll()
{
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        if (!block.isVisible()) {
            block.setVisible(true);
            block.setLineCount(1);
        }
    }
    relayout();
}

void DataText::relayout()
{
    QTextCursor cursor = textCursor();
    while (!cursor.block().isVisible() && cursor.block().previous().isValid())
        cursor.setPosition(cursor.block().previous().position());
    setTextCursor(cursor);
    document()->markContentsDirty(0, document()->characterCount());
    auto *const layout = static_cast<QPlainTextDocumentLayout *>(document()->documentLayout());
    Q_EMIT layout->documentSizeChanged(layout->documentSize());
    viewport()->update();
    m_margin->update();
}

QTextBlock DataText::blockAt(int y) const
{
    QTextBlock block = firstVisibleBlock();
    qreal bottom = blockBoundingGeometry(block).translated(contentOffset()).top();
    for (; block.isValid(); block = block.next()) {
        if (block.isVisible())
            bottom += blockBoundingRect(block).height();
        if (block.isVisible() && y < bottom)
            return block;
    }
    return {};
}

void DataText::paintMargin(QPaintEvent *event)
{
    QPainter painter(m_margin);
    painter.fillRect(event->rect(), palette().base());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(mutedText(palette()));
    QTextBlock block = firstVisibleBlock();
    qreal top = blockBoundingGeometry(block).translated(contentOffset()).top();
    for (; block.isValid() && top < m_margin->height(); block = block.next()) {
        if (!block.isVisible())
            continue;
        if (opens(block)) {
            const qreal size = fontMetrics().height() / 4.0;
            painter.save();
            painter.translate(m_margin->width() / 2.0, top + fontMetrics().height() / 2.0);
            painter.rotate(isFolded(block) ? 0 : 90);
            painter.drawPolygon(QPolygonF{{-size / 2, -size}, {size, 0}, {-size / 2, size}});
            painter.restore();
        }
        top += blockBoundingRect(block).height();
    }
}

void DataText::resizeEvent(QResizeEvent *event)
{
    QPlainTextEdit::resizeEvent(event);
    const QRect inside = contentsRect();
    m_margin->setGeometry(inside.left(), inside.top(), marginWidth(), inside.height());
}

void DataText::keyPressEvent(QKeyEvent *event)
{
    const bool hides = event->key() == Qt::Key_Minus;
    const QTextBlock block = textCursor().block();
    if (!(hides || event->key() == Qt::Key_Plus) || !opens(block))
        return QPlainTextEdit::keyPressEvent(event);
    fold(block, hides);
    relayout();
}

// Another theme has other colours.
void DataText::changeEvent(QEvent *event)
{
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_highlighter)
        m_highlighter->rehighlight();
}

} // namespace drover::gui
