#include <algorithm>
#include <cstdlib>

#include <QAbstractButton>
#include <QHelpEvent>
#include <QLabel>
#include <QSlider>
#include <QTabWidget>
#include <QToolTip>
#include <QtTest/QtTest>

#include "app/inspect/choosers/layer_list.h"
#include "app/inspect/choosers/name_list.h"
#include "app/inspect/choosers/source_chooser.h"
#include "app/inspect/compare/compare_side.h"
#include "app/inspect/compare/comparison.h"
#include "app/inspect/epochs/epoch_player.h"
#include "app/inspect/images/image_picker.h"
#include "app/inspect/panels/contribution_pictures.h"
#include "app/inspect/panels/image_panel.h"
#include "tests/support/inspect_page_stage.h"
#include "widgets/pictures/images/image_grid.h"
#include "widgets/pictures/images/image_view.h"
#include "widgets/theme/elided_label.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

constexpr int kPatience = 5000;  // milliseconds until layouts must be stable

}  // namespace

class TestInspectLooks : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() { stage_ = std::make_unique<InspectPageStage>(); }

  void cleanup() { stage_.reset(); }

  void itFitsSmallWindowsAndLargeText_data();
  void itFitsSmallWindowsAndLargeText();
  void itGrowsWithTextThatIsMadeLarger();
  void largeTextLeavesSpaceForThePictures();
  void noWordsAreCutAtTheUsualSize();
  void longNamesAreWholeInTheirToolTips();
  void theOpacityStandsBesideItsName();

 private:
  std::unique_ptr<InspectPageStage> stage_;
};

void TestInspectLooks::itFitsSmallWindowsAndLargeText_data() {
  QTest::addColumn<double>("scale");
  QTest::addColumn<QSize>("space");
  QTest::newRow("usual text") << 1.0 << QSize(920, 560);
  QTest::newRow("text half as large again") << 1.5 << QSize(1190, 660);
  QTest::newRow("text twice as large") << 2.0 << QSize(1820, 980);
}

void TestInspectLooks::itFitsSmallWindowsAndLargeText() {
  QFETCH(double, scale);
  QFETCH(QSize, space);
  applyTheme(*qApp, ThemeChoice::light, scale);
  const auto usual = qScopeGuard([] { applyTheme(*qApp, ThemeChoice::light, 1); });
  stage_->open(space);
  RunRecord record = smallRecord("a-name-that-somebody-gave-with-love-and-a-hyperparameter-or-two");
  for (Stage& stage : record.config.architecture.stages) {
    std::get<LambdaMixer>(stage.blocks[1].mixer).heads = 8;
  }
  const RunSummary run = writeSummary(stage_->library(), "long", record);
  for (const int epoch : {1, 2}) {
    writeProbe(run.path, epoch, inspectableLayers(record.config.architecture));
  }
  stage_->show(run);
  // The size that prevents a smaller window, or the widget that is smaller than it needs.
  const auto tooLarge = [&]() -> QString {
    const auto text = [](const QSize& size) {
      return u"%1 x %2"_s.arg(size.width()).arg(size.height());
    };
    const QSize least = stage_->page().minimumSizeHint();
    if (least.width() > space.width() || least.height() > space.height()) return text(least);
    for (const QWidget* widget : stage_->page().findChildren<QWidget*>()) {
      if (!widget->isVisible() || widget->parentWidget()->inherits("QAbstractSpinBox")) continue;
      QSize needed = widget->minimumSizeHint().boundedTo(widget->maximumSize());
      if (widget->minimumWidth() > 0) needed.setWidth(widget->minimumWidth());
      if (widget->minimumHeight() > 0) needed.setHeight(widget->minimumHeight());
      // Rounding may cost one pixel.
      if (widget->width() < needed.width() - 1 || widget->height() < needed.height() - 1) {
        return QString::fromLatin1(widget->metaObject()->className()) + u": "_s +
               text(widget->size()) + u" instead of "_s + text(needed);
      }
    }
    return {};
  };
  for (int tab = 0; tab < stage_->part<QTabWidget>().count(); ++tab) {
    stage_->part<QTabWidget>().setCurrentIndex(tab);
    QTRY_COMPARE_WITH_TIMEOUT(tooLarge(), QString(), kPatience);
  }
  stage_->part<ImagePicker>().setProgress(std::pair<qint64, qint64>(1234, 10000));
  QTRY_COMPARE_WITH_TIMEOUT(tooLarge(), QString(), kPatience);
  stage_->part<ImagePicker>().setProgress(std::nullopt);
  stage_->page().setMode(InspectModeKind::epochs);
  QTRY_COMPARE(stage_->part<EpochPlayer>().count(), 2);
  QTRY_COMPARE_WITH_TIMEOUT(tooLarge(), QString(), kPatience);
  stage_->page().setMode(InspectModeKind::compare);
  auto& comparison = stage_->part<Comparison>();
  QTRY_VERIFY(comparison.left().snapshot() && comparison.right().snapshot());
  QTRY_COMPARE_WITH_TIMEOUT(tooLarge(), QString(), kPatience);
}

