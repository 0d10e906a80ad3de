// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/lost_fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/digest.h"
#include "k8s/equality.h"
#include "k8s/view.h"
#include "schema/field_path.h"
#include "schema/schema.h"

namespace fairway::conversion {

namespace {

/// Longest base that is kept itself; a longer one is kept by its digest.
constexpr std::size_t max_base_bytes = 96;

constexpr std::string_view status_field = "status";

/// Returns whether a path leads to `status` or below, however it is spelled.
bool is_of_status(std::string_view text) {
  const auto path = schema::FieldPath::parse(text);
  if (!path) return false;
  const auto* first = std::get_if<std::string>(&path->steps().front());
  return first != nullptr && *first == status_field;
}

bool is_header(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

/// Appends the text of a value with its keys in a fixed order: servers change the order.
void append_canonical(std::string& out, const json::Value& value) {
  if (const json::Object* object = value.if_object()) {
    std::vector<std::string_view> keys;
    for (const auto& member : *object) keys.emplace_back(member.key());
    std::ranges::sort(keys);
    out += '{';
    for (const std::string_view key : keys) {
      json::append_quoted(out, key);
      out += ':';
      append_canonical(out, object->at(key));
    }
    out += '}';
  } else if (const json::Array* array = value.if_array()) {
    out += '[';
    for (const json::Value& item : *array) {
      append_canonical(out, item);
      out += ',';
    }
    out += ']';
  } else if (value.is_double() && std::abs(value.get_double()) < 0x1p53 &&
             std::trunc(value.get_double()) == value.get_double()) {
    json::append_text(out,
                      json::Value(static_cast<std::int64_t>(value.get_double())));  // 1.0 says what 1 does
  } else {
    json::append_text(out, value);
  }
}

/// The names of an entry's members for the value that came back: first with the defaults of the version, then
/// without them if that differs.
struct BaseNames {
  const char* base;
  const char* digest;
};
constexpr std::array base_names{BaseNames{"base", "baseDigest"}, BaseNames{"plainBase", "plainBaseDigest"}};

bool has_base(const json::Object& entry) {
  return entry.contains(base_names[0].base) || entry.contains(base_names[0].digest);
}

std::string digest_of_text(std::string_view canonical) {
  return sha256_hex(canonical).substr(0, 32);
}

std::string digest_of(const json::Value& value) {
  std::string text;
  append_canonical(text, value);
  return digest_of_text(text);
}

/// Names of the members that identify the items of a list; empty if the items cannot be identified.
using Keys = std::vector<std::string>;

std::optional<schema::ListKey> key_of(const json::Value& item, const Keys& keys) {
  schema::ListKey key;
  for (const std::string& name : keys) {
    const json::Value* value = json::find(item, name);
    if (value == nullptr || value->is_object() || value->is_array() || value->is_null()) return std::nullopt;
    key.members.emplace_back(name, *value);
  }
  return key;
}

std::optional<std::vector<std::string>> key_texts(const json::Array& list, const Keys& keys) {
  std::vector<std::string> texts;
  for (const json::Value& item : list) {
    const auto key = key_of(item, keys);
    if (!key) return std::nullopt;
    schema::append_key(texts.emplace_back(), *key);
  }
  auto sorted = texts;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) return std::nullopt;
  return texts;
}

class Finder {
 public:
  json::Object run(const json::Object& own, const json::Object& back, const json::Object* schema) {
    compare_objects(own, back, schema, true);
    return std::move(lost_);
  }

 private:
  /// Makes the path one step longer for as long as it lives.
  class Longer {
   public:
    explicit Longer(std::string& path) : path_(path), size_(path.size()) {}
    ~Longer() { path_.resize(size_); }
    Longer(const Longer&) = delete;
    Longer& operator=(const Longer&) = delete;

   private:
    std::string& path_;
    std::size_t size_;
  };

  json::Object& entry() { return lost_[path_].emplace_object(); }

  void save(const json::Value* own, const json::Value* base) {
    json::Object& saved = entry();
    if (own != nullptr) saved["value"] = *own;
    if (base == nullptr) return;
    std::string text;
    json::append_text(text, *base);
    if (text.size() <= max_base_bytes) {
      saved["base"] = *base;
    } else {
      saved["baseDigest"] = digest_of(*base);
    }
  }

  void compare(const json::Value& own, const json::Value& back, const json::Object* schema) {
    if (k8s::equal(own, back)) return;
    if (own.is_object() && back.is_object()) {
      compare_objects(own.get_object(), back.get_object(), schema, false);
    } else if (own.is_array() && back.is_array()) {
      compare_lists(own, back, schema);
    } else {
      save(&own, &back);
    }
  }

