#pragma once

#include "gui/data/job_graph.h"
#include "gui/inspector/facts.h"
#include "gui/inspector/sources.h"
#include "gui/output/output_file.h"
#include "jobs/client/job_lookup.h"

#include <QStringDecoder>
#include <QTimer>
#include <QWidget>

#include <memory>

class QLabel;
class QTabWidget;

namespace drover::gui {

class ArrayTasks;
class DependencyGraph;
class FactSheet;
class JobOutput;
class JobTimeline;

// All that the cluster knows about one job, and, behind a tab, its output. It follows the output of a running job. Of
// one that has ended it has the end that the record keeps. Once that tab is seen, it asks for all that the worker still
// has. An array opens with its tasks. The jobs before and after it are behind another tab.
class JobPanel final : public QWidget
{
    Q_OBJECT

public:
    JobPanel(const jobs::JobId &id, const Sources &sources, QWidget *parent = nullptr);

    const jobs::JobId &id() const { return m_id; }
    const Facts &facts() const { return m_facts; }
    std::optional<jobs::JobSpec> spec() const; // what was submitted, as far as it is known
    // `why`: why it does not run, one reason each. May be called again, whenever the job has changed.
    void showJob(const jobs::JobView &job, const QStringList &why = {});
    void refresh(); // what the models know beside the job has changed
    // The job that is shown already stays.
    void fail(const QString &why);
    // Output of the current attempt, after outputWanted() has asked for it. Of more than a person can follow, only the
    // latest part of each moment is shown, and a line says how much is left out.
    void addOutput(const QByteArray &output, const QByteArray &error);
    void sayInterrupted(const QString &why);
    // The whole output of the attempt that has ended, after wholeOutputWanted() has asked for it. sayRead() says how
    // much of it has been read so far, and sayNotRead() why there is only the end.
    void sayRead(qint64 bytes);
    void showWhole(const std::shared_ptr<const OutputFile> &file);
    void sayNotRead(const QString &why);
    // Whether some tasks of the array have ended in a way that is not known. Then the caller asks for them, and answers
    // with showUnsuccessful().
    bool asksForUnsuccessful();
    void showUnsuccessful(const QList<JobRow> &tasks); // all that have failed or were cancelled
    void sayUnsuccessfulUnknown(const QString &why); // they are asked for again
    // Both answer graphWanted().
    void showGraph(const JobGraph &graph);
    void sayGraphUnknown(const QString &why);
    void readAgain(); // the job, and its output anew
    // The next job that is shown begins with the same tab.
    enum class Tab { Facts, Graph, Output };
    Tab shownTab() const; // the tasks of an array count as its facts
    void showTab(Tab tab);
    bool isOutputShown() const { return shownTab() == Tab::Output; }
    void showOutput(bool shown) { showTab(shown ? Tab::Output : Tab::Facts); }

Q_SIGNALS:
    void changed(); // facts()
    void refreshWanted();
    void outputWanted(int attempt, const QString &worker);
    void wholeOutputWanted(const drover::jobs::FinalRecord &record);
    void graphWanted(); // of dependencies
    void entityWanted(const drover::gui::EntityRef &entity);
    void taskWanted(const drover::jobs::JobId &task); // to be inspected

private:
    void layOut();
    void showTasks();
    void endOutput(const jobs::JobView &job);
    void showEnd(const jobs::FinalRecord &record, int followed);
    void askForWhole();
    void sayNoOutput(const QString &why);
    void showGrowing(const jobs::Claim &claim);
    void sayGrowing();
    void flush();

    jobs::JobId m_id;
    const Sources &m_sources;
    Facts m_facts;
    std::optional<jobs::JobView> m_job; // that is shown
    QStringList m_why;
    QTabWidget *m_tabs;
    QWidget *m_outputPage;
    DependencyGraph *m_graph;
    ArrayTasks *m_tasks = nullptr; // null: it is no array, as far as is known
    JobTimeline *m_timeline;
    FactSheet *m_sheet;
    QLabel *m_trouble;
    QLabel *m_outputTitle;
    JobOutput *m_output;
    bool m_endShown = false; // the output is that of the job's end
    bool m_isFollowedShown = false; // at the end: what has come while the job ran
    bool m_isWholeWanted = false; // as soon as the output is seen
    int m_followed = 0; // the attempt whose output is shown; 0: none
    QByteArray m_pending; // output that is not shown yet, the latest of it
    QByteArray m_pendingErrors;
    qint64 m_leftOut = 0; // bytes before them
    qint64 m_shown = 0; // bytes of the attempt that have been shown
    QTimer m_moment; // runs for a moment after output was shown
    bool m_interrupted = false; // some of its output may be missing
    QStringDecoder m_fromOutput{QStringDecoder::Utf8}; // a character may arrive in two pieces
    QStringDecoder m_fromError{QStringDecoder::Utf8};
};

} // namespace drover::gui
