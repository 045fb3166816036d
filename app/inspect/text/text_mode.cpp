#include "app/inspect/text/text_mode.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "app/inspect/choosers/layer_list.h"
#include "app/inspect/panels/panel_parts.h"
#include "app/inspect/text/text_deck.h"
#include "app/inspect/text/text_picker.h"
#include "engine/data/sequences/token_text.h"
#include "engine/runtime/error.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr std::chrono::milliseconds kWaitingAfter{150};
constexpr std::chrono::seconds kLiveEvery{5};  // a training writes a checkpoint after an epoch

TokenText textOf(const RunConfig& config) {
  return {config.data.source, config.architecture.outputs};
}

}  // namespace

TextMode::TextMode(CheckpointService& checkpoints, QObject* parent)
    : InspectMode(parent), checkpoints_(checkpoints), deck_(new TextDeck), picker_(new TextPicker) {
  busyTimer_.setSingleShot(true);
  busyTimer_.setInterval(kWaitingAfter);
  liveTimer_.setInterval(kLiveEvery);
  connect(&busyTimer_, &QTimer::timeout, this, [this] { Q_EMIT busyChanged(true); });
  connect(&liveTimer_, &QTimer::timeout, this, &TextMode::ask);
  connect(picker_, &TextPicker::sequenceChosen, this, &TextMode::chooseSequence);
  connect(picker_, &TextPicker::textGiven, this, &TextMode::chooseText);
  connect(deck_, &TextDeck::positionChosen, this, &TextMode::choosePosition);
  connect(deck_, &TextDeck::retryRequested, this, &TextMode::ask);
  connect(deck_, &TextDeck::otherRunRequested, this, &TextMode::otherRunRequested);
  connect(&deck_->layers(), &LayerList::layerChosen, this, &TextMode::chooseLayer);
}

InspectMode::Parts TextMode::parts() {
  return {.view = deck_, .bottom = picker_};
}

void TextMode::setSource(const InspectionSource& source) {
  const bool isOther = !source.isSameAs(source_);
  const bool hasOtherData = source.record.config.data.source != source_.record.config.data.source;
  source_ = source;
  if (!isOther) return;
  followTraining();
  inspection_.cancel();
  endWaiting();
  snapshot_.reset();
  const RunConfig& config = source_.record.config;
  if (config.architecture.task != Task::tokens) return;
  const std::vector<InspectableLayer> layers = tokenLayers(config.architecture);
  const auto isChosen = [&](const InspectableLayer& layer) { return layer.name == request_.layer; };
  if (std::ranges::none_of(layers, isChosen)) {
    request_.layer = layers.empty() ? std::string() : layers.front().name;
  }
  if (hasOtherData) {
    request_ = {.layer = request_.layer};
    picker_->forgetText();
  }
  deck_->setLayers(layers);
  deck_->layers().setCurrentLayer(request_.layer);
  deck_->setSnapshot(nullptr);
  picker_->setInput(textOf(config).isOfBytes(), config.architecture.input.width);
}

void TextMode::show(const InspectSelection& /*selection*/) {
  ask();
}

void TextMode::setInView(bool isInView) {
  isInView_ = isInView;
  followTraining();
}

/// Asks again while somebody sees a network that is being trained.
void TextMode::followTraining() {
  if (isInView_ && source_.kind == SourceKind::live) {
    liveTimer_.start();
  } else {
    liveTimer_.stop();
  }
}

void TextMode::chooseLayer(const std::string& layer) {
  request_.layer = layer;
  ask();
}

void TextMode::choosePosition(int token) {
  request_.position = token;
  ask();
}

void TextMode::chooseSequence(Split split, std::uint64_t sequence) {
  request_.split = split;
  request_.sequence = sequence;
  request_.tokens.reset();
  picker_->forgetText();
  ask();
}

void TextMode::chooseText(const QString& text) {
  if (text.isEmpty() && !request_.tokens) return;
  try {
    request_.tokens.reset();
    if (!text.isEmpty()) {
      request_.tokens = textOf(source_.record.config).tokensOf(text.toStdString());
    }
  } catch (const Error& error) {
    inspection_.cancel();
    return fail(QString::fromUtf8(error.what()));
  }
  request_.position = -1;
  ask();
}

void TextMode::choosePrediction(const std::vector<std::int64_t>& tokens) {
  request_.tokens = tokens;
  request_.position = static_cast<int>(tokens.size()) - 2;
  picker_->forgetText();
  ask();
}

void TextMode::ask() {
  if (source_.kind == SourceKind::none) return;
  const bool isLive = source_.kind == SourceKind::live;
  inspection_.followNewest(
      checkpoints_.inspectTokens(isLive ? source_.run : source_.checkpoint, request_),
      [this](const TokensPointer& snapshot) { take(snapshot); },
      [this](const QString& reason) { fail(reason); });
  if (!busyTimer_.isActive()) busyTimer_.start();
}

void TextMode::endWaiting() {
  busyTimer_.stop();
  Q_EMIT busyChanged(false);
}

void TextMode::take(const TokensPointer& snapshot) {
  endWaiting();
  snapshot_ = snapshot;
  request_.position = snapshot->position;
  if (!snapshot->request.tokens) {
    picker_->setSequence(request_.split, request_.sequence, snapshot->sequences);
  }
  deck_->setSnapshot(snapshot);
  Q_EMIT changed();
}

void TextMode::fail(const QString& reason) {
  endWaiting();
  snapshot_.reset();
  deck_->showFailure(u"Could not inspect this text"_s, reason);
  Q_EMIT changed();
}

QString TextMode::status() const {
  if (!snapshot_) return {};
  const QString weights = source_.kind == SourceKind::live ? u"Live: best checkpoint so far"_s
                                                           : weightsText(snapshot_->weights);
  return u"%1, step %2, epoch %3"_s.arg(weights, countText(snapshot_->step)).arg(snapshot_->epoch);
}

}  // namespace lambda
