#include <functional>
#include <memory>

#include <QFile>
#include <QImage>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include "app/inspect/epochs/norm_strip.h"
#include "app/inspect/panels/embeddings_panel.h"
#include "app/inspect/panels/image_panel.h"
#include "app/inspect/panels/keys_panel.h"
#include "app/inspect/panels/lambda_panel.h"
#include "app/train/live/epoch_strip.h"
#include "app/train/live/layer_picture.h"
#include "tests/support/example_snapshot.h"
#include "widgets/export/export_file.h"
#include "widgets/network/network_editor.h"
#include "widgets/pictures/bar_list.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/pictures/heatmaps/named_heatmap.h"
#include "widgets/pictures/images/image_view.h"
#include "widgets/plots/curves/curve_plot.h"
#include "widgets/plots/intervals/interval_plot.h"
#include "widgets/plots/lines/learning_rate_plot.h"
#include "widgets/plots/lines/spectrum_view.h"
#include "widgets/plots/scatter/scatter_plot.h"
#include "widgets/tables/confusion_view.h"

using namespace Qt::StringLiterals;

namespace lambda::test {

namespace {

/// A widget, the figure in it, and its texts in the order of the checks: caption, x, y, colour bar.
struct Figure {
  std::shared_ptr<QWidget> widget;
  const Exportable* exported = nullptr;
  QStringList texts;
};

template <class Widget>
Figure figure(std::shared_ptr<Widget> widget, const QStringList& texts) {
  const Exportable* exported = widget.get();
  return {widget, exported, texts};
}

/// A text may be divided at the ends of lines and between fonts.
QString withoutSpaces(QString text) {
  return text.remove(u' ').remove(u'\n');
}

QString textsOf(const QString& svg) {
  QFile file(svg);
  if (!file.open(QIODevice::ReadOnly)) return {};
  QXmlStreamReader reader(&file);
  QStringList texts;
  while (!reader.atEnd()) {
    reader.readNext();
    if (reader.isStartElement() && reader.name() == u"text") texts << reader.readElementText();
  }
  return withoutSpaces(texts.join(QString()));
}

template <class Panel>
std::shared_ptr<Panel> panelWithSnapshot() {
  auto panel = std::make_shared<Panel>();
  panel->resize(420, 600);
  panel->show();  // A panel is updated while it is in view.
  panel->setState({.snapshot = std::make_shared<const InspectionSnapshot>(exampleSnapshot())});
  return panel;
}

Figure curves() {
  auto plot = std::make_shared<CurvePlot>(
      std::vector<CurvePanel>{{u"Loss"_s, false}, {u"Accuracy"_s, true}});
  plot->setSeries({{.key = "loss", .label = "validation", .samples = {{0, 10}, {}, {}, {2, 1}}},
                   {.key = "accuracy",
                    .label = "validation",
                    .panel = 1,
                    .samples = {{0, 10}, {}, {}, {0.1, 0.8}}}});
  return figure(plot, {u"Loss"_s, u"Accuracy"_s, u"Step"_s, u"80 %"_s});
}

Figure scatter() {
  auto plot = std::make_shared<ScatterPlot>();
  plot->setAxes({u"Parameters"_s, ValueUnit::count, true},
                {u"Test accuracy"_s, ValueUnit::percent});
  plot->setPoints({{"a", u"first"_s, 1e5, 0.5, 0}, {"b", u"second"_s, 1e6, 0.8, 1}});
  return figure(plot,
                {u"Test accuracy against Parameters"_s, u"Parameters"_s, u"200 k"_s, u"60 %"_s});
}

Figure intervals() {
  auto plot = std::make_shared<IntervalPlot>(IntervalLook::bands);
  plot->setExportCaption(u"Validation accuracy with its interval"_s);
  plot->setAxes({u"Epoch"_s, ValueUnit::count}, {u"Accuracy, %"_s}, 1);
  plot->setLines({{u"lambda"_s,
                   {{"lambda", 1, {{"run", 40}}, {.count = 1, .mean = 40, .interval = {}}},
                    {"lambda", 9, {{"run", 80}}, {.count = 1, .mean = 80, .interval = {}}}}}});
  return figure(
      plot, {u"Validation accuracy with its interval"_s, u"Epoch"_s, u"Accuracy"_s, u"lambda"_s});
}

Figure namedHeatmap() {
  auto map = std::make_shared<NamedHeatmap>();
  map->setData({u"Test accuracy, %"_s,
                u"Mixer"_s,
                u"Learning rate"_s,
                {u"lambda"_s},
                {u"0.1"_s, u"0.2"_s},
                {62.5, std::nullopt}});
  return figure(map, {u"Test accuracy, %"_s, u"Learning rate"_s, u"lambda"_s, u"62.5"_s});
}

Figure learningRate() {
  auto plot = std::make_shared<LearningRatePlot>();
  plot->setCurve({{0, 0}, {1, 0.1}, {4, 0}}, 4);
  return figure(plot, {u"Learning rate over the run"_s, u"Epoch"_s, u"Learning rate"_s, u"0.10"_s});
}

Figure spectrum() {
  auto panel = panelWithSnapshot<LambdaPanel>();
  return {panel,
          &panel->spectrum(),
          {u"Singular values of the lambda matrices"_s,
           u"Number of the singular value"_s,
           u"Singular value"_s,
           u"total, rank"_s}};
}

Figure norms() {
  auto strip = std::make_shared<NormStrip>();
  strip->setNorms({{.epoch = 0, .content = 1, .position = 2, .embeddings = 3},
                   {.epoch = 1, .content = 2, .position = 3, .embeddings = 4}});
  return figure(strip,
                {u"Norms of lambdas and embeddings over the epochs"_s,
                 u"Epoch"_s,
                 u"Norm, share of its greatest"_s,
                 u"content λ, at most 2.00"_s});
}

Figure confusion() {
  auto view = std::make_shared<ConfusionView>();
  view->setMatrix({.classes = 2, .counts = {8, 2, 1, 9}}, {u"cat"_s, u"dog"_s}, u"Test images"_s);
  return figure(view, {u"Test images"_s, u"cat"_s, u"Predicted as"_s, u"correct, 0 to 100 %"_s});
}

Figure lambdaMatrix() {
  auto panel = panelWithSnapshot<LambdaPanel>();
  return {panel, &panel->content(), {u"Lambda matrix: content"_s, u"k"_s, u"v"_s, u"−"_s}};
}

Figure contributions() {
  auto panel = panelWithSnapshot<ImagePanel>();
  return {panel,
          &panel->heads(),
          {u"of all pixels to the output at row"_s, u"row"_s, u"column"_s, u"−"_s}};
}

Figure overlay() {
  auto panel = panelWithSnapshot<ImagePanel>();
  return {panel, &panel->image(), {u"of all pixels to the output at row"_s, u"Query"_s, u"−"_s}};
}

Figure embeddings() {
  auto panel = panelWithSnapshot<EmbeddingsPanel>();
  return {panel, &panel->tiles(), {u"Layer"_s, u"Δx"_s, u"Δy"_s, u"−"_s}};
}

Figure patterns() {
  auto panel = panelWithSnapshot<EmbeddingsPanel>();
  return {panel, &panel->patterns(), {u"Principal patterns"_s, u"Δx"_s, u"Δy"_s, u"−"_s}};
}

Figure keys() {
  auto panel = panelWithSnapshot<KeysPanel>();
  return {panel, &panel->regions(), {u"key region"_s, u"row"_s, u"column"_s, u"0"_s}};
}

Figure epochs() {
  auto strip = std::make_shared<EpochStrip>();
  strip->add(std::make_shared<const LayerPicture>(pictureOf(exampleSnapshot())));
  return figure(strip, {u"The layer at the ends of the epochs"_s, u"Lambda matrix"_s, u"−"_s});
}

Figure probabilities() {
  auto bars = std::make_shared<BarList>();
  bars->setBars({{u"cat"_s, 0.25, true, false}, {u"dog"_s, 0.75, false, true}});
  return figure(bars, {u"Class probabilities"_s, u"75.0 %"_s});
}

Figure network() {
  auto editor = std::make_shared<NetworkEditor>();
  Architecture architecture;
  architecture.name = "small";
  architecture.stages = {{.width = 16, .blocks = {Block{}}}};
  editor->setArchitecture(architecture);
  return figure(editor, {u"small"_s, u"parameters"_s, u"FLOPs"_s});
}

}  // namespace

class TestExportedFigures : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void haveCaptionAxesAndColourBars_data() {
    QTest::addColumn<std::function<Figure()>>("make");
    const std::pair<const char*, Figure (*)()> figures[] = {{"curves", curves},
                                                            {"scatter", scatter},
                                                            {"intervals", intervals},
                                                            {"named heat map", namedHeatmap},
                                                            {"learning rate", learningRate},
                                                            {"spectrum", spectrum},
                                                            {"norms", norms},
                                                            {"confusion", confusion},
                                                            {"lambda matrix", lambdaMatrix},
                                                            {"contributions", contributions},
                                                            {"overlay", overlay},
                                                            {"embeddings", embeddings},
                                                            {"patterns", patterns},
                                                            {"keys", keys},
                                                            {"epochs", epochs},
                                                            {"probabilities", probabilities},
                                                            {"network", network}};
    for (const auto& [name, make] : figures) QTest::newRow(name) << std::function<Figure()>(make);
  }

  void haveCaptionAxesAndColourBars() {
    QFETCH(std::function<Figure()>, make);
    const Figure made = make();
    const QTemporaryDir temporary;
    const QString kept = qEnvironmentVariable("LAMBDA_WRITE_FIGURES");
    const QString folder = kept.isEmpty() ? temporary.path() : kept;
    const QString stem = folder + u'/' + QString::fromLatin1(QTest::currentDataTag());
    for (const QString& suffix : {u".svg"_s, u".pdf"_s, u".png"_s}) {
      QCOMPARE(writeExport(*made.exported, stem + suffix, {}), QString());
    }
    const QString texts = textsOf(stem + u".svg"_s);
    for (const QString& text : made.texts) {
      QVERIFY2(texts.contains(withoutSpaces(text)),
               qPrintable(u"no \""_s + text + u"\" in:\n"_s + texts));
    }
    const QImage image(stem + u".png"_s);
    QCOMPARE(image.size(), exportedSize(*made.exported, {}) * 2);
  }
};

}  // namespace lambda::test

QTEST_MAIN(lambda::test::TestExportedFigures)
#include "tst_exported_figures.moc"
