#include <exception>
#include <filesystem>
#include <mutex>
#include <openvino/openvino.hpp>
#include <system_error>
#include <utility>

#include "braid/base/log.h"
#include "braid/sync/turn_model.h"
#include "log_mel.h"
#include "openvino/small_model.h"

namespace braid::sync {

namespace {

const ov::Shape kInput = {1, LogMel::kMels, LogMel::kFrames};
static_assert(LogMel::kSamples == TurnModel::kSamples);

class SmartTurn final : public TurnModel {
 public:
  explicit SmartTurn(ov::CompiledModel& compiled)
      : request_(compiled.create_infer_request()),
        features_(request_.get_input_tensor()),
        probability_(request_.get_output_tensor()) {}

  std::optional<float> finished(std::span<const float> turn) override {
    std::lock_guard lock(mutex_);
    mel_.compute(turn, {features_.data<float>(), features_.get_size()});
    try {
      request_.infer();
    } catch (const std::exception& e) {
      if (!std::exchange(failed_, true))
        log(LogLevel::kError, "Smart Turn failed, turns end by silence alone: {}", e.what());
      return std::nullopt;
    }
    return *probability_.data<float>();
  }

 private:
  std::mutex mutex_;  // guards what follows
  LogMel mel_;
  ov::InferRequest request_;
  ov::Tensor features_;     // kInput f32
  ov::Tensor probability_;  // one f32
  bool failed_ = false;
};

tl::unexpected<Error> not_smart_turn(const std::string& path, const std::string& why) {
  return fail(ErrorCode::kBadInput, path + " is not Smart Turn v3 as expected (" + why +
                                        "); give smart-turn-v3.2-cpu.onnx of the pipecat-ai package");
}

bool fits(const ov::CompiledModel& model) {
  if (model.inputs().size() != 1 || model.outputs().size() != 1) return false;
  return holds(model.input(), ov::element::f32, kInput) && holds_one(model.output(), ov::element::f32);
}

}  // namespace

Result<std::unique_ptr<TurnModel>> make_smart_turn(const std::string& model_path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(model_path, error);
  if (error)
    return fail(ErrorCode::kNotFound,
                "no model of turns at " + model_path + " (" + error.message() +
                    "); run `make model` once, or give the path of smart-turn-v3.2-cpu.onnx");
  if (bytes > kMaxModelBytes)
    return not_smart_turn(model_path, std::to_string(bytes) + " bytes, at most 64 MiB");
  try {
    ov::Core core;
    const auto model = core.read_model(model_path);
    if (model->inputs().size() == 1) model->reshape(ov::PartialShape(kInput));  // one turn at a time
    ov::CompiledModel compiled = compile_small(core, model);
    if (!fits(compiled)) return not_smart_turn(model_path, "inputs or outputs of other shapes");
    return std::make_unique<SmartTurn>(compiled);
  } catch (const std::exception& e) {
    return not_smart_turn(model_path, e.what());
  }
}

}  // namespace braid::sync
