// SPDX-License-Identifier: Apache-2.0

#include "payload/field_change.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/cut_text.h"
#include "base/text.h"
#include "k8s/equality.h"

namespace fairway::payload {

namespace {

/// Returns a text that equal values share: keys sorted, members that are null left out.
std::string canonical_text(const json::Value& value) {
  if (const json::Object* object = value.if_object()) {
    std::map<std::string_view, const json::Value*> members;
    for (const auto& [key, member] : *object) {
      if (!member.is_null()) members.emplace(key, &member);
    }
    std::string text = "{";
    for (const auto& [key, member] : members) {
      json::append_quoted(text, key);
      text += ":" + canonical_text(*member) + ",";
    }
    return text + "}";
  }
  if (const json::Array* list = value.if_array()) {
    std::string text = "[";
    for (const json::Value& item : *list) text += canonical_text(item) + ",";
    return text + "]";
  }
  return json::to_text(value);
}

std::vector<std::string> canonical_texts(const json::Array& list) {
  std::vector<std::string> texts;
  for (const json::Value& item : list) texts.push_back(canonical_text(item));
  return texts;
}

/// Returns the items of a list by their names, or nothing where an item has none of its own.
std::optional<std::unordered_map<std::string_view, const json::Value*>> by_name(const json::Array& list) {
  std::unordered_map<std::string_view, const json::Value*> items;
  for (const json::Value& item : list) {
    const auto name = item.is_object() ? json::find_string(item, "name") : std::nullopt;
    if (!name || name->empty() || !items.emplace(*name, &item).second) return std::nullopt;
  }
  return items;
}

/// Length at which a key within a path is cut, in bytes.
constexpr std::size_t max_key_bytes = 200;

bool is_plain(std::string_view key) {
  return !key.empty() && std::ranges::all_of(key, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '$' || c == '/';
  });
}

/// Returns the path of what is at `step` within `path`, cut where it grows too long.
std::string extended(const std::string& path, const std::string& step) {
  return cut_text(path + step, max_path_bytes);
}

std::string member_path(const std::string& path, std::string_view key) {
  const std::string short_key = printable(key, max_key_bytes);
  if (is_plain(key)) return extended(path, (path.empty() ? "" : ".") + short_key);
  std::string quoted;
  json::append_quoted(quoted, short_key);
  return extended(path, "[" + quoted + "]");
}

class Finder {
 public:
  explicit Finder(bool hides) : hides_(hides) {}

  void compare(const std::string& path, const json::Object& before, const json::Object& after) {
    for (const auto& [key, value] : after) {
      if (value.is_null()) continue;
      const json::Value* old = before.if_contains(key);
      if (old == nullptr || old->is_null()) {
        add(member_path(path, key), nullptr, &value);
      } else {
        compare(member_path(path, key), *old, value);
      }
    }
    for (const auto& [key, value] : before) {
      const json::Value* now = after.if_contains(key);
      if (!value.is_null() && (now == nullptr || now->is_null()))
        add(member_path(path, key), &value, nullptr);
    }
  }

  FieldChanges finish() { return std::move(found_); }

 private:
  void compare(const std::string& path, const json::Value& before, const json::Value& after) {
    if (before.is_object() && after.is_object()) {
      compare(path, before.get_object(), after.get_object());
    } else if (before.is_array() && after.is_array()) {
      compare(path, before.get_array(), after.get_array());
    } else if (!k8s::equal_with_null_as_absent(before, after)) {
      add(path, &before, &after);
    }
  }

  void compare(const std::string& path, const json::Array& before, const json::Array& after) {
    const auto old = by_name(before), now = by_name(after);
    if (old && now && !old->empty() && !now->empty()) {
      compare_by_name(path, before, after, *old, *now);
    } else {
      compare_items(path, before, after);
    }
  }

  using Named = std::unordered_map<std::string_view, const json::Value*>;

  void compare_by_name(const std::string& path, const json::Array& before, const json::Array& after,
                       const Named& old, const Named& now) {
    const auto path_of = [&](std::string_view name) {
      return extended(path, "[name=" + printable(name, max_key_bytes) + "]");
    };
    // The names that both have, in the order of each.
    json::Array order_before, order_after;
    for (const json::Value& item : after) {
      const std::string_view name = *json::find_string(item, "name");
      const auto same = old.find(name);
      if (same == old.end()) {
        add(path_of(name), nullptr, &item);
        continue;
      }
      order_after.emplace_back(name);
      compare(path_of(name), *same->second, item);
    }
    for (const json::Value& item : before) {
      const std::string_view name = *json::find_string(item, "name");
      if (now.contains(name)) {
        order_before.emplace_back(name);
      } else {
        add(path_of(name), &item, nullptr);
      }
    }
    if (order_before != order_after) add_order(path, order_before, order_after);
  }

  void compare_items(const std::string& path, const json::Array& before, const json::Array& after) {
    const std::vector<std::string> old = canonical_texts(before), now = canonical_texts(after);
    if (old == now) return;
    // How many more of each item there are after than before.
    std::unordered_map<std::string_view, std::ptrdiff_t> surplus;
    for (const std::string& text : now) ++surplus[text];
    for (const std::string& text : old) --surplus[text];
    std::size_t came = 0, went = 0, places = 0;
    for (const auto& [text, number] : surplus)
      (number > 0 ? came : went) += static_cast<std::size_t>(number > 0 ? number : -number);
    if (came == 0 && went == 0) return add_order(path, before, after);
    if (old.size() == now.size()) {
      for (std::size_t i = 0; i < now.size(); ++i) places += old[i] != now[i] ? 1 : 0;
    }
    if (old.size() == now.size() && places == came) {
      for (std::size_t i = 0; i < now.size(); ++i) {
        if (old[i] != now[i]) compare(extended(path, "[" + std::to_string(i) + "]"), before[i], after[i]);
      }
      return;
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
      auto& more = surplus[now[i]];
      if (more <= 0) continue;
      --more;
      add(extended(path, "[]"), nullptr, &after[i]);
    }
    for (std::size_t i = 0; i < old.size(); ++i) {
      auto& fewer = surplus[old[i]];
      if (fewer >= 0) continue;
      ++fewer;
      add(extended(path, "[]"), &before[i], nullptr);
    }
  }

  void add(const std::string& path, const json::Value* before, const json::Value* after) {
    ++found_.count;
    if (found_.fields.size() >= max_field_changes) return;
    found_.fields.push_back({.path = path, .before = text_of(before), .after = text_of(after)});
  }

  void add_order(const std::string& path, const json::Array& before, const json::Array& after) {
    const json::Value old(before), now(after);
    add(path, &old, &now);
    if (found_.fields.size() == found_.count) found_.fields.back().order_only = true;
  }

  std::optional<std::string> text_of(const json::Value* value) const {
    if (value == nullptr) return std::nullopt;
    return hides_ ? "(hidden)" : cut_text(json::to_text(*value), max_value_bytes);
  }

  bool hides_;
  FieldChanges found_;
};

}  // namespace

FieldChanges find_field_changes(const json::Object& before, const json::Object& after, bool hides) {
  Finder finder(hides);
  finder.compare("", before, after);
  return finder.finish();
}

}  // namespace fairway::payload
