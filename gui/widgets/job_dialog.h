#pragma once

#include "jobs/job_lookup.h"

#include <QDialog>

class QFormLayout;
class QLabel;
class QPlainTextEdit;

namespace drover::gui {

// All that the cluster knows about one job, with the end of its output.
class JobDialog final : public QDialog
{
    Q_OBJECT

public:
    explicit JobDialog(const jobs::JobId &id, QWidget *parent = nullptr);

    const jobs::JobId &id() const { return m_id; }
    void show(const jobs::JobView &job);
    void fail(const QString &why);

Q_SIGNALS:
    void refreshWanted();

private:
    void addLine(const QString &name, const QString &value);
    void showSpec(const jobs::JobSpec &spec);
    void showRecord(const jobs::FinalRecord &record);
    void showOutput(const jobs::JobView &job);

    jobs::JobId m_id;
    QLabel *m_dot;
    QLabel *m_state;
    QFormLayout *m_lines;
    QLabel *m_outputTitle;
    QPlainTextEdit *m_output;
};

} // namespace drover::gui
