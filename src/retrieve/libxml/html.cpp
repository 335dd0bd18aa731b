#include "libxml/html.h"

#include <fmt/format.h>
#include <libxml/HTMLparser.h>
#include <libxml/parserInternals.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

#include "braid/retrieve/document.h"

namespace braid::retrieve {

namespace {

constexpr std::size_t kMaxCharsetPlace = 4096;

bool is_in(std::string_view name, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool is_hidden(std::string_view name) {
  return is_in(name, {"script", "style", "template", "noscript", "iframe", "object", "svg", "select"});
}
bool is_heading(std::string_view name) { return is_in(name, {"title", "h1", "h2", "h3", "h4", "h5", "h6"}); }
bool is_cell(std::string_view name) { return is_in(name, {"td", "th"}); }
bool is_block(std::string_view name) {
  return is_heading(name) ||
         is_in(name, {"address", "article", "aside",    "blockquote", "body",   "caption", "dd",   "div",
                      "dl",      "dt",      "fieldset", "figcaption", "figure", "footer",  "form", "head",
                      "header",  "hr",      "html",     "li",         "main",   "nav",     "ol",   "p",
                      "pre",     "section", "table",    "tbody",      "tfoot",  "thead",   "tr",   "ul"});
}

/// Takes the parser's events. No tree is built, so that a page costs no more than its text.
class Reader {
 public:
  Reader(htmlParserCtxtPtr parser, const std::function<void(const HtmlBlock&)>& take)
      : parser_(parser), take_(take) {}

  void begin(std::string_view name) {
    if (++depth_ > kMaxHtmlDepth) {
      too_deep_ = true;
      return xmlStopParser(parser_);
    }
    if (hidden_ > 0 || is_hidden(name)) {
      ++hidden_;
      return;
    }
    if (is_block(name)) finish();
    if (is_heading(name)) heading_ = true;
    preformatted_ += name == "pre";
    if (name == "br") text_ += '\n';
    if (is_cell(name) && !text_.empty()) text_ += " | ";
    offset_ = text_.empty() ? place() : offset_;
  }

  void end(std::string_view name) {
    depth_ -= depth_ > 0 ? 1 : 0;
    if (hidden_ > 0) {
      --hidden_;
      return;
    }
    if (is_block(name)) finish();
    if (preformatted_ > 0) preformatted_ -= name == "pre";
  }

  void characters(std::string_view characters) {
    if (hidden_ > 0) return;
    for (const char c : characters) {
      const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
      if (!space || (preformatted_ > 0 && c == '\n'))
        text_ += c;
      else if (!text_.empty() && text_.back() != ' ' && text_.back() != '\n')
        text_ += ' ';
    }
  }

  void finish() {
    while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_.back())) != 0) text_.pop_back();
    if (!text_.empty()) take_({std::exchange(text_, {}), heading_, offset_});
    heading_ = false;
    offset_ = place();
  }
  bool too_deep() const { return too_deep_; }

 private:
  std::int64_t place() const { return parser_->input ? parser_->input->cur - parser_->input->base : 0; }

  htmlParserCtxtPtr parser_;
  const std::function<void(const HtmlBlock&)>& take_;
  std::string text_;  // of the block that is read
  std::int64_t offset_ = 0;
  std::size_t depth_ = 0;
  int hidden_ = 0, preformatted_ = 0;  // elements that are open
  bool heading_ = false;
  bool too_deep_ = false;
};

std::string_view view(const xmlChar* text) { return reinterpret_cast<const char*>(text); }

htmlSAXHandler events() {
  htmlSAXHandler events{};
  events.startElement = [](void* reader, const xmlChar* name, const xmlChar**) {
    static_cast<Reader*>(reader)->begin(view(name));
  };
  events.endElement = [](void* reader, const xmlChar* name) {
    static_cast<Reader*>(reader)->end(view(name));
  };
  const auto characters = [](void* reader, const xmlChar* text, int length) {
    static_cast<Reader*>(reader)->characters(
        {reinterpret_cast<const char*>(text), static_cast<std::size_t>(length)});
  };
  events.characters = characters;
  events.ignorableWhitespace = characters;
  return events;
}

}  // namespace

Status read_html(std::string_view text, const std::function<void(const HtmlBlock&)>& take) {
  if (text.empty()) return {};
  const std::unique_ptr<htmlParserCtxt, decltype(&htmlFreeParserCtxt)> parser(
      htmlCreateMemoryParserCtxt(text.data(), static_cast<int>(text.size())), htmlFreeParserCtxt);
  if (!parser) return fail(ErrorCode::kResource, "there is no memory to read HTML with");
  Reader reader(parser.get(), take);
  htmlCtxtUseOptions(parser.get(), HTML_PARSE_IGNORE_ENC | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING |
                                       HTML_PARSE_NONET | HTML_PARSE_NOIMPLIED);
  xmlSwitchEncoding(parser.get(), XML_CHAR_ENCODING_UTF8);
  *parser->sax = events();
  parser->userData = &reader;
  htmlParseDocument(parser.get());
  if (reader.too_deep())
    return fail(ErrorCode::kLimit, fmt::format("its elements are nested deeper than {}", kMaxHtmlDepth));
  reader.finish();
  return {};
}

std::string declared_charset(std::string_view bytes) {
  std::string head(bytes.substr(0, kMaxCharsetPlace));
  std::transform(head.begin(), head.end(), head.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::size_t at = head.find("charset=");
  if (at == std::string::npos) return {};
  at = std::min(head.find_first_not_of("\"' ", at + 8), head.size());
  return head.substr(at, head.find_first_of("\"' />;", at) - at);
}

}  // namespace braid::retrieve
