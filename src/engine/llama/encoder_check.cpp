#include "encoder_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace braid::engine::llama {

namespace {

/// What a projector's encoder needs beside what every block has.
struct Needs {
  std::string_view projector;
  std::vector<std::string_view> tensors;
  std::vector<std::string_view> in_each_block;
};

const std::vector<std::string_view> kBiases = {"attn_q.bias", "attn_k.bias", "attn_v.bias"};
const std::vector<std::string_view> kHeardBiases = {"attn_q.bias", "attn_v.bias"};

const std::vector<Needs>& seen() {
  static const std::vector<Needs> all = {
      {"mlp", {"v.position_embd.weight", "mm.0.weight", "mm.0.bias", "mm.2.weight", "mm.2.bias"}, {}},
      {"idefics3", {"v.position_embd.weight"}, {}},
      {"internvl", {"v.position_embd.weight", "v.class_embd"}, {}},
      {"gemma3", {"v.position_embd.weight"}, {}},
      {"lfm2", {"v.position_embd.weight"}, {}},
      {"qwen2vl_merger", {"v.patch_embd.weight.1"}, kBiases},
      {"qwen2.5vl_merger", {"v.patch_embd.weight.1"}, kBiases},
      {"qwen2.5o", {"v.patch_embd.weight.1"}, kBiases},
      {"qwen3vl_merger",
       {"v.patch_embd.weight.1", "v.position_embd.weight"},
       {"attn_qkv.weight", "attn_qkv.bias"}},
  };
  return all;
}

const std::vector<Needs>& heard() {
  static const std::vector<Needs> all = {
      {"ultravox", {"a.position_embd.weight"}, kHeardBiases},
      {"voxtral", {"a.position_embd.weight"}, kHeardBiases},
      {"qwen2a", {"a.position_embd.weight"}, kHeardBiases},
      {"qwen2.5o", {"a.position_embd.weight"}, kHeardBiases},
  };
  return all;
}

Status missing(const GgufFile& file, const std::string& tensor) {
  return fail(ErrorCode::kBadInput,
              fmt::format("mmproj '{}' lacks the tensor '{}'; get it again", file.path(), tensor));
}

bool has(const GgufFile& file, const std::string& tensor) {
  return gguf_find_tensor(file.raw(), tensor.c_str()) >= 0;
}

using BlockTensors = std::map<int, std::set<std::string>>;  // by block: what stands behind "v.blk.N."

BlockTensors blocks_of(const GgufFile& file, const std::string& prefix) {
  BlockTensors blocks;
  const std::string begin = prefix + ".blk.";
  for (std::int64_t i = 0; i < gguf_get_n_tensors(file.raw()); ++i) {
    const std::string name = gguf_get_tensor_name(file.raw(), i);
    const std::size_t dot = name.find('.', begin.size());
    if (!name.starts_with(begin) || dot == std::string::npos || dot > begin.size() + 6) continue;
    const std::string number = name.substr(begin.size(), dot - begin.size());
    if (number.find_first_not_of("0123456789") != std::string::npos || number.empty()) continue;
    blocks[std::stoi(number)].insert(name.substr(dot + 1));
  }
  return blocks;
}

/// A tensor that one block has and another lacks is a damaged name: all blocks are alike.
Status check_blocks(const GgufFile& file, const std::string& prefix, const Needs& needs) {
  const BlockTensors blocks = blocks_of(file, prefix);
  std::set<std::string> all(needs.in_each_block.begin(), needs.in_each_block.end());
  for (const char* always :
       {"attn_out.weight", "ln1.weight", "ln2.weight", "ffn_up.weight", "ffn_down.weight"})
    all.insert(always);
  for (const auto& block : blocks) all.insert(block.second.begin(), block.second.end());
  if (!all.contains("attn_qkv.weight")) all.insert({"attn_q.weight", "attn_k.weight", "attn_v.weight"});
  const auto count =
      file.integer(fmt::format("clip.{}.block_count", prefix == "v" ? "vision" : "audio").c_str());
  if (count.value_or(0) < 1)
    return fail(ErrorCode::kBadInput, fmt::format("mmproj '{}' has an encoder without layers", file.path()));
  for (const auto& [number, tensors] : blocks)
    for (const std::string& tensor : all)
      if (!tensors.contains(tensor))
        return missing(file, fmt::format("{}.blk.{}.{}", prefix, number, tensor));
  return {};
}

Status check_encoder(const GgufFile& file, const std::string& prefix, const std::vector<Needs>& known) {
  std::string projector = file.text("clip.projector_type").value_or("");
  if (projector.empty())
    projector =
        file.text(prefix == "v" ? "clip.vision.projector_type" : "clip.audio.projector_type").value_or("");
  const auto needs =
      std::find_if(known.begin(), known.end(), [&](const Needs& one) { return one.projector == projector; });
  // Yi's projector calls itself mlp too.
  if (needs == known.end() || (projector == "mlp" && has(file, "mm.3.weight"))) return {};
  if (prefix == "v" && !has(file, "v.patch_embd.weight")) return missing(file, "v.patch_embd.weight");
  for (const std::string_view tensor : needs->tensors)
    if (!has(file, std::string(tensor))) return missing(file, std::string(tensor));
  return check_blocks(file, prefix, *needs);
}

}  // namespace

Status check_encoder_tensors(const GgufFile& file) {
  if (file.flag("clip.has_vision_encoder"))
    if (auto ok = check_encoder(file, "v", seen()); !ok) return ok;
  if (file.flag("clip.has_audio_encoder"))
    if (auto ok = check_encoder(file, "a", heard()); !ok) return ok;
  return {};
}

}  // namespace braid::engine::llama
