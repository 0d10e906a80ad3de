#include "base/json.h"

#include <boost/json/parse_options.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/stream_parser.hpp>

#include <algorithm>

namespace fairway::json {

namespace {

constexpr std::size_t max_depth = 64;

std::string position(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t line_start = before.rfind('\n');
  const std::size_t column = offset - (line_start == std::string_view::npos ? 0 : line_start + 1) + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

void append_pretty(std::string& out, const Value& value, std::size_t indent) {
  const std::string inner(indent + 2, ' ');
  if (const Object* object = value.if_object(); object != nullptr && !object->empty()) {
    out += "{\n";
    std::size_t left = object->size();
    for (const auto& [key, member] : *object) {
      out += inner;
      append_quoted(out, key);
      out += ": ";
      append_pretty(out, member, indent + 2);
      out += --left > 0 ? ",\n" : "\n";
    }
    out.append(indent, ' ') += '}';
  } else if (const Array* array = value.if_array(); array != nullptr && !array->empty()) {
    out += "[\n";
    std::size_t left = array->size();
    for (const Value& item : *array) {
      out += inner;
      append_pretty(out, item, indent + 2);
      out += --left > 0 ? ",\n" : "\n";
    }
    out.append(indent, ' ') += ']';
  } else {
    out += to_text(value);
  }
}

}  // namespace

Result<Value> parse(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = max_depth;
  boost::json::stream_parser parser({}, options);
  boost::system::error_code error;
  const std::size_t read = parser.write_some(text.data(), text.size(), error);
  if (!error && read < text.size() && text.find_first_not_of(" \t\r\n", read) != std::string_view::npos) {
    error = boost::json::error::extra_data;
  }
  if (!error) parser.finish(error);
  if (error) {
    const bool cut = error == boost::json::error::incomplete;
    return fail(ErrorCode::invalid, "not JSON: " + position(text, cut ? text.size() : read) + ": " +
                                        (cut ? std::string("the text ends too early") : error.message()));
  }
  return parser.release();
}

std::string to_text(const Value& value) {
  return boost::json::serialize(value);
}

std::string to_text(const Object& object) {
  return boost::json::serialize(object);
}

std::string to_pretty_text(const Value& value) {
  std::string out;
  append_pretty(out, value, 0);
  out += '\n';
  return out;
}

void append_quoted(std::string& out, std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  out += '"';
  std::size_t plain = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    out.append(text, plain, at - plain);
    plain = at + 1;
    out += '\\';
    switch (byte) {
      case '"':
      case '\\':
        out += text[at];
        break;
      case '\b':
        out += 'b';
        break;
      case '\f':
        out += 'f';
        break;
      case '\n':
        out += 'n';
        break;
      case '\r':
        out += 'r';
        break;
      case '\t':
        out += 't';
        break;
      default:
        out += "u00";
        out += digits[byte >> 4];
        out += digits[byte & 15];
    }
  }
  out.append(text, plain);
  out += '"';
}

const Value* find(const Value& value, std::string_view key) {
  const Object* object = value.if_object();
  return object != nullptr ? object->if_contains(key) : nullptr;
}

std::optional<std::string_view> find_string(const Value& value, std::string_view key) {
  const Value* member = find(value, key);
  if (member == nullptr || !member->is_string()) return std::nullopt;
  return std::string_view(member->get_string());
}

}  // namespace fairway::json
