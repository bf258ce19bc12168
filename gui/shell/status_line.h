#pragma once

#include "gui/models/snapshot_model.h"
#include "gui/shell/connection_state.h"

#include <QTimer>
#include <QWidget>

class QLabel;

namespace drover::gui {

// The line at the bottom of the window. It has the state of the session, the latency of the server, the time of stale
// data, and the number of watches. News stand at its end for a while.
class StatusLine final : public QWidget
{
    Q_OBJECT

public:
    explicit StatusLine(QWidget *parent = nullptr);

    void showState(const ConnectionState &state);
    static QString phaseText(SessionStatus::Phase phase); // for people
    static Tone phaseTone(SessionStatus::Phase phase); // of its dot
    void addPart(QWidget *part); // at the end; takes it over
    // Announces the text, unless it ends with "…": then it is progress, and its end is said, too.
    void say(const QString &text, std::chrono::milliseconds duration);

public Q_SLOTS:
    void showWatches(int watches, int budget);
    void showLatency(std::chrono::microseconds latency);

protected:
    void changeEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void paintDot();

    ConnectionState m_state;
    QLabel *m_dot;
    QLabel *m_phase;
    QLabel *m_details;
    QLabel *m_asOf;
    QLabel *m_latency;
    QLabel *m_watches;
    QLabel *m_news;
    QTimer m_newsEnd;
};

} // namespace drover::gui