void TestInspectLooks::itGrowsWithTextThatIsMadeLarger() {
  const QSize thumbnails = stage_->part<ImagePicker>().grid().size();
  const int layers = stage_->part<LayerList>().parentWidget()->minimumWidth();
  applyTheme(*qApp, ThemeChoice::light, 2);
  const auto usual = qScopeGuard([] { applyTheme(*qApp, ThemeChoice::light, 1); });
  QTRY_VERIFY(stage_->part<ImagePicker>().grid().height() > 1.5 * thumbnails.height());
  QTRY_COMPARE(stage_->part<LayerList>().parentWidget()->minimumWidth(), 2 * layers);
}

void TestInspectLooks::largeTextLeavesSpaceForThePictures() {
  applyTheme(*qApp, ThemeChoice::light, 2);
  const auto usual = qScopeGuard([] { applyTheme(*qApp, ThemeChoice::light, 1); });
  stage_->open(QSize(1340, 720));
  stage_->show(writeSummary(stage_->library(), "large", smallRecord("large")));
  const auto pictures = stage_->part<ContributionPictures>().findChildren<ImageView*>();
  QCOMPARE(pictures.size(), 2);
  for (const ImageView* picture : pictures) {
    const auto side = [picture] {
      return std::min<double>(picture->width(),
                              picture->height() - picture->heightBelow(picture->width()));
    };
    QTRY_VERIFY_WITH_TIMEOUT(side() >= 150, kPatience);
  }
}

void TestInspectLooks::noWordsAreCutAtTheUsualSize() {
  RunRecord record = smallRecord("cpu-hybrid");
  const RunSummary run = writeSummary(stage_->library(), "cpu-hybrid", record);
  stage_->answerWith([](const auto& config, const auto& request, auto step, int epoch) {
    InspectionSnapshot s = exampleAnswer(config, request, step + 12345, epoch);
    s.classNames[3] = "dot diagonal to square";
    s.classNames[5] = "dot diagonal to triangle";
    return s;
  });
  stage_->show(run);
  const auto cutWords = [&]() -> QString {
    for (const auto* label : stage_->page().findChildren<QLabel*>()) {
      if (!label->isVisible() || label->text().isEmpty()) continue;
      const auto* elided = qobject_cast<const ElidedLabel*>(label);
      if (elided && elided->text() != elided->fullText()) return elided->fullText();
      const int width = label->contentsRect().width();
      const QSize needed(label->fontMetrics().horizontalAdvance(label->text()),
                         label->heightForWidth(width));
      const bool fits =
          label->wordWrap() ? needed.height() <= label->height() + 1 : needed.width() <= width + 1;
      if (!elided && !fits) return label->text();
    }
    for (const auto* button : stage_->page().findChildren<QAbstractButton*>()) {
      const bool fits = button->width() + 1 >= button->minimumSizeHint().width();
      if (button->isVisible() && !button->text().isEmpty() && !fits) return button->text();
    }
    return {};
  };
  for (int tab = 0; tab < stage_->part<QTabWidget>().count(); ++tab) {
    stage_->part<QTabWidget>().setCurrentIndex(tab);
    QTRY_COMPARE_WITH_TIMEOUT(cutWords(), QString(), kPatience);
  }
  stage_->page().setMode(InspectModeKind::compare);
  QTRY_VERIFY(stage_->part<Comparison>().right().snapshot());
  QTRY_COMPARE_WITH_TIMEOUT(cutWords(), QString(), kPatience);
}

void TestInspectLooks::longNamesAreWholeInTheirToolTips() {
  const std::string name = "a-name-that-somebody-gave-with-love-and-a-hyperparameter-or-two";
  stage_->show(writeSummary(stage_->library(), "long", smallRecord(name)));
  auto& list = *stage_->part<SourceChooser>().findChild<NameList*>();
  QHelpEvent help(QEvent::ToolTip, QPoint(4, 4), list.mapToGlobal(QPoint(4, 4)));
  QApplication::sendEvent(&list, &help);
  QVERIFY(QToolTip::text().contains(QString::fromStdString(name)));
  const auto& layers = stage_->part<LayerList>();
  QVERIFY(layers.item(0)->toolTip().contains(layers.item(0)->text()));
}

/// At each width at which the controls need another number of lines.
void TestInspectLooks::theOpacityStandsBesideItsName() {
  ImagePanel panel;
  panel.setOverlay(true);
  panel.show();
  const auto* slider = panel.findChild<QSlider*>();
  const auto labels = panel.findChildren<QLabel*>();
  const auto label = std::ranges::find(labels, slider, &QLabel::buddy);
  QVERIFY(label != labels.end());
  const auto centerOf = [&](const QWidget& part) {
    return part.mapTo(&panel, part.rect().center()).y();
  };
  for (int width = 900; width >= panel.minimumSizeHint().width(); width -= 8) {
    panel.resize(width, 600);
    QCoreApplication::processEvents();
    QVERIFY2(std::abs(centerOf(**label) - centerOf(*slider)) <= 1,
             qPrintable(u"at a width of %1"_s.arg(width)));
  }
}

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestInspectLooks)
#include "tst_inspect_looks.moc"
