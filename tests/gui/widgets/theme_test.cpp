#include "gui/pictures.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDateTimeEdit>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <QStyleOptionButton>
#include <QTest>
#include <QVBoxLayout>

#include <cmath>
#include <functional>

using namespace drover;
using namespace drover::gui;

namespace {

constexpr double Least = 3; // WCAG 2.1, 1.4.11: the boundary of a control

// The relative luminance and the contrast of WCAG.
double luminance(const QColor &color)
{
    const auto linear = [](double part) {
        return part <= 0.03928 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

double contrast(const QColor &a, const QColor &b)
{
    const auto [low, high] = std::minmax({luminance(a), luminance(b)});
    return (high + 0.05) / (low + 0.05);
}

// How well the border of the field is seen from outside and from inside, on the weakest of its sides: the best pixel on
// the way from the window into the field, against both.
double weakestBorder(const QImage &picture, const QRect &field)
{
    const QPoint middle = field.center();
    const QColor inside = picture.pixelColor(field.left() + field.width() * 3 / 5, middle.y());
    const std::pair<QPoint, QPoint> sides[] = {{{field.left() - 2, middle.y()}, {1, 0}},
                                               {{field.right() + 2, middle.y()}, {-1, 0}},
                                               {{middle.x(), field.top() - 2}, {0, 1}},
                                               {{middle.x(), field.bottom() + 2}, {0, -1}}};
    double weakest = 21;
    for (const auto &[outside, step] : sides) {
        double best = 0;
        for (int i = 1; i < 5; ++i) {
            const QColor color = picture.pixelColor(outside + step * i);
            best = std::max(best, std::min(contrast(color, picture.pixelColor(outside)), contrast(color, inside)));
        }
        weakest = std::min(weakest, best);
    }
    return weakest;
}

// Where the field is, for a box that of its tick.
QRect placeOf(const QWidget &field)
{
    QRect place = field.rect();
    if (const auto *const button = qobject_cast<const QAbstractButton *>(&field)) {
        QStyleOptionButton option;
        option.initFrom(button);
        const bool isRadio = qobject_cast<const QRadioButton *>(button);
        place = field.style()->subElementRect(isRadio ? QStyle::SE_RadioButtonIndicator : QStyle::SE_CheckBoxIndicator,
                                              &option, button);
    }
    return {field.mapTo(field.window(), place.topLeft()), place.size()};
}

using Make = std::function<QWidget *()>;

QWidget *comboBox(bool isEditable)
{
    auto *const box = new QComboBox;
    box->setEditable(isEditable);
    box->addItem(QString());
    return box;
}

} // namespace

// The look of what the user fills in.
class ThemeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void borders_data()
    {
        QTest::addColumn<Make>("make");
        QTest::newRow("line") << Make([] { return new QLineEdit; });
        QTest::newRow("text") << Make([] { return new QPlainTextEdit; });
        QTest::newRow("number") << Make([] { return new QSpinBox; });
        QTest::newRow("broken number") << Make([] { return new QDoubleSpinBox; });
        QTest::newRow("time") << Make([] { return new QDateTimeEdit; });
        QTest::newRow("choice") << Make([] { return comboBox(false); });
        QTest::newRow("choice or text") << Make([] { return comboBox(true); });
        QTest::newRow("check box") << Make([] { return new QCheckBox; });
        QTest::newRow("one of several") << Make([] { return new QRadioButton; });
    }

    void borders()
    {
        QFETCH(Make, make);
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            applyTheme(theme);
            QWidget window;
            auto *const rows = new QVBoxLayout(&window);
            QWidget *const field = make();
            auto *const other = new QLineEdit;
            rows->addWidget(field);
            rows->addWidget(other);
            window.resize(240, 160);
            window.show();
            QVERIFY(QTest::qWaitForWindowActive(&window));
            for (QWidget *const focused : {static_cast<QWidget *>(other), field}) {
                focused->setFocus(Qt::OtherFocusReason);
                const QString name = QStringLiteral("border %1 %2 %3")
                                         .arg(QString::fromUtf8(QTest::currentDataTag()),
                                              isDark(window.palette()) ? u"dark"_qs : u"light"_qs,
                                              field->hasFocus() ? u"focused"_qs : u"resting"_qs);
                const double found = weakestBorder(test::pictureOf(window, name), placeOf(*field));
                QVERIFY2(found >= Least, qPrintable(QStringLiteral("%1: %2").arg(name).arg(found)));
            }
        }
    }

    void aButtonHasAirBesideItsWords()
    {
        applyTheme(ThemeChoice::Light);
        for (const QString &words : {u"Submit a job…"_qs, u"Search the tree, and what is below it"_qs}) {
            const QPushButton button(words);
            const int air = button.sizeHint().width() - button.fontMetrics().horizontalAdvance(words);
            QVERIFY2(air >= 20, qPrintable(QString::number(air)));
        }
    }

    void aTextWithoutRoomEndsWithAnEllipsis()
    {
        applyTheme(ThemeChoice::Light);
        const QString text = QStringLiteral("session 0x100000000000002 of an open cluster, time-out 6s");
        QLabel *const label = elidingLabel();
        const std::unique_ptr<QWidget> owner(label);
        label->setText(text);
        QVERIFY(label->minimumSizeHint().width() < 10);
        const auto lookOf = [](QLabel &one, int width) {
            one.resize(width, 20);
            return one.grab().toImage();
        };
        for (const int width : {120, label->sizeHint().width()}) {
            const std::unique_ptr<QLabel> plain(
                plainLabel(label->fontMetrics().elidedText(text, Qt::ElideRight, width)));
            QCOMPARE(lookOf(*label, width), lookOf(*plain, width));
        }
    }

    // Texts and lines in a colour of our own.
    void colors()
    {
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            applyTheme(theme);
            const QPalette palette = QApplication::palette();
            for (const auto role : {QPalette::Base, QPalette::Window}) {
                for (const Tone tone : {Tone::Plain, Tone::Muted, Tone::Good, Tone::Busy, Tone::Waiting, Tone::Bad}) {
                    const double found = contrast(toneColor(tone, palette), palette.color(role));
                    QVERIFY2(found >= 4.5, qPrintable(QStringLiteral("tone %1: %2").arg(int(tone)).arg(found)));
                }
                for (int i = 0; i < 8; ++i)
                    QVERIFY(contrast(seriesColor(i, palette), palette.color(role)) >= Least);
                QVERIFY(contrast(fieldBorder(palette), palette.color(role)) >= Least);
                QVERIFY(contrast(focusBorder(palette), palette.color(role)) >= Least);
            }
        }
    }
};

QTEST_MAIN(ThemeTest)
#include "theme_test.moc"
