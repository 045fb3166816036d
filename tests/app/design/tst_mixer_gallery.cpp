#include <set>
#include <string>

#include <QComboBox>
#include <QImage>
#include <QLabel>
#include <QPainter>
#include <QtTest/QtTest>

#include "app/design/gallery/mixer_card.h"
#include "app/design/gallery/mixer_gallery.h"
#include "engine/values/config/kinds.h"
#include "tests/support/design_studio.h"
#include "widgets/theme/theme.h"

using namespace std::string_literals;
using namespace Qt::StringLiterals;

namespace lambda {

using test::DesignStudio;
using test::preset;

namespace {

constexpr std::size_t kSelfAttention = mixerKindOf<SelfAttentionMixer>();
constexpr std::size_t kDepthwise = mixerKindOf<DepthwiseConvolutionMixer>();

/// A studio whose gallery is opened by a click on the form's row.
struct Opened {
  explicit Opened(const PartId& part, QSize size = {1208, 730})
      : studio(preset("cpu-hybrid"), size) {
    studio.editor().setSelection({part});
    row = qobject_cast<QComboBox*>(studio.form().editorOf("block.mixer.kind"));
    QTest::mouseClick(row, Qt::LeftButton);
    gallery = studio.page->findChild<MixerGallery*>();
  }

  MixerCard& card(std::size_t kind) { return *gallery->cards().at(kind); }

  std::string pattern() const { return patternOf(studio.document.config().architecture); }

  DesignStudio studio;
  QComboBox* row;
  MixerGallery* gallery;
};

QImage pictureOf(const Mixer& mixer) {
  QImage image(92, 62, QImage::Format_ARGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  // In one colour, so that the pictures differ by what they show.
  paintQueryView(painter,
                 QRectF(image.rect()),
                 queryViewOf(mixer),
                 {Qt::blue, Qt::white, Qt::blue},
                 lightColors());
  return image;
}

}  // namespace

/// The choice of a mixer by cards.
class TestMixerGallery : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void init() { applyTheme(*qApp, ThemeChoice::light); }

  void theRowOpensIt() {
    Opened opened(blockPart(1, 0));
    QVERIFY(opened.gallery->isVisible());
    QCOMPARE(opened.gallery->cards().size(), kMixerKindCount);
    QVERIFY(opened.card(0).isChecked() && opened.card(0).hasFocus());
    QVERIFY(!opened.card(1).isChecked());
    for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
      const MixerCard& card = opened.card(kind);
      QCOMPARE(card.kind(), kind);
      QCOMPARE(card.accessibleName().toLower(),
               QString::fromUtf8(kMixerTraits[kind].name).toLower());
      QVERIFY(card.accessibleDescription().contains(u"the FLOPs and"_s));
    }
  }

  void aCardGivesTheBlockItsKind() {
    Opened opened(blockPart(1, 0));
    QTest::mouseClick(&opened.card(kSelfAttention), Qt::LeftButton);
    QVERIFY(!opened.gallery->isVisible());
    QCOMPARE(opened.pattern(), "C-ACL-CCL"s);
    QVERIFY(opened.row->hasFocus());
    opened.studio.document.undoStack().undo();
    QCOMPARE(opened.pattern(), "C-CCL-CCL"s);
  }

  void keysMoveAndChoose() {
    Opened opened(blockPart(1, 0));
    const auto key = [](Qt::Key pressed) { QTest::keyClick(QApplication::focusWidget(), pressed); };
    key(Qt::Key_Right);
    QVERIFY(opened.card(1).hasFocus());
    key(Qt::Key_Left);
    key(Qt::Key_Left);
    QVERIFY(opened.card(0).hasFocus());
    key(Qt::Key_Down);
    QVERIFY(opened.card(kDepthwise).hasFocus());
    key(Qt::Key_Return);
    QCOMPARE(opened.pattern(), "C-DCL-CCL"s);
    QTest::mouseClick(opened.row, Qt::LeftButton);
    QVERIFY(opened.card(kDepthwise).hasFocus());
    // Letters are not edits of the network behind the cards.
    key(Qt::Key_L);
    key(Qt::Key_Escape);
    QVERIFY(!opened.gallery->isVisible());
    QVERIFY(opened.row->hasFocus());
    QCOMPARE(opened.pattern(), "C-DCL-CCL"s);
  }

