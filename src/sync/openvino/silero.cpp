#include <algorithm>
#include <exception>
#include <filesystem>
#include <openvino/openvino.hpp>
#include <system_error>
#include <utility>

#include "braid/base/log.h"
#include "braid/sync/speech_detector.h"
#include "openvino/small_model.h"

namespace braid::sync {

namespace {

constexpr std::size_t kContext = 64;  // samples of the frame before, which the model sees again
const ov::Shape kSoundShape = {1, kContext + SpeechDetector::kFrame};
const ov::Shape kStateShape = {2, 1, 128};

/// The compiled model and which of its ports is what. Told apart by shape: names differ between exports.
struct Model {
  ov::Core core;
  ov::CompiledModel compiled;
  ov::Output<const ov::Node> sound;        // kSoundShape f32
  ov::Output<const ov::Node> state;        // kStateShape f32
  ov::Output<const ov::Node> rate;         // one i64, Hz; no node where the export has none
  ov::Output<const ov::Node> probability;  // one f32
  ov::Output<const ov::Node> next_state;   // kStateShape f32
};

class SileroDetector final : public SpeechDetector {
 public:
  explicit SileroDetector(Model& model)
      : request_(model.compiled.create_infer_request()),
        sound_(request_.get_tensor(model.sound)),
        state_(request_.get_tensor(model.state)),
        probability_(request_.get_tensor(model.probability)),
        next_state_(request_.get_tensor(model.next_state)) {
    if (model.rate.get_node() != nullptr) *request_.get_tensor(model.rate).data<std::int64_t>() = kSampleRate;
    clear();
  }

  float probability(std::span<const float> frame) override {
    float* sound = sound_.data<float>();
    std::copy_n(sound + kFrame, kContext, sound);
    std::copy_n(frame.data(), std::min<std::size_t>(frame.size(), kFrame), sound + kContext);
    try {
      request_.infer();
    } catch (const std::exception& e) {
      if (!std::exchange(failed_, true))
        log(LogLevel::kError, "Silero VAD failed, sound is taken as silence: {}", e.what());
      return 0.0F;
    }
    std::copy_n(next_state_.data<float>(), next_state_.get_size(), state_.data<float>());
    return *probability_.data<float>();
  }

  void reset() override { clear(); }

 private:
  void clear() {
    std::fill_n(sound_.data<float>(), sound_.get_size(), 0.0F);
    std::fill_n(state_.data<float>(), state_.get_size(), 0.0F);
  }

  ov::InferRequest request_;
  ov::Tensor sound_;
  ov::Tensor state_;
  ov::Tensor probability_;
  ov::Tensor next_state_;
  bool failed_ = false;
};

class SileroFactory final : public SpeechDetectorFactory {
 public:
  explicit SileroFactory(Model model) : model_(std::move(model)) {}

  std::unique_ptr<SpeechDetector> make() override {
    try {
      return std::make_unique<SileroDetector>(model_);
    } catch (const std::exception& e) {
      log(LogLevel::kError, "Silero VAD can't start, sound is not listened to: {}", e.what());
      return nullptr;
    }
  }

 private:
  Model model_;
};

/// False if a port is missing or unknown.
bool find_ports(Model& model) {
  for (const auto& input : std::as_const(model.compiled).inputs()) {
    if (holds(input, ov::element::f32, kSoundShape))
      model.sound = input;
    else if (holds(input, ov::element::f32, kStateShape))
      model.state = input;
    else if (holds_one(input, ov::element::i64))
      model.rate = input;
    else
      return false;
  }
  for (const auto& output : std::as_const(model.compiled).outputs()) {
    if (holds_one(output, ov::element::f32)) model.probability = output;
    if (holds(output, ov::element::f32, kStateShape)) model.next_state = output;
  }
  return model.sound.get_node() && model.state.get_node() && model.probability.get_node() &&
         model.next_state.get_node();
}

tl::unexpected<Error> not_silero(const std::string& path, const std::string& why) {
  return fail(ErrorCode::kBadInput, path + " is not Silero VAD for 16 kHz as expected (" + why +
                                        "); give silero_vad_openvino_16k.onnx of the silero-vad package");
}

}  // namespace

Result<std::unique_ptr<SpeechDetectorFactory>> make_silero_detector(const std::string& model_path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(model_path, error);
  if (error)
    return fail(ErrorCode::kNotFound,
                "no speech detector at " + model_path + " (" + error.message() +
                    "); run `make demo` once, or give the path of silero_vad_openvino_16k.onnx");
  if (bytes > kMaxModelBytes) return not_silero(model_path, std::to_string(bytes) + " bytes, at most 64 MiB");
  try {
    Model model;
    model.compiled = compile_small(model.core, model.core.read_model(model_path));
    if (!find_ports(model)) return not_silero(model_path, "inputs or outputs of other shapes");
    return std::make_unique<SileroFactory>(std::move(model));
  } catch (const std::exception& e) {
    return not_silero(model_path, e.what());
  }
}

}  // namespace braid::sync
