#pragma once

#include <QObject>

class QDialog;
class QWidget;

namespace drover::gui {

// Ends the title of each dialog of a window, and of the windows that belong to it, with the name of the cluster. So a
// question says which cluster it is about, also where several consoles are open.
class DialogTitles final : public QObject
{
    Q_OBJECT

public:
    explicit DialogTitles(QWidget &window); // a child of it

    void setCluster(const QString &name); // printable; for dialogs that open from now on

Q_SIGNALS:
    void openedUnseen(); // a dialog opens, and what it belongs to is not seen

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    bool isOurs(const QDialog &dialog) const;

    QWidget &m_window;
    QString m_cluster;
};

} // namespace drover::gui
