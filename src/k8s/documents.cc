// SPDX-License-Identifier: Apache-2.0

#include "k8s/documents.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "base/quoted_text.h"
#include "base/text.h"
#include "base/yaml.h"

namespace fairway::k8s {

namespace {

constexpr std::array<std::string_view, 11> true_words{"y",    "Y",    "yes", "Yes", "YES", "true",
                                                      "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> false_words{"n",     "N",     "no",  "No",  "NO", "false",
                                                       "False", "FALSE", "off", "Off", "OFF"};

std::unexpected<Error> out_of_range(std::string_view text, std::string_view limit) {
  return fail(ErrorCode::invalid, "the number " + printable(text, 60) + " is beyond " + std::string(limit) +
                                      "; quote it if it is a text");
}

/// Reads an integer as Go's strconv does with base 0: 12, -0x1F, 0o17, 017, 0b101. std::nullopt if the text
/// is not one, or is a decimal number beyond 64 bits, which `read_float` reads. Error: a number of another
/// base is beyond 64 bits.
Result<std::optional<json::Value>> read_integer(std::string_view text) {
  const std::string_view whole = text;
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
  if (read.ptr != text.data() + text.size() || read.ec == std::errc::invalid_argument) return std::nullopt;
  constexpr std::uint64_t lowest = std::uint64_t{1} << 63;
  if (read.ec != std::errc{} || (negative && magnitude > lowest)) {
    if (base == 10) return std::nullopt;  // perhaps a double
    return out_of_range(whole, "64 bits");
  }
  if (!negative)
    return magnitude < lowest ? json::Value(static_cast<std::int64_t>(magnitude)) : json::Value(magnitude);
  return json::Value(static_cast<std::int64_t>(~magnitude + 1));
}

/// Reads a decimal number that `read_integer` does not take. std::nullopt if the text is not one. Error: it
/// is out of range.
Result<std::optional<json::Value>> read_float(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return std::nullopt;
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec == std::errc::invalid_argument || read.ptr != text.data() + text.size()) return std::nullopt;
  // The value, exactly, by the rules of YAML 1.2; what is out of range stays a text there.
  json::Value value = yaml::to_json(
      {.kind = yaml::Node::Kind::scalar, .mark = {}, .scalar = std::string(text), .plain = true});
  if (value.is_string()) return out_of_range(text, "64 bits, or what a double can be");
  return value;
}

Result<json::Value> read_plain(const std::string& text) {
  if (std::ranges::find(true_words, text) != true_words.end()) return true;
  if (std::ranges::find(false_words, text) != false_words.end()) return false;
  const char first = text.front();
  const bool is_perhaps_integer = (first >= '0' && first <= '9') || first == '-' || first == '+';
  if (!is_perhaps_integer && first != '.') return json::Value(text);
  std::string digits = text;
  if (is_perhaps_integer) {
    std::erase(digits, '_');
    auto number = read_integer(digits);
    if (!number) return fail(std::move(number.error()));
    if (*number) return **std::move(number);
  }
  auto number = read_float(digits);
  if (!number) return fail(std::move(number.error()));
  return *number ? **std::move(number) : json::Value(text);
}

/// Returns whether a text is an infinity or NaN of YAML, which JSON does not have.
bool is_not_finite(std::string_view text) {
  constexpr std::array<std::string_view, 3> infinity{".inf", ".Inf", ".INF"}, nan{".nan", ".NaN", ".NAN"};
  if (std::ranges::find(nan, text) != nan.end()) return true;
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return std::ranges::find(infinity, text) != infinity.end();
}

std::unexpected<Error> wrong(const yaml::Mark& mark, const std::string& what) {
  return fail(ErrorCode::invalid, "line " + std::to_string(mark.line) + ": " + what);
}

/// Returns the name that a key has in JSON: `on: 1` is {"true": 1}.
Result<std::string> read_key(const yaml::Node& key) {
  if (!key.is_scalar()) return wrong(key.mark, "a key must be a text");
  if (!key.plain) return key.scalar;
  if (key.scalar == "<<")
    return wrong(key.mark, "merge keys (<<) are not read: write the fields out, or quote the key");
  const auto read = read_plain(key.scalar);
  if (!read) return wrong(key.mark, read.error().message);
  return read->is_string() || read->is_double() ? key.scalar : json::to_text(*read);
}

/// Converts a node to JSON. `duplicates`: receives the names of duplicate keys; nullptr: they are errors.
Result<json::Value> read_node(const yaml::Node& node, std::vector<std::string>* duplicates) {
  switch (node.kind) {
    case yaml::Node::Kind::null:
      break;
    case yaml::Node::Kind::scalar: {
      if (!node.plain) return json::Value(node.scalar);
      if (is_not_finite(node.scalar)) {
        return wrong(node.mark, "JSON has no number " + node.scalar + "; quote it if it is a text");
      }
      auto value = read_plain(node.scalar);
      if (!value) return wrong(node.mark, value.error().message);
      return value;
    }
    case yaml::Node::Kind::sequence: {
      json::Array array;
      array.reserve(node.items.size());
      for (const yaml::Node& item : node.items) {
        auto value = read_node(item, duplicates);
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
        auto value = read_node(entry, duplicates);
        if (!value) return value;
        if (object.insert_or_assign(*name, *std::move(value)).second) continue;
        if (duplicates == nullptr) {
          return wrong(key.mark,
                       "'" + printable(*name, 80) + "' stands here again, and one of them would be lost");
        }
        duplicates->push_back("line " + std::to_string(entry.mark.line) + ": key " + quote(*name) +
                              " already set in map");
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

Result<std::vector<Document>> read_documents(std::string_view text, DuplicateKeys duplicates) {
  const auto parsed = yaml::parse(text);
  if (!parsed) {
    // YAML's reader takes most of JSON, but not every escape, nor what is nested very deep.
    if (looks_like_json(text)) {
      if (auto value = json::parse(text)) return std::vector<Document>{{.value = *std::move(value)}};
    }
    return wrong(parsed.error().mark, parsed.error().message);
  }
  const bool last_wins = duplicates == DuplicateKeys::last_wins;
  if (!last_wins && !parsed->duplicate_keys.empty()) {
    const yaml::DuplicateKey& twice = parsed->duplicate_keys.front();
    return wrong(twice.repeated, "'" + printable(twice.key, 80) + "' stands here again; it was set at line " +
                                     std::to_string(twice.first.line) + ", and one of them would be lost");
  }
  std::vector<Document> documents;
  for (const yaml::Node& node : parsed->documents) {
    if (node.kind == yaml::Node::Kind::null) continue;
    Document document{.line = node.mark.line};
    auto value = read_node(node, last_wins ? &document.duplicate_keys : nullptr);
    if (!value) return fail(std::move(value.error()));
    document.value = *std::move(value);
    documents.push_back(std::move(document));
  }
  return documents;
}

}  // namespace fairway::k8s
