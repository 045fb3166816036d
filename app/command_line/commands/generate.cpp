#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/command_line/commands/commands.h"
#include "app/command_line/report.h"
#include "app/command_line/run_location.h"
#include "app/command_line/run_source.h"
#include "app/interrupt.h"
#include "engine/benchmarks/measuring/vector_ceilings.h"
#include "engine/formats/files/file_system.h"
#include "engine/formats/tokenizer/tokenizer.h"
#include "engine/trained/generator.h"
#include "engine/values/text/quantities.h"
#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

constexpr std::size_t kLongestPrompt = std::size_t{1} << 20;
constexpr std::int64_t kMostTokens = 1'000'000;

struct GenerateOptions {
  std::string run;
  std::string prompt;
  std::optional<std::string> promptFile;
  std::optional<std::string> tokenizer;
  std::int64_t tokens = 200;
  SamplingOptions sampling;
  std::optional<std::uint64_t> seed;
  bool time = false;
  DeviceOptions device;
  OutputOptions output;
};

/// The content of a file, which may be a pipe; - = standard input. A byte order mark at its start
/// is no part of it, as in the texts that networks are trained on.
std::string readPrompt(const std::string& place) {
  const int file = place == "-" ? ::dup(STDIN_FILENO) : ::open(place.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw systemError(place, "this prompt can't be opened", errno);
  std::string text;
  std::array<char, 1 << 16> bytes;
  ssize_t count = 1;
  int code = 0;
  while (count != 0 && code == 0 && text.size() <= kLongestPrompt) {
    count = ::read(file, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) code = errno;
    if (count > 0) text.append(bytes.data(), static_cast<std::size_t>(count));
  }
  ::close(file);
  if (code != 0) throw systemError(place, "this prompt can't be read", code);
  if (text.size() > kLongestPrompt) {
    throw Error(
        place, "this prompt has more than " + formatBytes(kLongestPrompt), "Give the end of it.");
  }
  return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

/// The least time of a token where the weights come from the memory.
struct TokenBound {
  double copyBandwidth = 0;  ///< Bytes/s, measured.
  double seconds = 0;
};

std::optional<TokenBound> measuredBound(const Generator& generator, bool isAsked) {
  if (!isAsked) return std::nullopt;
  const double bandwidth = copyBandwidth(generator.device().threads, copyBytes());
  return TokenBound{bandwidth, static_cast<double>(generator.weightBytes()) / bandwidth};
}

std::string milliseconds(double seconds) {
  return formatMeasured(seconds * 1e3) + " ms";
}

/// The lines on standard error at the end.
std::string speedText(const Generation& done,
                      const Generator& generator,
                      const std::optional<TokenBound>& bound) {
  std::string text = formatCounted(done.tokens, "token");
  const std::optional<double> seconds = done.secondsPerToken();
  if (seconds) text += ", " + milliseconds(*seconds) + " a token";
  text += "\n";
  if (!bound) return text;
  text += "bound: " + milliseconds(bound->seconds) + " a token, " +
          formatBytes(generator.weightBytes()) + " of weights at " +
          formatFixed(bound->copyBandwidth / 1e9, 1) +
          " GB/s, the bandwidth of copying in the memory";
  if (seconds)
    text += "; a token took " + formatMeasured(*seconds / bound->seconds) + " times as long";
  return text + "\n";
}

nlohmann::ordered_json speedJson(const Generation& done,
                                 const Generator& generator,
                                 const std::optional<TokenBound>& bound) {
  nlohmann::ordered_json json{{"promptSeconds", done.promptSeconds},
                              {"msPerToken", nullptr},
                              {"tokensPerSecond", nullptr},
                              {"weightBytes", generator.weightBytes()}};
  if (const std::optional<double> seconds = done.secondsPerToken()) {
    json["msPerToken"] = *seconds * 1e3;
    json["tokensPerSecond"] = 1 / *seconds;
  }
  if (bound) {
    json["copyBytes"] = bound->copyBandwidth;
    json["boundMsPerToken"] = bound->seconds * 1e3;
  }
  return json;
}

void requireInRange(const GenerateOptions& options) {
  const double temperature = options.sampling.temperature;
  if (!(temperature >= 0 && temperature <= SamplingOptions::highestTemperature)) {
    throw UsageError("--temperature",
                     "a temperature is from 0 to " +
                         formatNumber(SamplingOptions::highestTemperature) + ", not " +
                         formatNumber(temperature),
                     "0 takes the most probable token, 1 draws as the network says.");
  }
  if (!(options.sampling.topP > 0 && options.sampling.topP <= 1)) {
    throw UsageError("--top-p",
                     "it is above 0 and at most 1, not " + formatNumber(options.sampling.topP),
                     "1 lets all tokens be drawn.");
  }
}

int generate(const GenerateOptions& options) {
  requireInRange(options);
  SamplingOptions sampling = options.sampling;
  sampling.seed = options.seed.value_or(sampling.seed);
  const std::filesystem::path run = findRun(options.run);
  Generator generator(run, deviceOf(options.device, run), options.tokenizer);
  if (options.time && generator.device().kind != DeviceKind::cpu) {
    throw UsageError("--time",
                     "the bandwidth is measured on the CPU, and this network is on a GPU",
                     "Add --device cpu.");
  }
  if (!generator.isVerified()) printNote(unverifiedNote(generator.checkpoint()));
  if (generator.text().lacksTokenizer()) {
    const std::string place = shownPath(tokenizerBeside(generator.checkpoint()));
    printNote("lambda: the tokens of this network are not bytes, and there is no tokenizer " +
              terminalText(place) +
              ", so they are read and written as numbers: give it by --tokenizer FILE\n");
  }
  const std::string prompt = options.promptFile ? readPrompt(*options.promptFile) : options.prompt;
  const std::vector<std::int64_t> tokens = generator.text().tokensOf(prompt);

  std::atomic<bool> isStopped = false;
  const Interrupt interrupt([&] { isStopped = true; });
  TokenWriter writer(generator.text());
  std::string text;
  nlohmann::ordered_json drawnTokens = nlohmann::ordered_json::array();
  const auto show = [&](const std::string& more) {
    text += more;
    if (more.empty() || options.output.json) return;
    printContent(more);
    std::cout.flush();
  };
  const Generation done = generator.generate(
      tokens, {.tokens = options.tokens, .sampling = sampling}, [&](const GeneratedToken& drawn) {
        show(writer.add(drawn.token));
        if (options.output.json) {
          drawnTokens.push_back({{"token", drawn.token}, {"probability", drawn.probability}});
        }
        return !isStopped && std::cout.good();
      });
  show(writer.finish());

  const std::optional<TokenBound> bound = measuredBound(generator, options.time);
  if (options.output.json) {
    nlohmann::ordered_json object{{"checkpoint", generator.checkpoint().string()},
                                  {"prompt", prompt},
                                  {"text", text},
                                  {"tokens", drawnTokens},
                                  {"seed", sampling.seed},
                                  {"temperature", sampling.temperature},
                                  {"topP", sampling.topP}};
    object.update(speedJson(done, generator, bound));
    printJson(object);
  } else {
    if (!text.ends_with('\n')) printContent("\n");
    std::cout.flush();
    if (!options.output.quiet) printNote(speedText(done, generator, bound));
  }
  return interrupt.exitStatus();
}

}  // namespace

void addGenerate(CLI::App& program, Action& action) {
  const auto options = std::make_shared<GenerateOptions>();
  CLI::App* command = addCommand(
      program,
      "generate",
      "Continue a text by a trained network",
      {{"lambda generate RUN --prompt 'In the beginning'", "200 bytes of text"},
       {"lambda generate RUN --prompt 'In the' --temperature 0.7 --top-p 0.9 --seed 1",
        "more probable text, another one for each seed"},
       {"lambda generate RUN --prompt-file start.txt --json", "the probability of each token"}},
      "The text that follows the prompt is written as it is drawn, and ends with a line "
      "break. The\n"
      "tokens of a text are its bytes, or those of the tokenizer that was imported with the "
      "network;\n"
      "others, such as those of recall and copy, are numbers with spaces between. Ctrl-C ends the\n"
      "text.");
  command
      ->add_option("RUN|CHECKPOINT",
                   options->run,
                   "a run folder, its name in runs/, a checkpoint or exported weights")
      ->required();
  CLI::Option* prompt =
      command
          ->add_option("--prompt",
                       options->prompt,
                       "what is continued (default: a line break, or the token 0)")
          ->type_name("TEXT");
  command
      ->add_option("--prompt-file", options->promptFile, "the same in a file; - = standard input")
      ->type_name("FILE")
      ->excludes(prompt);
  command
      ->add_option("--tokenizer",
                   options->tokenizer,
                   "a tokenizer.json of byte-level byte pairs (default: NAME.tokenizer.json beside "
                   "NAME.safetensors)")
      ->type_name("FILE");
  command->add_option("--tokens", options->tokens, "how many tokens are drawn (default: 200)")
      ->type_name("N")
      ->check(CLI::Range(std::int64_t{1}, kMostTokens));
  command
      ->add_option(
          "--temperature",
          options->sampling.temperature,
          "0 takes the most probable token, 1 (default) draws as the network says, more is "
          "more random; up to 100")
      ->type_name("T");
  command
      ->add_option("--top-p",
                   options->sampling.topP,
                   "draw from the most probable tokens that together have this probability "
                   "(default: 1, from all)")
      ->type_name("P");
  addSeedOption(command, options->seed, "seed of the draws (default: 0)");
  command->add_flag("--time",
                    options->time,
                    "measure the bandwidth of the memory too, and say the least time of a token");
  addDeviceOptions(command, options->device);
  addOutputFlags(command, options->output);
  onChosen(command, options, action, generate);
}

}  // namespace lambda
