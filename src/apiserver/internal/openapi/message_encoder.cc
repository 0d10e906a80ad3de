// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/openapi/message_encoder.h"

#include <bit>
#include <cstdint>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/internal/openapi/message_table.h"
#include "apiserver/internal/openapi/node_yaml.h"
#include "base/protobuf_wire.h"

namespace fairway::apiserver::openapi {
namespace {

constexpr std::uint32_t name_number = 1, value_number = 2, yaml_number = 2;

void append_tag(std::string& out, std::uint32_t number, wire::Type type) {
  wire::append_varint(out, std::uint64_t{number} << 3 | static_cast<std::uint64_t>(type));
}

void append_number(std::string& out, std::uint32_t number, double value) {
  append_tag(out, number, wire::Type::fixed64);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>(bits >> shift & 0xff);
}

/// Returns the row that a member belongs to; null if there is none.
const Row* find_row(const Message& message, std::string_view member) {
  const Row* rest = nullptr;
  const Row* group = nullptr;
  for (const Row& row : message.rows) {
    if (row.member == "*") {
      rest = &row;
    } else if (row.is_group()) {
      if (member.starts_with(row.member.substr(0, row.member.size() - 1))) group = &row;
    } else if (row.member == member) {
      return &row;
    }
  }
  return group != nullptr ? group : rest;
}

bool fits(const Choice& choice, const json::Value& value) {
  switch (choice.when) {
    case Choice::When::boolean:
      return value.is_bool();
    case Choice::When::text:
      return value.is_string();
    case Choice::When::number:
      return value.is_number();
    case Choice::When::list:
      return value.is_array();
    case Choice::When::object:
      return value.is_object();
    case Choice::When::has:
      return json::find(value, choice.member) != nullptr;
    case Choice::When::equals:
      return json::find_string(value, choice.member) == choice.text;
  }
  return false;
}

/// Writes a document. After `false` there is an error, and `path` leads to what is wrong.
class Encoder {
 public:
  /// Appends the fields of a message.
  bool message(const Message& message, const json::Value& value, std::string& out) {
    if (message.rows.empty()) return choice(message, value, out);
    const json::Object* object = value.if_object();
    if (object == nullptr) return bad("is not an object");
    std::vector<std::pair<const Row*, const json::Object::value_type*>> found;
    found.reserve(object->size());
    for (const auto& member : *object) {
      const Row* row = find_row(message, member.key());
      if (row != nullptr) {
        found.emplace_back(row, &member);
      } else if (!message.is_tolerant) {
        return bad("has no field in protobuf", member.key());
      }
    }
    for (const Row& row : message.rows) {
      for (const auto& [of, member] : found) {
        if (of == &row && !field(row, member->key(), member->value(), out)) return false;
      }
    }
    return true;
  }

  /// Returns the path of what is wrong, with the reason.
  std::string problem() const {
    std::string text;
    for (const std::string& step : path_ | std::views::reverse) text += (text.empty() ? "" : " > ") + step;
    return text + " " + problem_;
  }

 private:
  bool choice(const Message& message, const json::Value& value, std::string& out) {
    for (const Choice& choice : message.choices) {
      if (fits(choice, value)) return present(choice, value, out);
    }
    return message.is_tolerant || bad("is of a type that protobuf has no field for");
  }

  /// Appends a value that is written even if it is zero: one field of several says which it is.
  bool present(const Choice& choice, const json::Value& value, std::string& out) {
    const std::size_t size = out.size();
    if (!this->value(choice.form, choice.number, choice.message, value, out)) return false;
    if (out.size() > size) return true;
    if (choice.form == Form::boolean) {
      append_tag(out, choice.number, wire::Type::varint);
      wire::append_varint(out, 0);
    } else if (choice.form == Form::number) {
      append_number(out, choice.number, 0);
    } else if (choice.form == Form::text) {
      wire::append_bytes(out, choice.number, "");
    }
    return true;
  }

  bool field(const Row& row, std::string_view name, const json::Value& value, std::string& out) {
    if (!row.is_group()) {
      return this->value(row.form, row.number, row.message, value, out) || at(name);
    }
    std::string pair;
    if (!name.empty()) wire::append_bytes(pair, name_number, name);
    if (!this->value(row.form, value_number, row.message, value, pair)) return at(name);
    wire::append_bytes(out, row.number, pair);
    return true;
  }

  bool value(Form form, std::uint32_t number, const Message* of, const json::Value& value, std::string& out) {
    switch (form) {
      case Form::texts:
      case Form::anys:
      case Form::messages:
        return list(form, number, of, value, out);
      case Form::message: {
        std::string inner;
        if (!message(*of, value, inner)) return false;
        wire::append_bytes(out, number, inner);
        return true;
      }
      case Form::any: {
        std::string inner;
        wire::append_bytes(inner, yaml_number, node_yaml(value));
        wire::append_bytes(out, number, inner);
        return true;
      }
      case Form::text:
        if (!value.is_string()) return bad("is not a text");
        if (!value.get_string().empty()) wire::append_bytes(out, number, value.get_string());
        return true;
      case Form::boolean:
        if (!value.is_bool()) return bad("is neither true nor false");
        if (value.get_bool()) integer(number, 1, out);
        return true;
      case Form::integer:
        if (!value.is_int64()) return bad("is not an integer");
        if (value.get_int64() != 0) integer(number, static_cast<std::uint64_t>(value.get_int64()), out);
        return true;
      case Form::number:
        if (!value.is_number()) return bad("is not a number");
        if (const auto wanted = value.to_number<double>(); wanted != 0) append_number(out, number, wanted);
        return true;
    }
    return false;
  }

  bool list(Form form, std::uint32_t number, const Message* of, const json::Value& value, std::string& out) {
    const json::Array* items = value.if_array();
    if (items == nullptr) return bad("is not a list");
    for (const json::Value& item : *items) {
      if (form == Form::texts) {
        if (!item.is_string()) return bad("has an item that is not a text");
        wire::append_bytes(out, number, item.get_string());
      } else if (!this->value(form == Form::anys ? Form::any : Form::message, number, of, item, out)) {
        return at("[" + std::to_string(&item - items->data()) + "]");
      }
    }
    return true;
  }

  static void integer(std::uint32_t number, std::uint64_t value, std::string& out) {
    append_tag(out, number, wire::Type::varint);
    wire::append_varint(out, value);
  }

  bool bad(std::string_view problem, std::string_view member = {}) {
    problem_ = problem;
    return member.empty() ? false : at(member);
  }
  /// Adds a step to the path, from the inside out. Returns false.
  bool at(std::string_view step) {
    path_.emplace_back(step);
    return false;
  }

  std::string problem_;
  std::vector<std::string> path_;
};

}  // namespace

Result<std::string> to_protobuf(Dialect dialect, const json::Value& document) {
  Encoder encoder;
  std::string out;
  if (encoder.message(document_message(dialect), document, out)) return out;
  return fail(ErrorCode::internal, "writing the OpenAPI document as protobuf: " + encoder.problem() +
                                       "; ask for application/json");
}

}  // namespace fairway::apiserver::openapi
