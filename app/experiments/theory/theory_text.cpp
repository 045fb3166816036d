#include "app/experiments/theory/theory_text.h"

#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kShownSeconds = 0.1;  // The shortest time that a text of a duration can tell.

QString timeOf(const TheoryRun& run) {
  if (run.seconds >= kShownSeconds) return durationText(run.seconds);
  return u"less than %1"_s.arg(durationText(kShownSeconds));
}

}  // namespace

QString theoryStateText(const TheoryRun& run) {
  switch (run.state) {
    case TheoryRun::State::none:
      return u"not run"_s;
    case TheoryRun::State::running:
      return u"running, %1"_s.arg(percentText(run.fraction, 0));
    case TheoryRun::State::stopping:
      return u"stopping"_s;
    case TheoryRun::State::done:
      return u"done in %1"_s.arg(timeOf(run));
    case TheoryRun::State::stopped:
      return u"stopped at %1"_s.arg(percentText(run.fraction, 0));
    case TheoryRun::State::failed:
      return u"failed"_s;
  }
  return {};
}

QString theoryStateSentence(const TheoryRun& run, const TheorySettings& settings) {
  const QString time = timeOf(run);
  QString text;
  switch (run.state) {
    case TheoryRun::State::none:
      return u"Not run since the program was started."_s;
    case TheoryRun::State::running:
      return u"%1 done after %2."_s.arg(percentText(run.fraction, 0), time);
    case TheoryRun::State::stopping:
      return u"Stopping …"_s;
    case TheoryRun::State::failed:
      return u"The experiment has failed."_s;
    case TheoryRun::State::done:
      text = u"Done in %1."_s.arg(time);
      break;
    case TheoryRun::State::stopped:
      text = u"Stopped after %1, at %2. The numbers are those until then."_s.arg(
          time, percentText(run.fraction, 0));
      break;
  }
  if (run.settings != settings) text += u" The parameters have been changed since."_s;
  return text;
}

}  // namespace lambda
