#pragma once

#include "gui/text/node_text.h"

#include <QPlainTextEdit>
#include <QTextBlock>
#include <QTimer>

namespace drover::gui {

class DataHighlighter;

// Text to look at, coloured by its format. A long one is filled in piece by piece, so that the window answers
// meanwhile. Indented text folds: a click in the margin, or the keys - and +, hide and show what lies deeper below a
// line.
class DataText final : public QPlainTextEdit
{
    Q_OBJECT

public:
    explicit DataText(QWidget *parent = nullptr);

    void showText(const NodeText &text);
    bool isComplete() const { return m_rest.isEmpty(); }
    bool canFold() const { return m_format == DataFormat::Json || m_format == DataFormat::Xml; }
    void foldAll(); // but for the outermost level
    void unfoldAll();
    int marginWidth() const;

protected:
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    class Margin;

    void addPiece();
    void paintMargin(QPaintEvent *event);
    void toggle(const QTextBlock &block);
    void fold(const QTextBlock &block, bool folded);
    bool opens(const QTextBlock &block) const; // deeper lines follow
    static bool isFolded(const QTextBlock &block) { return block.next().isValid() && !block.next().isVisible(); }
    QTextBlock blockAt(int y) const;
    void relayout();

    DataHighlighter *m_highlighter;
    Margin *m_margin;
    QTimer m_adding;
    DataFormat m_format = DataFormat::Text;
    QString m_shown;
    QStringView m_rest; // of m_shown
};

} // namespace drover::gui
