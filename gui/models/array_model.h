#pragma once

#include "gui/data/snapshots.h"
#include "jobs/client/job_lookup.h"

#include <QAbstractListModel>
#include <QHash>

#include <array>

namespace drover::gui {

// How a task of an array is, as far as the console knows it. In this order, the failed ones come first.
enum class TaskState : quint8 {
    Failed,
    Cancelled,
    Running,
    Waiting, // made, and not begun
    ToCome, // not made yet
    Ended, // how is not known
    Succeeded,
};
constexpr int TaskStates = 7;
QString taskStateText(TaskState state);

// The tasks of one array, one a row, in the order of their indices or with the failed ones first. It knows the open
// ones from the progress of the array and from the table of jobs, and gets those that have ended without success. The
// others have succeeded if these are all. Of a large array the first MaxRows in the chosen order are rows.
class ArrayModel final : public QAbstractListModel
{
    Q_OBJECT

public:
    enum class Order { FailedFirst, ByIndex };
    static constexpr int StateRole = Qt::UserRole + 64; // int(TaskState)
    static constexpr qsizetype MaxRows = 20'000;

    explicit ArrayModel(const jobs::JobId &array, QObject *parent = nullptr);

    // The array as it was looked up, which has its indices; `table`: the rows of the table, of all jobs.
    void show(const jobs::JobView &job, const jobs::ArrayIndices &indices, const QList<JobRow> &table);
    void showEnded(const QList<JobRow> &tasks);
    // Whether showEnded() should be called: more tasks have failed or were cancelled than it said last.
    bool wantsEnded() const { return m_known && m_known != m_answered; }
    void noteAsked() { m_asked = m_known; } // what showEnded() is called with next answers a question of now
    void setOrder(Order order);
    Order order() const { return m_order; }

    qint32 count() const { return qint32(m_states.size()); } // of all tasks, also those without a row
    qint32 count(TaskState state) const { return m_counts[std::size_t(state)]; }
    jobs::JobId taskOf(const QModelIndex &index) const;

    int rowCount(const QModelIndex &parent = {}) const override { return parent.isValid() ? 0 : int(m_rows.size()); }
    QVariant data(const QModelIndex &index, int role) const override;

Q_SIGNALS:
    void shown(); // other counts perhaps

private:
    using Places = std::vector<qint32>; // of tasks

    // How many tasks are said to have ended without success.
    struct Unsuccessful {
        qint32 failed = 0;
        qint32 cancelled = 0; // -1: they are not counted

        friend bool operator==(const Unsuccessful &, const Unsuccessful &) = default;
    };

    void judge();
    void judgeByProgress(const jobs::ArrayProgress &progress);
    void judgeByRows(const QList<JobRow> &rows);
    bool areAllKnown() const;
    void put(const jobs::PlaceSet::Ranges &ranges, TaskState state);
    Places ordered() const;
    void arrange(bool isNew);
    QString toolTip(qint32 place) const;

    jobs::JobId m_array;
    std::optional<jobs::ArrayIndices> m_indices;
    std::optional<jobs::JobView> m_job;
    QList<JobRow> m_table; // of the tasks
    QList<JobRow> m_ended;
    std::optional<Unsuccessful> m_known; // by the array's node or its record
    std::optional<Unsuccessful> m_asked; // m_known at the latest question
    std::optional<Unsuccessful> m_answered; // at the question that showEnded() answered last
    Order m_order = Order::FailedFirst;
    std::vector<TaskState> m_states; // by place
    std::array<qint32, TaskStates> m_counts{};
    QHash<qint32, JobRow> m_about; // by place, of those of which more is known
    Places m_rows; // the place of each row
};

} // namespace drover::gui