  void theFocusElsewhereClosesIt() {
    Opened opened(blockPart(1, 0));
    opened.studio.editor().setFocus();
    QVERIFY(!opened.gallery->isVisible());
  }

  void costsAreMultiplesOfAConvolution() {
    const Architecture architecture = preset("cpu-hybrid").architecture;
    const Selection block{blockPart(1, 0)};
    const auto offers = mixerOffers(architecture, block, {});
    QCOMPARE(offers.size(), kMixerKindCount);
    QCOMPARE(offers[0].flops, 1.0);
    QCOMPARE(offers[0].parameters, 1.0);
    Architecture wide = architecture;
    blockOf(wide, blockPart(1, 0)).mixer = ConvolutionMixer{5};
    QVERIFY(std::abs(mixerOffers(wide, block, {})[0].flops - 25.0 / 9) < 0.01);
    const auto narrow = mixerOffers(architecture, {blockPart(1, 1)}, {});
    QVERIFY(narrow[kDepthwise].parameters < 0.1 && narrow[kDepthwise].flops < 0.1);
    QCOMPARE(relativeCostText(offers[0]),
             u"1.0 × the FLOPs and 1.0 × the parameters of a 3×3 convolution"_s);
    // Blocks of several kinds have none in common.
    for (const MixerOffer& offer : mixerOffers(architecture, {stagePart(1)}, {})) {
      QVERIFY(!offer.isPresent);
    }
    QVERIFY(mixerOffers(architecture, {kStemPart}, {}).empty());
    for (const MixerOffer& offer :
         mixerOffers(preset("text-rwkv").architecture, {stagePart(0)}, {})) {
      QVERIFY(isCausal(offer.mixer));
    }
  }

  void everyKindHasItsPictureAndSentence() {
    std::set<QString> sentences;
    for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
      const Mixer mixer = valueOfKind<Mixer>(kind);
      sentences.insert(mixerBrief(mixer));
      QVERIFY(mixerBrief(mixer).endsWith(u'.'));
    }
    QCOMPARE(sentences.size(), kMixerKindCount);
    LambdaMixer windowed;
    windowed.scope = 3;
    const std::vector<Mixer> unlike{ConvolutionMixer{},
                                    ConvolutionMixer{5},
                                    LambdaMixer{},
                                    windowed,
                                    DepthwiseConvolutionMixer{},
                                    SelfAttentionMixer{},
                                    LocalAttentionMixer{.scope = 3},
                                    AxialAttentionMixer{},
                                    SqueezeExcitationMixer{},
                                    SpatialAttentionMixer{3}};
    for (std::size_t a = 0; a < unlike.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) QVERIFY(pictureOf(unlike[a]) != pictureOf(unlike[b]));
    }
  }

  void textsAreWhole_data() {
    QTest::addColumn<double>("scale");
    QTest::addColumn<QSize>("size");
    QTest::newRow("1280x800") << 1.0 << QSize(1208, 730);
    QTest::newRow("1920x1080") << 1.0 << QSize(1848, 1010);
    QTest::newRow("200 % text") << 2.0 << QSize(1208, 730);
  }

  void textsAreWhole() {
    QFETCH(double, scale);
    QFETCH(QSize, size);
    applyTheme(*qApp, ThemeChoice::light, scale);
    Opened opened(blockPart(1, 2), size);
    QCoreApplication::processEvents();
    QVERIFY(opened.studio.page->rect().contains(opened.gallery->geometry()));
    for (const MixerCard* card : opened.gallery->cards()) {
      const QWidget* viewport = card->parentWidget()->parentWidget();
      QVERIFY(card->geometry().right() < viewport->width());
      for (const QLabel* label : card->findChildren<QLabel*>()) {
        QVERIFY2(label->height() >= label->heightForWidth(label->width()),
                 qPrintable(label->text()));
        QVERIFY2(card->rect().contains(label->geometry()), qPrintable(label->text()));
      }
    }
  }
};

}  // namespace lambda

QTEST_MAIN(lambda::TestMixerGallery)
#include "tst_mixer_gallery.moc"
