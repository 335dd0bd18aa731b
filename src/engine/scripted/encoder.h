#pragma once

#include <memory>

#include "scripted/state.h"

namespace braid::engine::scripted {

class ScriptedEncoder final : public Encoder {
 public:
  explicit ScriptedEncoder(std::shared_ptr<State> state) : state_(std::move(state)) {}

  Result<std::vector<Prompt>> encode(std::span<const Medium> batch) override;
  std::uint64_t encoded_frames() const override;
  std::uint64_t encoded_utterances() const override;
  int frame_rows(int width, int height) const override;

 private:
  Status check(const Medium& medium) const;
  Nanoseconds cost(const Medium& medium) const;
  Prompt encode_one(const Medium& medium);

  std::shared_ptr<State> state_;
  int next_instance_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace braid::engine::scripted
