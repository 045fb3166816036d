#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <string>

#include <QAction>
#include <QImage>
#include <QtTest/QtTest>

#include "app/design/options/part_explanation.h"
#include "app/design/options/selection_form.h"
#include "engine/values/config/kinds.h"
#include "engine/values/config/validate.h"
#include "tests/support/network_bench.h"
#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/network/network_actions.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/theme.h"

using namespace std::string_literals;
using namespace Qt::StringLiterals;

namespace lambda {

using test::convolutions;
using test::NetworkBench;

namespace {

constexpr std::size_t kDepthwise = mixerKindOf<DepthwiseConvolutionMixer>();

QString letterOf(std::size_t kind) {
  return QChar::fromLatin1(kMixerTraits[kind].letter);
}

double luminance(const QColor& color) {
  const auto linear = [](double v) {
    return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
         0.0722 * linear(color.blueF());
}

/// The contrast ratio of two colours by WCAG.
double contrast(const QColor& a, const QColor& b) {
  const auto [dark, light] = std::minmax({luminance(a), luminance(b)});
  return (light + 0.05) / (dark + 0.05);
}

using Vector = std::array<double, 3>;

/// Linear red, green and blue as CIELAB.
Vector labOf(const Vector& rgb) {
  constexpr std::array<Vector, 3> kXyz{Vector{0.4124, 0.3576, 0.1805},
                                       Vector{0.2126, 0.7152, 0.0722},
                                       Vector{0.0193, 0.1192, 0.9505}};
  constexpr Vector kWhite{0.9505, 1, 1.089};
  Vector f{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double t = std::inner_product(rgb.begin(), rgb.end(), kXyz[i].begin(), 0.0) / kWhite[i];
    f[i] = t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116;
  }
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

/// How people see linear colours: all, or without red, green or blue cones (Machado et al., 2009).
constexpr std::array<std::array<Vector, 3>, 4> kVisions{{{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                                                         {{{0.152286, 1.052583, -0.204868},
                                                           {0.114503, 0.786281, 0.099216},
                                                           {-0.003882, -0.048116, 1.051998}}},
                                                         {{{0.367322, 0.860646, -0.227968},
                                                           {0.280085, 0.672501, 0.047413},
                                                           {-0.011820, 0.042940, 0.968881}}},
                                                         {{{1.255528, -0.076749, -0.178779},
                                                           {-0.078411, 0.930809, 0.147602},
                                                           {0.004733, 0.691367, 0.303900}}}}};

/// The distance of two colours in CIELAB for those who can tell them least.
double leastDistance(const QColor& a, const QColor& b) {
  const auto linear = [](const QColor& color) {
    Vector rgb{color.redF(), color.greenF(), color.blueF()};
    for (double& v : rgb) v = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    return rgb;
  };
  double least = std::numeric_limits<double>::infinity();
  for (const auto& vision : kVisions) {
    const auto seen = [&](const QColor& color) {
      const Vector rgb = linear(color);
      Vector result{};
      for (std::size_t i = 0; i < 3; ++i) {
        result[i] = std::clamp(
            std::inner_product(rgb.begin(), rgb.end(), vision[i].begin(), 0.0), 0.0, 1.0);
      }
      return labOf(result);
    };
    const Vector p = seen(a), q = seen(b);
    least = std::min(least, std::hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]));
  }
  return least;
}

}  // namespace

/// The appearance and the edits of each kind of mixer in the studio.
class TestMixerKinds : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void initTestCase() { applyTheme(*qApp, ThemeChoice::light); }

  void everyKindHasItsKeys_data() { addKinds(); }

  void everyKindHasItsKeys() {
    QFETCH(std::size_t, kind);
    NetworkBench bench(convolutions({2, 1}));
    const std::size_t other = kind == 0 ? 1 : 0;
    bench.editor.setSelection(allBlocks(bench.editor.architecture()));
    bench.editor.turnInto(other);
    const std::size_t steps = bench.steps.size();
    bench.click(blockPart(0, 1));
    bench.key(letterOf(kind).front().unicode());
    QCOMPARE(mixerAt(bench, 0, 1).index(), kind);
    QCOMPARE(mixerAt(bench, 0, 0).index(), other);
    QCOMPARE(bench.steps.size(), steps + 1);
    QCOMPARE(bench.steps.back().text, u"Turn a block into "_s + kindWithArticle(kind));
    bench.key(letterOf(kind).front().unicode(), Qt::ShiftModifier);
    QVERIFY(bench.editor.tool() == EditTool{kind});
    QVERIFY(bench.editor.actions().paint[static_cast<qsizetype>(kind)]->isChecked());
    bench.drag({bench.at(blockPart(1, 0))});
    QCOMPARE(mixerAt(bench, 1, 0).index(), kind);
    QCOMPARE(bench.steps.back().text, u"Paint "_s + kindWithArticle(kind));
    // Those for sequences do not suit images.
    QCOMPARE(validate(bench.editor.architecture()).empty(), !kMixerTraits[kind].isCausal);
  }