  void compare_objects(const json::Object& own, const json::Object& back, const json::Object* schema,
                       bool is_resource) {
    for (const auto& member : own) {
      if (is_resource && is_header(member.key())) continue;
      const Longer longer(path_);
      schema::append_member(path_, member.key());
      if (const json::Value* other = back.if_contains(member.key())) {
        compare(member.value(), *other,
                schema != nullptr ? schema::member_schema(*schema, member.key()) : nullptr);
      } else {
        save(&member.value(), nullptr);
      }
    }
    for (const auto& member : back) {
      if ((is_resource && is_header(member.key())) || own.contains(member.key())) continue;
      const Longer longer(path_);
      schema::append_member(path_, member.key());
      save(nullptr, &member.value());
    }
  }

  void compare_lists(const json::Value& own_value, const json::Value& back_value,
                     const json::Object* schema) {
    const json::Array &own = own_value.get_array(), &back = back_value.get_array();
    const json::Object* items = schema != nullptr ? schema::item_schema(*schema) : nullptr;
    Keys keys = schema != nullptr ? schema::list_keys(*schema) : Keys{};
    if (keys.empty()) keys = {"name"};
    if (compare_by_keys(own, back, keys, items)) return;
    const auto pairs_up = [](const json::Value& a, const json::Value& b) {
      return a.is_object() && b.is_object();
    };
    if (own.size() == back.size() && std::ranges::equal(own, back, pairs_up)) {
      for (std::size_t i = 0; i < own.size(); ++i) {
        if (k8s::equal(own[i], back[i])) continue;
        const Longer longer(path_);
        schema::append_index(path_, i);
        save(&own[i], &back[i]);
      }
    } else {
      save(&own_value, &back_value);
    }
  }

  /// Compares lists by the keys of their items. False: the items cannot be identified, or not all that came
  /// back are in their order in `own`.
  bool compare_by_keys(const json::Array& own, const json::Array& back, const Keys& keys,
                       const json::Object* items) {
    const auto own_keys = key_texts(own, keys), back_keys = key_texts(back, keys);
    if (!own_keys || !back_keys) return false;
    std::size_t at = 0;
    for (const std::string& key : *own_keys) at += at < back_keys->size() && key == (*back_keys)[at] ? 1 : 0;
    if (at != back_keys->size()) return false;
    at = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      const Longer longer(path_);
      path_ += (*own_keys)[i];
      if (at < back.size() && (*own_keys)[i] == (*back_keys)[at]) {
        compare(own[i], back[at++], items);
      } else {
        json::Object& saved = entry();
        saved["value"] = own[i];
        saved["at"] = static_cast<std::int64_t>(i);
      }
    }
    return true;
  }

  std::string path_;
  json::Object lost_;
};

std::uint64_t most_items(const json::Object& schema) {
  const auto most = k8s::View(schema).find_integer("maxItems");
  return most && *most >= 0 ? static_cast<std::uint64_t>(*most) : std::numeric_limits<std::uint64_t>::max();
}

/// The schema of the value that a step leads to; nullptr if there is none.
const json::Object* step_schema(const json::Object* schema, const schema::PathStep& step) {
  if (schema == nullptr) return nullptr;
  const auto* name = std::get_if<std::string>(&step);
  return name != nullptr ? schema::member_schema(*schema, *name) : schema::item_schema(*schema);
}

/// Adds the members that `into` does not have.
void complete(json::Object& into, const json::Object& from) {
  for (const auto& member : from) {
    json::Value* there = into.if_contains(member.key());
    if (there == nullptr) {
      into.emplace(member.key(), member.value());
    } else if (there->is_object() && member.value().is_object()) {
      complete(there->get_object(), member.value().get_object());
    }
  }
}

/// Puts entries back, one after the other. An annotation that was edited must not cost more than one that was
/// saved: every list is digested once, and digests and lookups of items are counted against a fixed limit.
/// Annotations that `LostFields` wrote never come near it; beyond it, entries that need a digest or a lookup
/// stay lost.
class Restorer {
 public:
  Restorer(json::Object& object, const schema::Validator* validator)
      : object_(object), validator_(validator) {}

  void restore(const schema::FieldPath& path, const std::string& first, const json::Object& entry,
               const json::Object* schema) {
    if (path.steps().size() == 1) return restore_member(object_, first, entry, schema);
    json::Value* parent = object_.if_contains(first);
    const json::Object* parent_schema = step_schema(schema, path.steps().front());
    for (std::size_t i = 1; i + 1 < path.steps().size() && parent != nullptr; ++i) {
      parent = step_into(*parent, path.steps()[i]);
      parent_schema = step_schema(parent_schema, path.steps()[i]);
    }
    if (parent == nullptr) return;
    const schema::PathStep& last = path.steps().back();
    if (const auto* name = std::get_if<std::string>(&last); name != nullptr && parent->is_object()) {
      restore_member(parent->get_object(), *name, entry, parent_schema);
    } else if (const auto* index = std::get_if<std::size_t>(&last); index != nullptr && parent->is_array()) {
      restore_item(parent->get_array(), *index, entry, parent_schema);
    } else if (const auto* key = std::get_if<schema::ListKey>(&last); key != nullptr && parent->is_array()) {
      insert_item(parent->get_array(), *key, entry, parent_schema);
    }
  }

