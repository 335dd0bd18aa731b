#include "chat/chat_prompt.h"

#include <fmt/format.h>

#include <functional>
#include <random>
#include <string_view>
#include <utility>

namespace braid::serve {

namespace {

/// What placeholders begin with. Names, calls and tools stand in the rendered prompt as clients wrote them,
/// so it is another word in each process, which is told to nobody.
const std::string& secret_word() {
  static const std::string word = [] {
    std::random_device random;
    std::string made = "BraidPart";
    for (int i = 0; i < 24; ++i) made += static_cast<char>('a' + random() % 26);
    return made;
  }();
  return word;
}

// Stands for a part in what the template is given: letters and digits, which templates leave alone.
std::string placeholder(std::size_t index) { return fmt::format("{}{:05}Part", secret_word(), index); }
std::size_t placeholder_bytes() { return secret_word().size() + std::string_view("00000Part").size(); }

engine::ChatTurn turn_of(const openai::Message& message, std::size_t& parts) {
  engine::ChatTurn turn;
  turn.role = openai::to_string(message.role);
  for (std::size_t i = 0; i < message.content.size(); ++i) {
    if (i > 0) turn.content += '\n';
    turn.content += placeholder(parts++);
  }
  for (const openai::ToolCall& call : message.tool_calls)
    turn.tool_calls.push_back({call.id, call.name, call.arguments});
  turn.tool_call_id = message.tool_call_id;
  turn.name = message.name;
  return turn;
}

const char* choice_name(const openai::ToolChoice& choice) {
  switch (choice.kind) {
    case openai::ToolChoice::Kind::kNone:
      return "none";
    case openai::ToolChoice::Kind::kRequired:
      return "required";
    default:
      return "auto";
  }
}

engine::ChatInput input_of(const openai::ChatRequest& request) {
  engine::ChatInput input;
  std::size_t parts = 0;
  for (const openai::Message& message : request.messages) input.turns.push_back(turn_of(message, parts));
  for (const openai::Tool& tool : request.tools)
    input.tools.push_back({tool.name, tool.description, tool.parameters});
  input.tool_choice = request.tool_choice.kind == openai::ToolChoice::Kind::kFunction
                          ? request.tool_choice.function
                          : choice_name(request.tool_choice);
  input.parallel_tool_calls = request.parallel_tool_calls;
  input.json_object = request.response_format.kind == openai::ResponseFormat::Kind::kJsonObject;
  if (request.response_format.kind == openai::ResponseFormat::Kind::kJsonSchema)
    input.json_schema = request.response_format.schema;
  return input;
}

std::optional<MediaKind> media_kind(openai::Part::Kind kind) {
  switch (kind) {
    case openai::Part::Kind::kImage:
      return MediaKind::kPicture;
    case openai::Part::Kind::kAudio:
      return MediaKind::kSound;
    case openai::Part::Kind::kVideo:
      return MediaKind::kVideo;
    default:
      return std::nullopt;
  }
}

Status append_part(const openai::Part& part, const engine::Tokenizer& tokenizer, MediaPrompts& media,
                   ChatPrompt& made) {
  const auto kind = media_kind(part.kind);
  if (!kind) {
    made.prompt.append(tokenizer.tokenize(part.text, false));
    return {};
  }
  std::optional<SessionTime> at;
  if (part.timestamp_us) at = SessionTime(Microseconds(*part.timestamp_us));
  auto prompt = media.read(*kind, part.bytes, at, made.times);
  if (!prompt) return tl::unexpected(prompt.error());
  (*kind == MediaKind::kSound ? made.audio_rows : made.image_rows) += prompt->rows();
  made.prompt.append(*prompt);
  return {};
}

/// The part that stands at `text[at]`, if the placeholder there is one of ours.
std::optional<std::size_t> part_at(const std::string& text, std::size_t at, std::size_t parts) {
  std::size_t index = 0;
  const std::size_t digits = at + secret_word().size();
  for (std::size_t i = digits; i < digits + 5 && i < text.size(); ++i)
    index = index * 10 + static_cast<std::size_t>(text[i] - '0');
  if (index < parts && text.compare(at, placeholder_bytes(), placeholder(index)) == 0) return index;
  return std::nullopt;
}

/// Appends part `index`.
using AppendPart = std::function<Status(std::size_t index, ChatPrompt& made)>;

/// Cuts the rendered prompt at its placeholders and puts the parts there.
Result<ChatPrompt> fill(engine::RenderedChat rendered, std::size_t parts, const engine::Tokenizer& tokenizer,
                        const AppendPart& append) {
  ChatPrompt made;
  const std::string text = std::move(rendered.prompt);
  std::size_t from = 0, next = 0;  // a template may leave parts out; it doesn't reorder them
  for (std::size_t at = text.find(secret_word()); at != std::string::npos;
       at = text.find(secret_word(), at + 1)) {
    const auto part = part_at(text, at, parts);
    if (!part || *part < next) continue;
    made.prompt.append(tokenizer.tokenize(std::string_view(text).substr(from, at - from), true));
    if (auto added = append(*part, made); !added) return tl::unexpected(added.error());
    from = at + placeholder_bytes();
    next = *part + 1;
  }
  made.prompt.append(tokenizer.tokenize(std::string_view(text).substr(from), true));
  made.chat = std::move(rendered);
  return made;
}

}  // namespace

Sampling sampling_of(const openai::SamplingParams& params) {
  Sampling sampling;
  // OpenAI samples at 1 unless told otherwise; small models do better with their likeliest word.
  sampling.temperature = static_cast<float>(params.temperature.value_or(0.0));
  if (params.top_p) sampling.top_p = static_cast<float>(*params.top_p);
  if (params.top_k) sampling.top_k = *params.top_k;
  if (params.min_p) sampling.min_p = static_cast<float>(*params.min_p);
  sampling.seed = static_cast<std::uint64_t>(params.seed.value_or(0));
  sampling.frequency_penalty = static_cast<float>(params.frequency_penalty);
  sampling.presence_penalty = static_cast<float>(params.presence_penalty);
  for (const auto& [token, bias] : params.logit_bias)
    sampling.logit_bias.emplace_back(token, static_cast<float>(bias));
  return sampling;
}

Result<ChatPrompt> make_media_question(const Prompt& medium, const std::string& question,
                                       const engine::Tokenizer& tokenizer) {
  engine::ChatInput input;
  engine::ChatTurn turn;
  turn.role = "user";
  turn.content = placeholder(0) + "\n" + question;
  input.turns.push_back(std::move(turn));
  auto rendered = tokenizer.render(input);
  if (!rendered) return tl::unexpected(rendered.error());
  return fill(std::move(*rendered), 1, tokenizer, [&](std::size_t, ChatPrompt& made) -> Status {
    made.prompt.append(medium);
    return {};
  });
}

Result<ChatPrompt> make_chat_prompt(const openai::ChatRequest& request, const engine::Tokenizer& tokenizer,
                                    MediaPrompts& media) {
  auto rendered = tokenizer.render(input_of(request));
  if (!rendered) return tl::unexpected(rendered.error());
  struct Placed {
    const openai::Part* part;
    std::size_t message, place;
  };
  std::vector<Placed> parts;
  for (std::size_t i = 0; i < request.messages.size(); ++i)
    for (std::size_t j = 0; j < request.messages[i].content.size(); ++j)
      parts.push_back({&request.messages[i].content[j], i, j});
  return fill(std::move(*rendered), parts.size(), tokenizer, [&](std::size_t index, ChatPrompt& made) {
    const Placed& at = parts[index];
    Status added = append_part(*at.part, tokenizer, media, made);
    if (!added)
      added.error().message =
          fmt::format("messages[{}].content[{}]: {}", at.message, at.place, added.error().message);
    return added;
  });
}

}  // namespace braid::serve
