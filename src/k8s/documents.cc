#include "k8s/documents.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "base/text.h"
#include "base/yaml.h"

namespace fairway::k8s {

namespace {

constexpr std::array<std::string_view, 11> true_words{"y",    "Y",    "yes", "Yes", "YES", "true",
                                                      "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> false_words{"n",     "N",     "no",  "No",  "NO", "false",
                                                       "False", "FALSE", "off", "Off", "OFF"};

/// An integer as Go's strconv reads it with base 0: 12, -0x1F, 0o17, 017, 0b101.
std::optional<json::Value> read_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text.front() == '0') {
    const char letter = text[1];
    base = letter == 'x' || letter == 'X' ? 16 : letter == 'b' || letter == 'B' ? 2 : 8;
    text.remove_prefix(base != 8 || letter == 'o' || letter == 'O' ? 2 : 1);
  }
  std::uint64_t magnitude = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  constexpr std::uint64_t lowest = std::uint64_t{1} << 63;
  if (!negative)
    return magnitude < lowest ? json::Value(static_cast<std::int64_t>(magnitude)) : json::Value(magnitude);
  if (magnitude > lowest) return std::nullopt;
  return json::Value(static_cast<std::int64_t>(~magnitude + 1));
}

std::optional<json::Value> read_float(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return std::nullopt;
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || !std::isfinite(number))
    return std::nullopt;
  return json::Value(number);
}

json::Value read_plain(const std::string& text) {
  if (std::ranges::find(true_words, text) != true_words.end()) return true;
  if (std::ranges::find(false_words, text) != false_words.end()) return false;
  std::string digits = text;
  std::erase(digits, '_');
  const char first = text.front();
  if ((first >= '0' && first <= '9') || first == '-' || first == '+') {
    if (auto number = read_integer(digits)) return *std::move(number);
    if (auto number = read_float(digits)) return *std::move(number);
  } else if (first == '.') {
    if (auto number = read_float(text)) return *std::move(number);
  }
  return json::Value(text);
}

std::unexpected<Error> wrong(const yaml::Mark& mark, const std::string& what) {
  return fail(ErrorCode::invalid, "line " + std::to_string(mark.line) + ": " + what);
}

/// The name that a key has in JSON: `on: 1` is {"true": 1}.
Result<std::string> read_key(const yaml::Node& key) {
  if (!key.is_scalar()) return wrong(key.mark, "a key must be a text");
  if (!key.plain) return key.scalar;
  if (key.scalar == "<<")
    return wrong(key.mark, "merge keys (<<) are not read: write the fields out, or quote the key");
  const json::Value read = read_plain(key.scalar);
  return read.is_string() || read.is_double() ? key.scalar : json::to_text(read);
}

Result<json::Value> read_node(const yaml::Node& node) {
  switch (node.kind) {
    case yaml::Node::Kind::null:
      break;
    case yaml::Node::Kind::scalar:
      return node.plain ? read_plain(node.scalar) : json::Value(node.scalar);
    case yaml::Node::Kind::sequence: {
      json::Array array;
      array.reserve(node.items.size());
      for (const yaml::Node& item : node.items) {
        auto value = read_node(item);
        if (!value) return value;
        array.push_back(*std::move(value));
      }
      return json::Value(std::move(array));
    }
    case yaml::Node::Kind::mapping: {
      json::Object object;
      for (const auto& [key, entry] : node.entries) {
        const auto name = read_key(key);
        if (!name) return fail(name.error());
        auto value = read_node(entry);
        if (!value) return value;
        if (!object.emplace(*name, *std::move(value)).second)
          return wrong(key.mark,
                       "'" + printable(*name, 80) + "' stands here again, and one of them would be lost");
      }
      return json::Value(std::move(object));
    }
  }
  return json::Value(nullptr);
}

bool looks_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

}  // namespace

Result<std::vector<Document>> read_documents(std::string_view text) {
  const auto parsed = yaml::parse(text);
  if (!parsed) {
    if (!looks_like_json(text)) return wrong(parsed.error().mark, parsed.error().message);
    // YAML's reader takes most of JSON, but not every escape, nor what is nested very deep.
    auto value = json::parse(text);
    if (!value) return fail(std::move(value.error()));
    return std::vector<Document>{{*std::move(value), 1}};
  }
  if (!parsed->duplicate_keys.empty()) {
    const yaml::DuplicateKey& twice = parsed->duplicate_keys.front();
    return wrong(twice.again, "'" + printable(twice.key, 80) + "' stands here again; it was set at line " +
                                  std::to_string(twice.first.line) + ", and one of them would be lost");
  }
  std::vector<Document> documents;
  for (const yaml::Node& node : parsed->documents) {
    if (node.kind == yaml::Node::Kind::null) continue;
    auto value = read_node(node);
    if (!value) return fail(std::move(value.error()));
    documents.push_back({*std::move(value), node.mark.line});
  }
  return documents;
}

}  // namespace fairway::k8s