 private:
  /// Indexes of the items of a list, by their digests.
  using Places = std::unordered_map<std::string, std::vector<std::size_t>>;

  bool allows(const json::Value& value, const json::Object* schema) const {
    return schema == nullptr || validator_->may_be(value, *schema);
  }

  /// Returns the digest, or "" if too much has been digested.
  std::string digest(const json::Value& value) {
    if (digested_ > most_digested_bytes) return {};
    std::string text;
    append_canonical(text, value);
    digested_ += text.size();
    return digest_of_text(text);
  }

  bool is_still(const json::Value& value, const json::Object& entry) {
    return std::ranges::any_of(base_names, [&](const BaseNames& names) {
      if (const json::Value* base = entry.if_contains(names.base)) return k8s::equal(value, *base);
      const json::Value* wanted = entry.if_contains(names.digest);
      return wanted != nullptr && wanted->is_string() && !wanted->get_string().empty() &&
             digest(value) == wanted->get_string();
    });
  }

  /// The place of the item that has a key, or the size of the list. Entries come in the order of their items.
  std::size_t find_item(const json::Array& list, const schema::ListKey& key) {
    std::size_t& next = next_item_[&list];
    for (std::size_t tried = 0; tried < list.size(); ++tried) {
      if (looked_at_++ > most_items_looked_at) break;
      const std::size_t at = (next + tried) % list.size();
      if (!key.matches(list[at])) continue;
      next = at + 1;
      return at;
    }
    return list.size();
  }

  json::Value* step_into(json::Value& value, const schema::PathStep& step) {
    const auto* key = std::get_if<schema::ListKey>(&step);
    if (key == nullptr || !value.is_array()) return schema::follow(value, step);
    json::Array& list = value.get_array();
    const std::size_t at = find_item(list, *key);
    return at < list.size() ? &list[at] : nullptr;
  }

  void restore_member(json::Object& object, const std::string& name, const json::Object& entry,
                      const json::Object* schema) {
    const json::Value* value = entry.if_contains("value");
    if (value != nullptr &&
        !allows(*value, schema != nullptr ? schema::member_schema(*schema, name) : nullptr))
      return;
    json::Value* there = object.if_contains(name);
    if (has_base(entry)) {
      if (there == nullptr ? !entry.contains("absent") : !is_still(*there, entry)) return;
      if (value != nullptr) {
        object[name] = *value;
      } else if (there != nullptr && (schema == nullptr || !schema::is_required(*schema, name))) {
        object.stable_erase(object.find(name));
      }
    } else if (value != nullptr) {
      if (there == nullptr) {
        object.emplace(name, *value);
      } else if (there->is_object() && value->is_object()) {
        complete(there->get_object(), value->get_object());
      }
    }
  }

  void restore_item(json::Array& list, std::size_t index, const json::Object& entry,
                    const json::Object* schema) {
    const json::Value* value = entry.if_contains("value");
    if (value == nullptr || !allows(*value, schema != nullptr ? schema::item_schema(*schema) : nullptr))
      return;
    if (index < list.size() && is_still(list[index], entry)) {
      list[index] = *value;
      return;
    }
    // It has another place now, if it is there.
    if (const auto place = find_moved(list, entry)) list[*place] = *value;
  }

  std::optional<std::size_t> find_moved(const json::Array& list, const json::Object& entry) {
    for (const BaseNames& names : base_names) {
      std::string wanted;
      if (const json::Value* base = entry.if_contains(names.base)) {
        wanted = digest(*base);
      } else if (const json::Value* given = entry.if_contains(names.digest);
                 given != nullptr && given->is_string()) {
        wanted = given->get_string();
      }
      const auto places = places_of(list).find(wanted);
      if (wanted.empty() || places == places_of(list).end()) continue;
      // An item that got its own back meanwhile is another one now.
      for (std::vector<std::size_t>& left = places->second; !left.empty();) {
        const std::size_t place = left.back();
        left.pop_back();
        if (place < list.size() && is_still(list[place], entry)) return place;
      }
    }
    return std::nullopt;
  }

  Places& places_of(const json::Array& list) {
    const auto [found, is_new] = places_.try_emplace(&list);
    if (!is_new) return found->second;
    // The first of items that are alike comes last, and is taken first.
    for (std::size_t i = list.size(); i-- > 0 && digested_ <= most_digested_bytes;) {
      found->second[digest(list[i])].push_back(i);
    }
    return found->second;
  }

