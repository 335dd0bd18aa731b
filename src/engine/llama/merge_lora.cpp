#include "braid/engine/merge_lora.h"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "gguf_file.h"
#include "gguf_writer.h"
#include "mapped_file.h"

namespace braid::engine {

namespace {

using llama::GgufFile;
using llama::GgufWriter;
using llama::MappedFile;

/// A tensor as it lies in a mapped file. ne[0] is the row length.
struct Tensor {
  std::string name;
  ggml_type type = GGML_TYPE_F32;
  std::int64_t row = 0;   // elements
  std::int64_t rows = 0;  // all higher dimensions together
  bool matrix = false;
  const std::uint8_t* data = nullptr;
  std::size_t bytes = 0;
};

Tensor tensor_of(const GgufFile& file, const MappedFile& bytes, std::int64_t id) {
  const gguf_context* gguf = file.raw();
  const std::int64_t* ne = gguf_get_tensor_ne(gguf, id);
  return {.name = gguf_get_tensor_name(gguf, id),
          .type = gguf_get_tensor_type(gguf, id),
          .row = ne[0],
          .rows = ne[1] * ne[2] * ne[3],
          .matrix = ne[1] > 1 && ne[2] == 1 && ne[3] == 1,
          .data = bytes.data() + file.tensor_at(id),
          .bytes = gguf_get_tensor_size(gguf, id)};
}

Status to_floats(const Tensor& tensor, std::vector<float>& out) {
  out.resize(static_cast<std::size_t>(tensor.row * tensor.rows));
  const ggml_to_float_t convert = ggml_get_type_traits(tensor.type)->to_float;
  if (tensor.type == GGML_TYPE_F32)
    std::memcpy(out.data(), tensor.data, tensor.bytes);
  else if (convert)
    convert(tensor.data, out.data(), tensor.row * tensor.rows);
  else
    return fail(ErrorCode::kUnsupported,
                fmt::format("tensor '{}' is of type {}, which can't be turned into floats", tensor.name,
                            ggml_type_name(tensor.type)));
  return {};
}

/// The two halves of one weight's change.
struct Change {
  std::vector<float> a;  // [rank, in]
  std::vector<float> b;  // [out, rank]
  std::int64_t in = 0, rank = 0, out = 0;
};

class Adapter {
 public:
  static Result<Adapter> open(const std::string& path) {
    auto file = GgufFile::open(path, "adapter");
    if (!file) return tl::unexpected(file.error());
    const auto alpha = file->real("adapter.lora.alpha");
    if (!file->is_adapter() || file->text("adapter.type").value_or("") != "lora" || !alpha)
      return fail(
          ErrorCode::kBadInput,
          fmt::format("'{}' is a GGUF but not a LoRA adapter (general.type = adapter is missing)", path));
    auto bytes = MappedFile::open(path);
    if (!bytes) return tl::unexpected(bytes.error());
    Adapter adapter{.file = std::move(*file), .bytes = std::move(*bytes), .alpha = *alpha, .tensors = {}};
    for (std::int64_t i = 0; i < gguf_get_n_tensors(adapter.file.raw()); ++i) {
      Tensor tensor = tensor_of(adapter.file, adapter.bytes, i);
      adapter.tensors.emplace(tensor.name, tensor);
    }
    return adapter;
  }

  /// The names of the weights that it changes.
  Result<std::set<std::string>> targets() const {
    std::set<std::string> names;
    for (const auto& [name, tensor] : tensors) {
      const std::size_t dot = name.rfind(".lora_");
      if (dot == std::string::npos)
        return fail(ErrorCode::kUnsupported,
                    fmt::format("adapter tensor '{}' is neither lora_a nor lora_b", name));
      names.insert(name.substr(0, dot));
    }
    if (names.contains("token_embd.weight"))
      return fail(ErrorCode::kUnsupported,
                  "the adapter changes token embeddings, which can't be merged; use --lora");
    return names;
  }

  Result<Change> change_of(const Tensor& weight) const {
    const auto a = tensors.find(weight.name + ".lora_a");
    const auto b = tensors.find(weight.name + ".lora_b");
    if (a == tensors.end() || b == tensors.end())
      return fail(ErrorCode::kBadInput, fmt::format("the adapter has only half of '{}'", weight.name));
    Change change{.a = {}, .b = {}, .in = a->second.row, .rank = a->second.rows, .out = b->second.rows};
    if (!weight.matrix || change.in != weight.row || change.out != weight.rows ||
        b->second.row != change.rank)
      return fail(
          ErrorCode::kMismatch,
          fmt::format("adapter and base don't fit: '{}' is {}x{} in the base and {}x{} in the adapter",
                      weight.name, weight.row, weight.rows, change.in, change.out));
    if (auto ok = to_floats(a->second, change.a); !ok) return tl::unexpected(ok.error());
    if (auto ok = to_floats(b->second, change.b); !ok) return tl::unexpected(ok.error());
    return change;
  }

