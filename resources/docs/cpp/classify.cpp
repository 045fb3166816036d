// Classifies pictures: classify RUN PICTURE ...
#include <algorithm>
#include <exception>
#include <iostream>

#include <lambda-studio/classifier.h>

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: classify RUN PICTURE ...\n";
    return 2;
  }
  try {
    lambda::Classifier classifier(argv[1]);
    for (int i = 2; i < argc; ++i) {
      const std::vector<float> probabilities = classifier.classify(argv[i]);
      const auto best = std::max_element(probabilities.begin(), probabilities.end());
      std::cout << argv[i] << '\t' << classifier.classNames()[best - probabilities.begin()] << '\t'
                << 100 * *best << " %\n";
    }
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
