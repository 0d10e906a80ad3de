// SPDX-License-Identifier: Apache-2.0

#include "schema/field_path.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "k8s/equality.h"

namespace fairway::schema {

namespace {

constexpr std::string_view not_plain = ".[]\"=,\\ ";

bool is_plain(std::string_view name) {
  return !name.empty() && name.find_first_of(not_plain) == std::string_view::npos &&
         std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<std::vector<PathStep>> read() {
    std::vector<PathStep> steps;
    while (at_ < text_.size()) {
      if (!steps.empty() && text_[at_] == '.') {
        ++at_;
        if (at_ == text_.size() || text_[at_] == '[') return bad("a name is missing behind the dot");
      } else if (!steps.empty() && text_[at_] != '[') {
        return bad("a dot is missing");
      }
      auto step = text_[at_] == '[' ? bracketed() : name();
      if (!step) return fail(step.error());
      steps.push_back(*std::move(step));
    }
    if (steps.empty()) return bad("a field path must not be empty");
    return steps;
  }

 private:
  std::unexpected<Error> bad(std::string_view why) const {
    return fail(ErrorCode::invalid, "field path '" + printable(text_, 120) + "': column " +
                                        std::to_string(at_ + 1) + ": " + std::string(why));
  }

  Result<PathStep> name() {
    const std::size_t end = std::min(text_.find_first_of(".[", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    if (!is_plain(word)) return bad("a name like this must stand in brackets and quotes: [\"a.b\"]");
    at_ = end;
    return PathStep(std::string(word));
  }

  Result<PathStep> bracketed() {
    ++at_;
    if (at_ == text_.size()) return bad("the bracket is not closed");
    if (text_[at_] == '"') {
      auto quoted = scalar();
      if (!quoted) return fail(quoted.error());
      if (auto closed = close(); !closed) return fail(closed.error());
      return PathStep(std::string(quoted->get_string()));
    }
    std::size_t index = 0;
    const auto read = std::from_chars(text_.data() + at_, text_.data() + text_.size(), index);
    if (read.ec == std::errc{}) {
      at_ = static_cast<std::size_t>(read.ptr - text_.data());
      if (auto closed = close(); !closed) return fail(closed.error());
      return PathStep(index);
    }
    ListKey key;
    while (true) {
      const std::size_t equals = text_.find('=', at_);
      if (equals == std::string_view::npos || !is_plain(text_.substr(at_, equals - at_))) {
        return bad("brackets hold an index, a quoted name or name=value");
      }
      std::string member(text_.substr(at_, equals - at_));
      at_ = equals + 1;
      auto value = scalar();
      if (!value) return fail(value.error());
      key.members.emplace_back(std::move(member), *std::move(value));
      if (at_ == text_.size() || text_[at_] != ',') break;
      ++at_;
    }
    if (auto closed = close(); !closed) return fail(closed.error());
    return PathStep(std::move(key));
  }

  Result<void> close() {
    if (at_ == text_.size() || text_[at_] != ']') return bad("the bracket is not closed");
    ++at_;
    return {};
  }

  /// A JSON text, number or boolean.
  Result<json::Value> scalar() {
    std::size_t end = at_;
    if (end < text_.size() && text_[end] == '"') {
      for (++end; end < text_.size() && text_[end] != '"'; ++end) {
        if (text_[end] == '\\') ++end;
      }
      ++end;
    } else {
      end = std::min(text_.find_first_of(",]", at_), text_.size());
    }
    if (end > text_.size()) return bad("the quotes are not closed");
    auto value = json::parse(text_.substr(at_, end - at_));
    if (!value || value->is_object() || value->is_array() || value->is_null()) {
      return bad("expected a quoted text, a number, true or false");
    }
    at_ = end;
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

template <class Value>
Value* follow_step(Value& value, const PathStep& step) {
  if (const auto* name = std::get_if<std::string>(&step)) {
    auto* object = value.if_object();
    return object != nullptr ? object->if_contains(*name) : nullptr;
  }
  auto* array = value.if_array();
  if (array == nullptr) return nullptr;
  if (const auto* index = std::get_if<std::size_t>(&step)) {
    return *index < array->size() ? &(*array)[*index] : nullptr;
  }
  for (auto& item : *array) {
    if (std::get<ListKey>(step).matches(item)) return &item;
  }
  return nullptr;
}

}  // namespace

bool ListKey::matches(const json::Value& item) const {
  return std::ranges::all_of(members, [&](const auto& member) {
    const json::Value* value = json::find(item, member.first);
    return value != nullptr && k8s::equal(*value, member.second);
  });
}

Result<FieldPath> FieldPath::parse(std::string_view text) {
  auto steps = Reader(text).read();
  if (!steps) return fail(steps.error());
  return FieldPath(*std::move(steps));
}

std::string FieldPath::to_string() const {
  std::string text;
  for (const PathStep& step : steps_) {
    if (const auto* name = std::get_if<std::string>(&step)) {
      append_member(text, *name);
    } else if (const auto* index = std::get_if<std::size_t>(&step)) {
      append_index(text, *index);
    } else {
      append_key(text, std::get<ListKey>(step));
    }
  }
  return text;
}

const json::Value* FieldPath::find(const json::Object& object) const {
  if (steps_.empty()) return nullptr;
  const auto* first = std::get_if<std::string>(&steps_.front());
  const json::Value* value = first != nullptr ? object.if_contains(*first) : nullptr;
  for (std::size_t i = 1; i < steps_.size() && value != nullptr; ++i) value = follow(*value, steps_[i]);
  return value;
}

void append_member(std::string& path, std::string_view name) {
  if (is_plain(name)) {
    if (!path.empty()) path += '.';
    path += name;
  } else {
    path += '[';
    json::append_quoted(path, name);
    path += ']';
  }
}

void append_index(std::string& path, std::size_t index) {
  path += '[' + std::to_string(index) + ']';
}

void append_key(std::string& path, const ListKey& key) {
  char before = '[';
  for (const auto& [name, value] : key.members) {
    path += before;
    path += name;
    path += '=';
    json::append_text(path, value);
    before = ',';
  }
  path += ']';
}

const json::Value* follow(const json::Value& value, const PathStep& step) {
  return follow_step(value, step);
}

json::Value* follow(json::Value& value, const PathStep& step) {
  return follow_step(value, step);
}

}  // namespace fairway::schema
