#include "app/inspect/text/kept_panel.h"

#include <QLabel>
#include <QVBoxLayout>

#include "app/inspect/panels/panel_parts.h"
#include "app/inspect/text/text_words.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/theme/spacing.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QString asSentence(const std::string& text) {
  QString sentence = QString::fromStdString(text);
  sentence[0] = sentence[0].toUpper();
  return sentence + u'.';
}

}  // namespace

KeptPanel::KeptPanel(QWidget* parent) : TextSidePanel(parent), title_(makeNote()) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(spacing::kWide, spacing::kGap, spacing::kGap, spacing::kGap);
  column->setSpacing(spacing::kTight);
  column->addWidget(title_);
  for (std::size_t i = 0; i < kMost; ++i) {
    notes_[i] = makeNote();
    pictures_[i] = new HeatmapView;
    pictures_[i]->setPlaceholder(u"Nothing to show yet."_s);
    frames_[i] = withExport(*pictures_[i]);
    column->addWidget(notes_[i]);
    column->addWidget(frames_[i], 1);
  }
  KeptPanel::show({});
}

void KeptPanel::show(const TextState& state) {
  const std::size_t count = state.snapshot ? std::min(kMost, state.snapshot->kept.size()) : 0;
  title_->setText(state.snapshot ? u"After token %1, all that the layer keeps to read on."_s.arg(
                                       state.snapshot->position)
                                 : QString());
  for (std::size_t i = 0; i < kMost; ++i) {
    notes_[i]->setVisible(i < count);
    frames_[i]->setVisible(i < std::max<std::size_t>(1, count));
    if (i >= count) {
      pictures_[i]->setData({});
      continue;
    }
    const KeptPart& part = state.snapshot->kept[i];
    const QString name = QString::fromStdString(part.name);
    const QString meaning = asSentence(part.meaning);
    notes_[i]->setText(meaning);
    pictures_[i]->setAccessibleName(meaning);
    HeatmapData heat{.array = part.values,
                     .name = exportStem(*state.snapshot, u"kept-"_s + name),
                     .caption = exportCaption(*state.snapshot, meaning.chopped(1))};
    if (part.values.shape.size() == 3) {
      for (std::int64_t head = 0; head < part.values.shape[0]; ++head) {
        heat.captions << u"Head %1"_s.arg(head);
      }
    }
    pictures_[i]->setData(std::move(heat));
  }
}

std::vector<const Exportable*> KeptPanel::exports() const {
  return {pictures_.begin(), pictures_.end()};
}

QString KeptPanel::whyEmpty(const TokenSnapshot& snapshot) const {
  return snapshot.kept.empty() ? u"This layer keeps nothing: it sees one token at a time."_s
                               : QString();
}

}  // namespace lambda
