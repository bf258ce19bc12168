#include "gui/output/line_search.h"

#include "gui/output/output_lines.h"

#include <QElapsedTimer>

namespace drover::gui {

namespace {

constexpr qint64 Turn = 8; // ms

} // namespace

LineSearch::LineSearch(QObject *parent) : QObject(parent)
{
    m_turn.setSingleShot(true);
    connect(&m_turn, &QTimer::timeout, this, &LineSearch::goOn);
}

void LineSearch::start(std::shared_ptr<const OutputFile> file, qint64 from, bool backward, Fits fits)
{
    m_file = std::move(file);
    m_fits = std::move(fits);
    m_from = from;
    m_backward = backward;
    m_step = 0;
    m_turn.start(0);
}

void LineSearch::cancel()
{
    m_turn.stop();
    m_file.reset();
}

void LineSearch::goOn()
{
    const int blocks = m_file->blocks();
    const int first = m_file->blockOf(m_from);
    QElapsedTimer time;
    time.start();
    for (; m_step <= blocks && time.elapsed() < Turn; ++m_step) {
        const int index = (first + (m_backward ? blocks - m_step : m_step)) % blocks;
        if (const std::optional<qint64> line = lookInto(m_file->block(index))) {
            cancel();
            Q_EMIT found(*line);
            return;
        }
    }
    if (m_step > blocks) {
        cancel();
        Q_EMIT foundNothing();
        return;
    }
    m_turn.start(0);
    Q_EMIT progressed(100 * m_step / (blocks + 1));
}

bool LineSearch::isIn(qint64 line) const
{
    const bool isAhead = m_backward ? line <= m_from : line >= m_from;
    if (m_step == 0)
        return isAhead;
    return m_step < m_file->blocks() || !isAhead;
}

std::optional<qint64> LineSearch::lookInto(const OutputFile::Block &block) const
{
    const bool plain = isPlain(block.bytes);
    if (plain && !m_fits(QString::fromUtf8(block.bytes)))
        return std::nullopt;
    const QList<QByteArrayView> lines = linesOf(block.bytes);
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const qsizetype at = m_backward ? lines.size() - 1 - i : i;
        if (isIn(block.first + at) && m_fits(plain ? QString::fromUtf8(lines[at]) : shownText(lines[at])))
            return block.first + at;
    }
    return std::nullopt;
}

} // namespace drover::gui
