#pragma once

#include "jobs/job_lookup.h"

#include <QDialog>
#include <QStringDecoder>

class QFormLayout;
class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace drover::gui {

// All that the cluster knows about one job, with the end of its output; of a job that runs, its output as it comes.
class JobDialog final : public QDialog
{
    Q_OBJECT

public:
    explicit JobDialog(const jobs::JobId &id, QWidget *parent = nullptr);

    const jobs::JobId &id() const { return m_id; }
    void show(const jobs::JobView &job);
    void fail(const QString &why);
    // What the present attempt writes, once outputWanted() has asked for it.
    void addOutput(const QByteArray &output, const QByteArray &error);
    void sayInterrupted(const QString &why);
    // repeatWanted() has been answered.
    void letRepeat();

Q_SIGNALS:
    void refreshWanted();
    void repeatWanted();
    void outputWanted(int attempt, const QString &worker);

private:
    void addLine(const QString &name, const QString &value);
    void showSpec(const jobs::JobSpec &spec);
    void showRecord(const jobs::FinalRecord &record);
    void showClaim(const jobs::JobView &job);
    void showOutput(const jobs::JobView &job);
    void showGrowing(const jobs::Claim &claim);
    void sayGrowing();

    jobs::JobId m_id;
    QLabel *m_dot;
    QLabel *m_state;
    QFormLayout *m_lines;
    QLabel *m_outputTitle;
    QPushButton *m_repeat; // once it has ended
    QPlainTextEdit *m_output;
    int m_followed = 0; // the attempt whose output comes; 0: none
    bool m_interrupted = false; // and something of it may be missing
    QStringDecoder m_fromOutput{QStringDecoder::Utf8}; // a character may come in two pieces
    QStringDecoder m_fromError{QStringDecoder::Utf8};
};

} // namespace drover::gui
