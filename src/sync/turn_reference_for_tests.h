#pragma once
// For tests: what the reference makes of the sample utterances (tools/turns/reference.py).

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "wav_for_tests.h"

namespace braid::sync::test {

constexpr std::size_t kFeatureStep = 97;

struct TurnReference {
  std::string file;
  Sound sound;
  float probability = 0;
  std::vector<float> features;  // every kFeatureStep-th
};

inline std::vector<TurnReference> read_turn_references() {
  std::vector<TurnReference> references;
  std::ifstream lines("src/sync/turn_reference.txt");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    TurnReference reference;
    std::size_t samples = 0;
    fields >> reference.file >> samples >> reference.probability;
    for (float value = 0; fields >> value;) reference.features.push_back(value);
    reference.sound = read_wav("models/nano/samples/" + reference.file);
    reference.sound.resize(std::min(samples, reference.sound.size()));
    references.push_back(std::move(reference));
  }
  return references;
}

}  // namespace braid::sync::test
