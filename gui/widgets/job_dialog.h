#pragma once

#include "jobs/client/job_lookup.h"

#include <QDialog>
#include <QStringDecoder>
#include <QTimer>

class QFormLayout;
class QLabel;
class QPushButton;

namespace drover::gui {

class JobOutput;

// Shows all that the cluster knows about one job, and the end of its output. It follows the output of a running job.
class JobDialog final : public QDialog
{
    Q_OBJECT

public:
    explicit JobDialog(const jobs::JobId &id, QWidget *parent = nullptr);

    const jobs::JobId &id() const { return m_id; }
    // `why`: why it does not run, one reason each. May be called again, whenever the job has changed.
    void show(const jobs::JobView &job, const QStringList &why = {});
    // The job that is shown already stays.
    void fail(const QString &why);
    // Output of the current attempt, after outputWanted() has asked for it. Of more than a person can follow, only the
    // latest part of each moment is shown, and a line says how much is left out.
    void addOutput(const QByteArray &output, const QByteArray &error);
    void sayInterrupted(const QString &why);
    // Enables the repeat button again, once repeatWanted() has been answered.
    void letRepeat();
    // Why the job may not be submitted again; empty: it may.
    void refuseRepeat(const QString &why);

Q_SIGNALS:
    void refreshWanted();
    void repeatWanted();
    void outputWanted(int attempt, const QString &worker);

private:
    QLabel *addLine(const QString &name, const QString &value);
    void addInstant(const QString &name, std::chrono::milliseconds instant); // with its age, which counts on
    void countOn();
    void addEnvironment(const jobs::Environment &environment);
    void showSpec(const jobs::JobSpec &spec);
    void showRecord(const jobs::FinalRecord &record);
    void showClaim(const jobs::JobView &job);
    void showOutput(const jobs::JobView &job);
    void showGrowing(const jobs::Claim &claim);
    void sayGrowing();
    void flush();

    jobs::JobId m_id;
    QLabel *m_dot;
    QLabel *m_state;
    QFormLayout *m_lines;
    QLabel *m_outputTitle;
    QPushButton *m_repeat; // shown once the job has ended
    JobOutput *m_output;
    std::vector<std::pair<QLabel *, qint64>> m_ages; // lines that show an instant and its age
    QTimer m_second;
    bool m_loaded = false; // show() has been called
    bool m_endShown = false; // the output is that of the job's end
    bool m_asked = false; // repeatWanted() is not answered yet
    QString m_refusal;
    int m_followed = 0; // the attempt whose output is shown; 0: none
    QByteArray m_pending; // output that is not shown yet, the latest of it
    QByteArray m_pendingErrors;
    qint64 m_leftOut = 0; // bytes before them
    QTimer m_moment; // runs for a moment after output was shown
    bool m_interrupted = false; // some of its output may be missing
    QStringDecoder m_fromOutput{QStringDecoder::Utf8}; // a character may arrive in two pieces
    QStringDecoder m_fromError{QStringDecoder::Utf8};
};

} // namespace drover::gui