  void spacesGoThroughAllKinds() {
    NetworkBench bench(convolutions({1}));
    std::set<std::size_t> seen;
    for (std::size_t i = 0; i < kMixerKindCount; ++i) {
      seen.insert(mixerAt(bench, 0, 0).index());
      bench.turn(blockPart(0, 0));
    }
    QCOMPARE(seen.size(), kMixerKindCount);
    QCOMPARE(mixerAt(bench, 0, 0).index(), std::size_t{0});
  }

  void aBlockRemembersItsMixerOfEveryKind() {
    Architecture start = convolutions({1});
    start.stages[0].blocks[0].mixer = ConvolutionMixer{7};
    NetworkBench bench(start);
    bench.turn(blockPart(0, 0));
    bench.editor.turnInto(kDepthwise);
    Architecture wide = bench.editor.architecture();
    wide.stages[0].blocks[0].mixer = DepthwiseConvolutionMixer{9};
    bench.editor.setArchitecture(wide);
    for (std::size_t i = 0; i < kMixerKindCount; ++i) bench.editor.turnIntoNext();
    QVERIFY(bench.editor.architecture() == wide);
    bench.editor.turnInto(mixerKindOf<ConvolutionMixer>());
    QVERIFY(bench.editor.architecture() == start);
  }

  void chipsAreDrawnInTheColoursOfTheirKind_data() { addKinds(); }

  void chipsAreDrawnInTheColoursOfTheirKind() {
    QFETCH(std::size_t, kind);
    for (const ThemeChoice choice : {ThemeChoice::dark, ThemeChoice::light}) {
      applyTheme(*qApp, choice);
      const Colors& colors = choice == ThemeChoice::dark ? darkColors() : lightColors();
      Architecture architecture = convolutions({1});
      architecture.stages[0].blocks[0].mixer = valueOfKind<Mixer>(kind);
      NetworkBench bench(architecture);
      const QRectF box = bench.editor.boxOf(blockPart(0, 0));
      const QImage image = bench.editor.viewport()->grab().toImage();
      const MixerColors chip = colorsOfMixer(valueOfKind<Mixer>(kind), colors);
      QCOMPARE(image.pixelColor(qRound(box.center().x()), qRound(box.top()) + 3), chip.ground);
      QVERIFY(contrast(chip.ink, chip.ground) >= 4.5);
    }
  }

  void kindsCanBeTold() {
    std::set<QString> letters, texts, grounds;
    for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
      const Mixer mixer = valueOfKind<Mixer>(kind);
      letters.insert(chipLetter(mixer));
      texts.insert(mixerText(mixer));
      grounds.insert(colorsOfMixer(mixer, lightColors()).ground.name());
      QVERIFY(!chipOptions(mixer).isEmpty());
    }
    QCOMPARE(letters.size(), kMixerKindCount);
    QCOMPARE(texts.size(), kMixerKindCount);
    QCOMPARE(grounds.size(), kMixerKindCount);
  }

  void colourBlindPeopleCanTellTheChips() {
    constexpr double kClearlyOther = 15;
    for (const Colors& colors : {lightColors(), darkColors()}) {
      for (std::size_t a = 0; a < kMixerKindCount; ++a) {
        for (std::size_t b = 0; b < a; ++b) {
          const double distance =
              leastDistance(colorsOfMixer(valueOfKind<Mixer>(a), colors).ground,
                            colorsOfMixer(valueOfKind<Mixer>(b), colors).ground);
          const QString told = u"%1 and %2: %3"_s.arg(kindPlural(a), kindPlural(b)).arg(distance);
          QVERIFY2(distance > kClearlyOther, qPrintable(told));
        }
      }
    }
  }

  void aStageOfTwoKindsIsDrawnInBothColours() {
    // The colours on the front of a stage's map, which are tints of its colour.
    const auto frontOf = [](const Architecture& architecture) {
      NetworkBench bench(architecture);
      const QRectF box = bench.editor.boxOf(stagePart(0));
      const QImage image = bench.editor.viewport()->grab().toImage();
      std::set<QRgb> colors;
      for (int y = qRound(box.top()); y < box.bottom(); ++y) {
        colors.insert(image.pixel(qRound(box.center().x()) - 6, y));
      }
      return colors;
    };
    Architecture architecture = convolutions({2});
    const auto plain = frontOf(architecture);
    architecture.stages[0].blocks[0].mixer = DepthwiseConvolutionMixer{};
    const auto half = frontOf(architecture);
    architecture.stages[0].blocks[1].mixer = DepthwiseConvolutionMixer{};
    const auto whole = frontOf(architecture);
    QVERIFY(plain != half && half != whole && plain != whole);
  }

  void theFormOffersEveryKind_data() { addKinds(); }