  GgufFile file;
  MappedFile bytes;
  double alpha = 0;
  std::map<std::string, Tensor> tensors;
};

/// weight [out, in] += alpha / rank * b a.
void add(const Change& change, double alpha, std::vector<float>& weight) {
  const auto scale = static_cast<float>(alpha / static_cast<double>(change.rank));
  for (std::int64_t o = 0; o < change.out; ++o) {
    float* row = weight.data() + o * change.in;
    for (std::int64_t r = 0; r < change.rank; ++r) {
      const float factor = scale * change.b[static_cast<std::size_t>(o * change.rank + r)];
      const float* a = change.a.data() + r * change.in;
      for (std::int64_t i = 0; i < change.in; ++i) row[i] += factor * a[i];
    }
  }
}

/// What a weight is stored as: Q8_0 where rows divide into its blocks, F16 where a changed one doesn't.
ggml_type stored_type(const Tensor& tensor, bool changed) {
  if (tensor.matrix && tensor.row % ggml_blck_size(GGML_TYPE_Q8_0) == 0) return GGML_TYPE_Q8_0;
  return changed ? GGML_TYPE_F16 : tensor.type;
}

class Merge {
 public:
  Merge(const GgufFile& base, const MappedFile& bytes, const Adapter& adapter, std::set<std::string> targets)
      : base_(base), bytes_(bytes), adapter_(adapter), targets_(std::move(targets)) {}

  Status run(const std::string& out, const MergeProgress& progress) {
    if (auto ok = check(); !ok) return ok;
    set_types();
    auto writer = GgufWriter::create(out, base_.raw());
    if (!writer) return tl::unexpected(writer.error());
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (auto ok = write(tensors_[i], *writer); !ok) return ok;
      if (progress) progress(static_cast<double>(i + 1) / static_cast<double>(tensors_.size()));
    }
    return writer->finish();
  }

 private:
  Status check() {
    std::set<std::string> missing = targets_;
    for (std::int64_t i = 0; i < gguf_get_n_tensors(base_.raw()); ++i) {
      tensors_.push_back(tensor_of(base_, bytes_, i));
      missing.erase(tensors_.back().name);
    }
    if (base_.architecture() != adapter_.file.architecture() || !missing.empty())
      return fail(
          ErrorCode::kMismatch,
          fmt::format(
              "the adapter was made for another model: base is '{}', adapter for '{}'; tensors missing in "
              "the base: {}",
              base_.architecture(), adapter_.file.architecture(), missing.size()));
    return {};
  }

  // Reads of tensor_of() are done by now: from here on the base's layout is the output's.
  void set_types() {
    for (const Tensor& tensor : tensors_)
      gguf_set_tensor_type(base_.raw(), tensor.name.c_str(),
                           stored_type(tensor, targets_.contains(tensor.name)));
    gguf_set_val_u32(base_.raw(), "general.file_type", LLAMA_FTYPE_MOSTLY_Q8_0);
    gguf_set_val_u32(base_.raw(), "general.quantization_version", GGML_QNT_VERSION);
  }

  Status write(const Tensor& tensor, GgufWriter& writer) {
    const bool changed = targets_.contains(tensor.name);
    const ggml_type type = stored_type(tensor, changed);
    if (!changed && type == tensor.type) return writer.append(tensor.data, tensor.bytes);
    if (auto ok = to_floats(tensor, weight_); !ok) return ok;
    if (changed) {
      const auto change = adapter_.change_of(tensor);
      if (!change) return tl::unexpected(change.error());
      add(*change, adapter_.alpha, weight_);
    }
    packed_.resize(ggml_row_size(type, tensor.row) * static_cast<std::size_t>(tensor.rows));
    ggml_quantize_chunk(type, weight_.data(), packed_.data(), 0, tensor.rows, tensor.row, nullptr);
    return writer.append(packed_.data(), packed_.size());
  }

  const GgufFile& base_;
  const MappedFile& bytes_;
  const Adapter& adapter_;
  std::set<std::string> targets_;
  std::vector<Tensor> tensors_;
  std::vector<float> weight_;
  std::vector<std::uint8_t> packed_;
};

}  // namespace

Status merge_lora(const std::string& base, const std::string& lora, const std::string& out,
                  const MergeProgress& progress) {
  const auto file = GgufFile::open(base, "base model");
  if (!file) return tl::unexpected(file.error());
  if (file->is_encoder() || file->is_adapter())
    return fail(ErrorCode::kMismatch,
                fmt::format("'{}' is not a language model; give BASE first, then LORA", base));
  const auto bytes = MappedFile::open(base);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto adapter = Adapter::open(lora);
  if (!adapter) return tl::unexpected(adapter.error());
  auto targets = adapter->targets();
  if (!targets) return tl::unexpected(targets.error());
  return Merge(*file, *bytes, *adapter, std::move(*targets)).run(out, progress);
}

}  // namespace braid::engine
