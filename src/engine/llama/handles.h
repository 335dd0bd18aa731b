#pragma once
// Owners of llama.cpp's raw handles.

#include <chat.h>
#include <ggml-cpu.h>
#include <gguf.h>
#include <llama.h>
#include <mtmd.h>

#include <memory>

namespace braid::engine::llama {

template <auto Free>
struct FreeWith {
  template <class T>
  void operator()(T* handle) const {
    Free(handle);
  }
};

using GgufHandle = std::unique_ptr<gguf_context, FreeWith<gguf_free>>;
using ModelHandle = std::unique_ptr<llama_model, FreeWith<llama_model_free>>;
using ContextHandle = std::unique_ptr<llama_context, FreeWith<llama_free>>;
using ThreadpoolHandle = std::unique_ptr<ggml_threadpool, FreeWith<ggml_threadpool_free>>;
using MtmdHandle = std::unique_ptr<mtmd_context, FreeWith<mtmd_free>>;
using BitmapHandle = std::unique_ptr<mtmd_bitmap, FreeWith<mtmd_bitmap_free>>;
using ChunksHandle = std::unique_ptr<mtmd_input_chunks, FreeWith<mtmd_input_chunks_free>>;
using MtmdBatchHandle = std::unique_ptr<mtmd_batch, FreeWith<mtmd_batch_free>>;

}  // namespace braid::engine::llama