  void theFormOffersEveryKind() {
    QFETCH(std::size_t, kind);
    const Architecture start = convolutions({2});
    const Selection block{blockPart(0, 1)};
    const auto next = withField(
        start, block, "block.mixer.kind", Choice{static_cast<int>(kind), {}}, MixerMemory{});
    QVERIFY(next.has_value());
    QCOMPARE(blockOf(*next, blockPart(0, 1)).mixer.index(), kind);
    const std::vector<FormSection> sections = sectionsFor(*next, block);
    QCOMPARE(sections.size(), std::size_t{1});
    const FieldRow* row = findRow(sections[0].rows, "block.mixer.kind");
    QVERIFY(row != nullptr);
    const QString label = QString::fromStdString(textOf(*row, row->value)).toLower();
    QVERIFY2(kindWithArticle(kind).toLower().endsWith(label), qPrintable(label));
    for (const FieldRow& option : rowsOf(blockOf(*next, blockPart(0, 1)).mixer)) {
      QVERIFY2(findRow(sections[0].rows, "block.mixer." + option.path), option.path.c_str());
    }
  }

  void optionsOfSeveralKindsStandOnce() {
    Architecture start = convolutions({3});
    start.stages[0].blocks[1].mixer = DepthwiseConvolutionMixer{5};
    const Selection stage{stagePart(0)};
    const auto kernelRows = [&](const Architecture& architecture) {
      std::vector<FieldRow> rows;
      for (const FormSection& section : sectionsFor(architecture, stage)) {
        for (const FieldRow& row : section.rows) {
          if (row.path == "block.mixer.kernelSize") rows.push_back(row);
        }
      }
      return rows;
    };
    QCOMPARE(kernelRows(start).size(), std::size_t{1});
    QVERIFY(kernelRows(start).front().mixed);
    const auto next =
        withField(start, stage, "block.mixer.kernelSize", std::int64_t{7}, MixerMemory{});
    QVERIFY(!kernelRows(*next).front().mixed);
    QVERIFY(next->stages[0].blocks[0].mixer == Mixer(ConvolutionMixer{7}));
    QVERIFY(next->stages[0].blocks[1].mixer == Mixer(DepthwiseConvolutionMixer{7}));
    Architecture three = *next;
    three.stages[0].blocks[2].mixer = LambdaMixer{};
    QCOMPARE(kernelRows(three).size(), std::size_t{1});
    const std::vector<FormSection> sections = sectionsFor(three, stage);
    const auto ofLambda = std::ranges::find(sections, u"The lambda layer"_s, &FormSection::title);
    QVERIFY(ofLambda != sections.end());
    QVERIFY(findRow(ofLambda->rows, "block.mixer.k"));
  }

  void explanationsCompareAllKinds_data() { addKinds(); }

  void explanationsCompareAllKinds() {
    QFETCH(std::size_t, kind);
    Architecture architecture = convolutions({1});
    architecture.stages[0].blocks[0].mixer = valueOfKind<Mixer>(kind);
    const ExplanationText text =
        explanationOf(architecture, costsOf(architecture), {blockPart(0, 0)});
    QCOMPARE(text.title.toLower(), kindWithArticle(kind).toLower());
    QVERIFY(!text.formula.isEmpty() && !text.body.isEmpty());
    const auto alternatives =
        std::count_if(text.numbers.begin(), text.numbers.end(), [](const auto& number) {
          return number.first.startsWith(u"As "_s);
        });
    QCOMPARE(alternatives, static_cast<std::ptrdiff_t>(kMixerKindCount) - 1);
  }

  void aDepthwiseConvolutionIsExplainedByItsWeights() {
    Architecture architecture = convolutions({1, 1});
    architecture.family = Family::plain;
    architecture.stages[1].blocks[0].mixer = DepthwiseConvolutionMixer{5};
    const ExplanationText text =
        explanationOf(architecture, costsOf(architecture), {blockPart(1, 0)});
    QCOMPARE(text.numbers[0].second, u"5×5 × 32"_s);
    QCOMPARE(text.numbers[1].second, u"32 × 64"_s);
    QCOMPARE(mixerText(architecture.stages[1].blocks[0].mixer), u"Depthwise convolution 5×5"_s);
    QCOMPARE(patternOf(architecture), "C-D"s);
    QVERIFY(patternLegend().find("D for depthwise convolutions") != std::string::npos);
  }

  void aPlainBlockOfItChoosesAShortcut() {
    Architecture architecture = convolutions({1});
    architecture.family = Family::plain;
    architecture.stages[0].blocks[0].mixer = DepthwiseConvolutionMixer{};
    const std::vector<FormSection> sections = sectionsFor(architecture, {blockPart(0, 0)});
    QVERIFY(findRow(sections[0].rows, "block.residual"));
  }

 private:
  static void addKinds() {
    QTest::addColumn<std::size_t>("kind");
    for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
      QTest::newRow(std::string(kMixerTraits[kind].kind).c_str()) << kind;
    }
  }

  static const Mixer& mixerAt(const NetworkBench& bench, int stage, int block) {
    return blockOf(bench.editor.architecture(), blockPart(stage, block)).mixer;
  }

  static std::vector<FieldRow> rowsOf(const Mixer& mixer) {
    return std::visit([](const auto& options) { return lambda::rowsOf(options); }, mixer);
  }
};

}  // namespace lambda

QTEST_MAIN(lambda::TestMixerKinds)
#include "tst_mixer_kinds.moc"
