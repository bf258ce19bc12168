#pragma once

#include "gui/models/replay/replay_models.h"
#include "gui/shell/page.h"

class QComboBox;
class QDateTimeEdit;
class QLabel;
class QPushButton;
class QTabWidget;

namespace drover::gui {

class Notice;
class TableView;
class TimeLine;

// The cluster as it was at a recorded moment: jobs, queues, locks, workers, the znodes that were open, and the events
// before that moment. It has the jobs that the table of jobs had, at most 2,000. A gap says that nothing was
// recorded. It remembers which clusters are to be recorded.
class ReplayPage final : public Page
{
    Q_OBJECT

public:
    static constexpr std::chrono::milliseconds UsualSince{60'000};

    ReplayPage();

    void showState(const ConnectionState &state) override;
    void saveTo(QSettings &settings) const override;
    void restoreFrom(const QSettings &settings) override;

    bool isWanted(const Target &target) const; // whether the user has it recorded
    void setWanted(const Target &target, bool wanted);
    const QSet<QString> &wanted() const { return m_wanted; } // as setWanted() of another page takes it
    void setWanted(const QSet<QString> &wanted) { m_wanted = wanted; }

    void goTo(qint64 at); // ms of the Unix epoch
    qint64 moment() const { return m_at; }
    qint64 recordedUntil() const { return m_status.spans.isEmpty() ? 0 : m_status.spans.last().until; }
    const ReplayModels &models() const { return m_models; }

public Q_SLOTS:
    void showStatus(const drover::gui::RecordingStatus &status);
    void showMoment(int request, const drover::gui::Moment &moment);
    void showFound(int request, qint64 at);

Q_SIGNALS:
    void wantedChanged(); // by the user
    void recordWanted();
    void momentWanted(int request, qint64 at, qint64 since);
    void nextWanted(int request, qint64 after);
    void previousWanted(int request, qint64 before);
    void shown(); // the moment

protected:
    QWidget *mainPart() const override;
    void activate() override;
    void deactivate() override;

private:
    void layOut();
    TableView *addTable(const QString &title, QAbstractItemModel &model, int dotColumn, const QList<int> &widths);
    void wakeTables();
    void setSince(qint64 since);
    void ask();
    void update();
    void updateRange();
    void say();
    QString gapText() const;

    ReplayModels m_models;
    RecordingStatus m_status;
    QSet<QString> m_wanted; // the clusters that are to be recorded
    qint64 m_at = 0; // 0: none was chosen
    qint64 m_since = 0;
    qint64 m_end = 0; // of the recording, as the range was made
    int m_request = 0;
    bool m_isAsking = false;
    bool m_askAgain = false; // the moment was moved meanwhile
    Moment m_moment;

    QDateTimeEdit *m_when;
    QComboBox *m_range;
    QLabel *m_remark;
    Notice *m_notice;
    QWidget *m_bar; // is seen with the time line, once something has been recorded
    TimeLine *m_line;
    QWidget *m_beginning; // is seen before, with a button that begins it
    QPushButton *m_start;
    QTabWidget *m_tabs;
    std::vector<TableView *> m_tables;
};

} // namespace drover::gui
