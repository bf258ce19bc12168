#pragma once

#include "gui/data/job_order.h"
#include "gui/data/job_verb.h"
#include "gui/models/job_grouping.h"

#include <QTimer>
#include <QWidget>

#include <functional>

class QAction;
class QCheckBox;
class QComboBox;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QMenu;
class QSettings;

namespace drover::gui {

class JobFilter;
class JobModel;
class TableView;

// The table of jobs, its filter, and the actions on the selected jobs.
class JobPane final : public QWidget
{
    Q_OBJECT

public:
    explicit JobPane(JobModel &model, QWidget *parent = nullptr);

    TableView &table() { return *m_table; }
    // What the table shows while there are no jobs.
    void sayWhenEmpty(const QString &text);
    QList<jobs::JobId> selectedEnded() const;
    void choose(const std::set<jobs::JobState> &states); // to show; one of the filter's choices
    void focusFilter();
    void find(const jobs::JobId &job); // shows that one alone
    // Adds a button for that action, which submits a job.
    void offerSubmit(QAction *submit);
    void offerViews(QWidget *button); // at the beginning of the bar, which takes it over
    const JobSearch &search() const { return m_search; }
    void setSearch(const JobSearch &search); // whose states are one of the filter's choices
    static bool offers(const std::set<jobs::JobState> &states); // as such a choice
    Grouping grouping() const; // of the jobs in the table
    void group(Grouping by);
    void saveFilter(QSettings &settings) const;
    void restoreFilter(const QSettings &settings);
    QAction *detailsAction() const { return m_details; }
    // Submits the selected jobs that have ended again.
    QAction *repeatAction() const { return m_repeat; }
    // Of the selected arrays, the tasks that have failed, shown or not; and the other selected jobs that have failed.
    QAction *repeatFailedAction() const { return m_repeatFailed; }
    // On the selected jobs that are in a state for it.
    const std::map<JobVerb::Kind, QAction *> &verbs() const { return m_verbs; }
    // On all unfinished jobs that fit the filter, shown or not.
    const std::map<JobVerb::Kind, QAction *> &verbsOnAll() const { return m_verbsOnAll; }
    QMenu *menuOnAll() const { return m_menuOnAll; }
    // Submits each ended job of the table again.
    QAction *repeatAllAction() const { return m_repeatAll; }
    // Opens the array of the current row, or closes it.
    QAction *foldAction() const { return m_fold; }

Q_SIGNALS:
    void filterChanged(); // search()
    void groupingChanged();
    // A moment after the last letter was typed.
    void searchWanted(const drover::gui::JobSearch &search);
    // What the table is sorted by: of the history, the first in that order are to be shown.
    void orderWanted(const drover::gui::JobOrder &order);
    void verbWanted(drover::gui::JobVerb::Kind kind, const QList<drover::jobs::JobId> &jobs);
    void verbOnAllWanted(drover::gui::JobVerb::Kind kind, const drover::gui::JobSearch &search);
    void repeatWanted(const QList<drover::jobs::JobId> &jobs);
    void repeatFailedWanted(const QList<drover::jobs::JobId> &jobs);
    void detailsWanted(const drover::jobs::JobId &job);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    QList<jobs::JobId> selectedWhere(const std::function<bool(const JobRow &)> &fits) const;
    QList<jobs::JobId> selectedFailed() const;
    QList<jobs::JobId> endedInTable() const;
    QList<jobs::JobId> selectedFor(JobVerb::Kind kind) const;
    void makeVerbs();
    QWidget *makeVerbRow();
    void makeFolding();
    void fold(const QModelIndex &index, bool open);
    void filter();
    void sort();
    void updateActions();
    void updateSummary();
    void updateEmptyState();
    void openDetails(const QModelIndex &index);

    JobModel &m_model;
    JobFilter *m_filter;
    TableView *m_table;
    QComboBox *m_states;
    QLineEdit *m_text;
    QCheckBox *m_tasks;
    QLabel *m_summary;
    QHBoxLayout *m_bar;
    QAction *m_repeat;
    QAction *m_repeatFailed;
    QAction *m_details;
    std::map<JobVerb::Kind, QAction *> m_verbs;
    std::map<JobVerb::Kind, QAction *> m_verbsOnAll;
    QMenu *m_menuOnAll;
    QAction *m_repeatAll;
    QAction *m_fold;
    JobSearch m_search;
    QTimer m_typing; // since the last letter
    QString m_whenEmpty;
};

} // namespace drover::gui
