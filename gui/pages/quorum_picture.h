#pragma once

#include <QWidget>

namespace drover::zk {
struct ServerReport;
}

namespace drover::gui {

class EnsembleHistory;
class EnsembleModel;

// The servers as circles, joined to their leader: filled if they serve, dashed if they do not. Observers are squares.
// Voters that the connect string does not name are empty circles. Below stands how many must serve.
class QuorumPicture final : public QWidget
{
    Q_OBJECT

public:
    QuorumPicture(const EnsembleModel &model, const EnsembleHistory &history, QWidget *parent = nullptr);

    void setStale(bool stale);
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override { return minimumSizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    struct Node {
        const zk::ServerReport *server; // null: it is not named
        QString name;
        QPointF center;
        int series; // its colour in the charts
    };

    std::vector<Node> nodes() const;
    void paintNode(QPainter &painter, const Node &node, qreal width) const;
    void describe();

    const EnsembleModel &m_model;
    const EnsembleHistory &m_history;
    bool m_stale = false;
};

} // namespace drover::gui
