#pragma once

#include "gui/output/output_file.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>

namespace drover::gui {

// Looks through an OutputFile for a line that fits, some milliseconds in each turn of the event loop. So the window
// goes on, and the search can be given up at any time. Lives on the thread of its owner.
class LineSearch final : public QObject
{
    Q_OBJECT

public:
    // Whether a text fits. It is asked for many lines at once first: what fits one of them must fit all together.
    using Fits = std::function<bool(const QString &text)>;

    explicit LineSearch(QObject *parent);

    // Begins at that line, and goes on from the other end up to the line where it has begun. A search under way is
    // given up. Nothing may be appended to the file any more.
    void start(std::shared_ptr<const OutputFile> file, qint64 from, bool backward, Fits fits);
    void cancel(); // nothing is reported any more
    bool isUnderWay() const { return m_file != nullptr; }

Q_SIGNALS:
    void found(qint64 line);
    void foundNothing();
    void progressed(int percent); // of the bytes; after each turn

private:
    void goOn();
    bool isIn(qint64 line) const; // that part of the first block which this step is about
    std::optional<qint64> lookInto(const OutputFile::Block &block) const;

    std::shared_ptr<const OutputFile> m_file; // null: no search is under way
    Fits m_fits;
    qint64 m_from = 0;
    bool m_backward = false;
    int m_step = 0; // blocks that were looked into; the first one is again the last, for its other part
    QTimer m_turn;
};

} // namespace drover::gui
