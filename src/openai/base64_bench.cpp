#include "braid/openai/base64.h"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <string>

#include "braid/openai/chat_request.h"

namespace braid::openai {
namespace {

constexpr std::size_t kPicture = 10'000'000;

std::string picture() {
  std::mt19937 random(1);
  std::string bytes(kPicture, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

std::string request(const std::string& data) {
  return R"({"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"What is this?"},)"
         R"({"type":"image_url","image_url":{"url":"data:image/png;base64,)" +
         data + R"("}}]}]})";
}

// Rates count characters of base64. The machine's limit, for comparison, is reading them and writing 3/4 as
// much.
void count(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes));
}

void copy_as_much(benchmark::State& state) {
  const std::string text = encode_base64(picture());
  for (auto _ : state) {
    std::string out;
    out.reserve(kPicture);
    out.append(text.data(), kPicture);
    benchmark::DoNotOptimize(out);
  }
  count(state, text.size());
}

void decode_in_one_line(benchmark::State& state) {
  const std::string text = encode_base64(picture());
  for (auto _ : state) benchmark::DoNotOptimize(decode_base64(text, kPicture));
  count(state, text.size());
}

void decode_in_mime_lines(benchmark::State& state) {
  const std::string line = encode_base64(picture());
  std::string text;
  for (std::size_t at = 0; at < line.size(); at += 76) text += line.substr(at, 76) + "\r\n";
  for (auto _ : state) benchmark::DoNotOptimize(decode_base64(text, kPicture));
  count(state, text.size());
}

void parse_chat_with_a_picture(benchmark::State& state) {
  const std::string body = request(encode_base64(picture()));
  for (auto _ : state) benchmark::DoNotOptimize(parse_chat(body));
  count(state, body.size());
}

BENCHMARK(copy_as_much)->Unit(benchmark::kMillisecond);
BENCHMARK(decode_in_one_line)->Unit(benchmark::kMillisecond);
BENCHMARK(decode_in_mime_lines)->Unit(benchmark::kMillisecond);
BENCHMARK(parse_chat_with_a_picture)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace braid::openai
