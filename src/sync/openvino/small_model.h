#pragma once
// What models that run beside the engine have in common.

#include <cstdint>
#include <memory>
#include <openvino/openvino.hpp>

namespace braid::sync {

inline constexpr std::uintmax_t kMaxModelBytes = 64 << 20;

/// To run in the caller's thread: one stream of one thread is no pool that could spin beside the engine's.
/// 32-bit floats, so that no AMX tile code is chosen on CPUs that announce it and can't run it. Throws what
/// OpenVINO throws.
ov::CompiledModel compile_small(ov::Core& core, const std::shared_ptr<const ov::Model>& model);

bool holds(const ov::Output<const ov::Node>& port, ov::element::Type type, const ov::Shape& shape);
/// One element, of whatever rank.
bool holds_one(const ov::Output<const ov::Node>& port, ov::element::Type type);

}  // namespace braid::sync