  void insert_item(json::Array& list, const schema::ListKey& key, const json::Object& entry,
                   const json::Object* schema) {
    const json::Value* value = entry.if_contains("value");
    if (value == nullptr || !allows(*value, schema != nullptr ? schema::item_schema(*schema) : nullptr))
      return;
    if (!key.matches(*value) || find_item(list, key) < list.size()) return;
    if (looked_at_ > most_items_looked_at) return;
    if (schema != nullptr && list.size() >= most_items(*schema)) return;
    const json::Value* at = entry.if_contains("at");
    const std::uint64_t place = at != nullptr && at->is_int64() && at->get_int64() >= 0
                                    ? static_cast<std::uint64_t>(at->get_int64())
                                    : list.size();
    list.insert(list.begin() + std::min<std::uint64_t>(place, list.size()), *value);
  }

  /// etcd holds objects of 1.5 MiB, and a character may be written as six.
  static constexpr std::size_t most_digested_bytes = std::size_t{32} << 20;
  static constexpr std::size_t most_items_looked_at = 10'000'000;

  json::Object& object_;
  const schema::Validator* validator_;
  std::size_t digested_ = 0, looked_at_ = 0;
  // By address; both are only hints, and what is found there is checked again.
  std::unordered_map<const json::Array*, std::size_t> next_item_;
  std::unordered_map<const json::Array*, Places> places_;
};

}  // namespace

std::string lost_fields_annotation(std::string_view group) {
  return "conversion.fairway.dev/" + std::string(group);
}

json::Object find_lost_fields(const json::Object& own, const json::Object& back, const json::Object* schema) {
  return Finder().run(own, back, schema);
}

void add_lost_to_defaults(json::Object& lost, json::Object with_defaults) {
  for (auto& one : with_defaults) {
    json::Object& entry = one.value().get_object();
    if (const json::Value* before = lost.if_contains(one.key())) {
      const json::Object& plain = before->get_object();
      if (has_base(plain) != has_base(entry)) entry["absent"] = true;
      for (const auto& [theirs, ours] : {std::pair{base_names[0].base, base_names[1].base},
                                         std::pair{base_names[0].digest, base_names[1].digest}}) {
        const json::Value* base = plain.if_contains(theirs);
        if (base == nullptr) continue;
        if (!has_base(entry)) {
          entry[theirs] = *base;
        } else if (const json::Value* same = entry.if_contains(theirs); same == nullptr || *same != *base) {
          entry[ours] = *base;
        }
      }
    }
    lost[one.key()] = std::move(one.value());
  }
}

void restore_lost_fields(json::Object& object, const json::Object& lost, const schema::Validator* validator,
                         LostStatus status) {
  Restorer restorer(object, validator);
  const json::Object* schema = validator != nullptr ? &validator->schema() : nullptr;
  for (const auto& one : lost) {
    const json::Object* entry = one.value().if_object();
    const auto path = schema::FieldPath::parse(one.key());
    if (entry == nullptr || !path) continue;
    const auto* first = std::get_if<std::string>(&path->steps().front());
    if (first == nullptr || is_header(*first)) continue;
    if (*first == status_field && status == LostStatus::dropped) continue;
    restorer.restore(*path, *first, *entry, schema);
  }
}

Result<LostFields> LostFields::parse(std::string_view text) {
  if (text.size() > max_annotation_bytes) {
    return fail(ErrorCode::too_large, "it is longer than annotations may be");
  }
  auto value = json::parse(text);
  if (!value) return fail(value.error());
  const auto is_object = [](const auto& member) { return member.value().is_object(); };
  if (!value->is_object() || !std::ranges::all_of(value->get_object(), is_object)) {
    return fail(ErrorCode::invalid, "it must be an object with an object for each version");
  }
  LostFields fields;
  fields.versions_ = std::move(value->get_object());
  return fields;
}

std::string LostFields::to_text() const {
  std::string text;
  json::append_text(text, versions_);
  return text;
}

json::Object LostFields::of_status() const {
  json::Object found;
  for (const auto& version : versions_) {
    for (const auto& one : version.value().get_object()) {
      if (!is_of_status(one.key())) continue;
      json::Value& entries = found[version.key()];
      if (!entries.is_object()) entries.emplace_object();
      entries.get_object()[one.key()] = one.value();
    }
  }
  return found;
}

json::Object LostFields::take(std::string_view version) {
  const auto found = versions_.find(version);
  if (found == versions_.end()) return {};
  json::Object lost = std::move(found->value().get_object());
  versions_.stable_erase(found);
  return lost;
}

void LostFields::put(std::string_view version, json::Object lost) {
  if (lost.empty()) {
    if (const auto found = versions_.find(version); found != versions_.end()) versions_.stable_erase(found);
  } else {
    versions_[version] = std::move(lost);
  }
}

}  // namespace fairway::conversion
