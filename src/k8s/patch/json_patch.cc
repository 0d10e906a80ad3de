// SPDX-License-Identifier: Apache-2.0

#include "k8s/patch/json_patch.h"

#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "k8s/equality.h"
#include "k8s/internal/patch/measure.h"
#include "k8s/patch/json_pointer.h"

namespace fairway::k8s {

namespace {

using Path = std::vector<std::string>;

/// Reads an index as RFC 6901 writes it: no sign, no leading zero.
std::optional<std::size_t> to_index(std::string_view text) {
  std::size_t index = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), index);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  return index;
}

class JsonPatcher {
 public:
  JsonPatcher(json::Value document, const PatchLimits& limits)
      : document_(std::move(document)), limits_(limits) {}

  /// Applies one operation; the caller adds its index to errors.
  Result<void> apply(const json::Value& operation) {
    const auto op = json::find_string(operation, "op");
    if (!op) return bad("it must be an object with the texts `op` and `path`");
    const auto path = pointer(operation, "path");
    if (!path) return fail(path.error());
    if (*op == "remove") return discard(remove(*path));
    if (*op == "move" || *op == "copy") {
      const auto from = pointer(operation, "from");
      if (!from) return fail(from.error());
      return *op == "move" ? move(*from, *path) : copy(*from, *path);
    }
    if (*op != "add" && *op != "replace" && *op != "test") {
      return bad("'" + printable(*op, 40) +
                 "' is no operation; use add, remove, replace, move, copy or test");
    }
    const json::Value* value = json::find(operation, "value");
    if (value == nullptr) return bad("there is no `value`");
    if (*op == "test") return test(*path, *value);
    if (auto fits = check_depth(*path, *value); !fits) return fits;
    return *op == "add" ? add(*path, json::Value(*value)) : replace(*path, json::Value(*value));
  }

  json::Value release() { return std::move(document_); }

 private:
  static std::unexpected<Error> bad(std::string why) { return fail(ErrorCode::invalid, std::move(why)); }
  static std::unexpected<Error> unfit(std::string why) { return fail(ErrorCode::conflict, std::move(why)); }
  static std::string shown(std::span<const std::string> path) {
    std::string text;
    for (const std::string& name : path) text += "/" + escape_json_pointer(name);
    return "'" + printable(text) + "'";
  }
  template <class T>
  static Result<void> discard(const Result<T>& result) {
    if (!result) return fail(result.error());
    return {};
  }

  static Result<Path> pointer(const json::Value& operation, std::string_view member) {
    const auto text = json::find_string(operation, member);
    if (!text) return bad("there is no text `" + std::string(member) + "`");
    auto path = parse_json_pointer(*text);
    if (!path) return fail(path.error().within(member));
    return path;
  }

  /// Returns the value at a path.
  Result<json::Value*> find(std::span<const std::string> path) {
    json::Value* at = &document_;
    for (std::size_t i = 0; i < path.size(); ++i) {
      json::Value* next = nullptr;
      if (json::Object* object = at->if_object()) {
        next = object->if_contains(path[i]);
      } else if (json::Array* array = at->if_array()) {
        const auto index = to_index(path[i]);
        if (!index) return unfit(shown(path.first(i + 1)) + ": '" + printable(path[i], 40) + "' is no index");
        next = *index < array->size() ? &(*array)[*index] : nullptr;
      }
      if (next == nullptr) return unfit("there is nothing at " + shown(path.first(i + 1)));
      at = next;
    }
    return at;
  }

  Result<void> spend_shifts(std::size_t count) {
    shifts_ += count;
    if (shifts_ <= limits_.shifts) return {};
    return fail(ErrorCode::too_large,
                "the patch moves too much within large lists; replace the lists instead");
  }

  Result<void> check_depth(const Path& path, const json::Value& value) const {
    if (path.size() + Measure::of(value, limits_.depth).depth <= limits_.depth) return {};
    return fail(ErrorCode::too_large,
                "the result would be nested deeper than " + std::to_string(limits_.depth));
  }

  Result<void> add(const Path& path, json::Value value) {
    if (path.empty()) {
      document_ = std::move(value);
      return {};
    }
    const auto parent = find(std::span(path).first(path.size() - 1));
    if (!parent) return fail(parent.error());
    if (json::Object* object = (*parent)->if_object()) {
      (*object)[path.back()] = std::move(value);
      return {};
    }
    json::Array* array = (*parent)->if_array();
    if (array == nullptr) return unfit(shown(path) + ": what would hold it is neither an object nor a list");
    if (path.back() == "-") {
      array->push_back(std::move(value));
      return {};
    }
    const auto index = to_index(path.back());
    if (!index || *index > array->size()) {
      return unfit(shown(path) + ": the list has " + std::to_string(array->size()) +
                   " items; add at an index up to that, or at -");
    }
    if (auto spent = spend_shifts(array->size() - *index); !spent) return spent;
    array->insert(array->begin() + *index, std::move(value));
    return {};
  }

  /// Removes a value from the document, and returns it.
  Result<json::Value> remove(const Path& path) {
    if (path.empty()) return unfit("the whole document cannot be removed");
    const auto found = find(path);
    if (!found) return fail(found.error());
    json::Value value = std::move(**found);
    json::Value& parent = **find(std::span(path).first(path.size() - 1));
    if (json::Object* object = parent.if_object()) {
      if (auto spent = spend_shifts(object->size()); !spent) return fail(spent.error());
      object->stable_erase(object->find(path.back()));
    } else {
      json::Array& array = parent.get_array();
      const std::size_t index = *to_index(path.back());
      if (auto spent = spend_shifts(array.size() - index); !spent) return fail(spent.error());
      array.erase(array.begin() + index);
    }
    return value;
  }

  Result<void> replace(const Path& path, json::Value value) {
    // RFC 6902 wants the member to be there. An API server adds it, and clients rely on that: managedFields
    // that were cleared are replaced so.
    if (!path.empty()) {
      const auto parent = find(std::span(path).first(path.size() - 1));
      if (!parent) return fail(parent.error());
      if (json::Object* object = (*parent)->if_object()) {
        (*object)[path.back()] = std::move(value);
        return {};
      }
    }
    const auto found = find(path);
    if (!found) return fail(found.error());
    **found = std::move(value);
    return {};
  }

  Result<void> move(const Path& from, const Path& path) {
    const auto found = find(from);
    if (!found) return fail(found.error());
    if (from == path) return {};
    if (from.size() < path.size() && std::equal(from.begin(), from.end(), path.begin())) {
      return bad("a value cannot be moved into itself");
    }
    if (path.size() > from.size()) {
      if (auto fits = check_depth(path, **found); !fits) return fits;
      if (auto spent = spend_shifts(Measure::of(**found, limits_.depth).bytes / 4); !spent) return spent;
    }
    auto value = remove(from);
    if (!value) return fail(value.error());
    return add(path, *std::move(value));
  }

  Result<void> copy(const Path& from, const Path& path) {
    const auto found = find(from);
    if (!found) return fail(found.error());
    const Measure measure = Measure::of(**found, limits_.depth);
    copied_ += measure.bytes;
    if (copied_ > limits_.copied_bytes) {
      return fail(ErrorCode::too_large,
                  "the patch copies more than " + std::to_string(limits_.copied_bytes) + " bytes");
    }
    if (auto fits = check_depth(path, **found); !fits) return fits;
    return add(path, json::Value(**found));
  }

  Result<void> test(const Path& path, const json::Value& value) {
    // RFC 6902 wants the member to be there. An API server takes null for what an object lacks, and kube-rs
    // relies on it: that there are no finalizers yet is such a test.
    if (value.is_null() && !path.empty()) {
      const auto parent = find(std::span(path).first(path.size() - 1));
      if (!parent) return fail(parent.error());
      if (const json::Object* object = (*parent)->if_object();
          object != nullptr && !object->contains(path.back()))
        return {};
    }
    const auto found = find(path);
    if (!found) return fail(found.error());
    if (equal(value, **found)) return {};
    return unfit(shown(path) + " is " + printable(json::to_text(**found), 100) + ", not " +
                 printable(json::to_text(value), 100));
  }

  json::Value document_;
  const PatchLimits& limits_;
  std::size_t shifts_ = 0, copied_ = 0;
};

}  // namespace

Result<json::Value> apply_json_patch(json::Value document, const json::Value& patch,
                                     const PatchLimits& limits) {
  const json::Array* operations = patch.if_array();
  if (operations == nullptr) return fail(ErrorCode::invalid, "a JSON patch must be a list of operations");
  if (operations->size() > limits.operations) {
    return fail(ErrorCode::too_large, "the JSON patch has " + std::to_string(operations->size()) +
                                          " operations; the limit is " + std::to_string(limits.operations));
  }
  JsonPatcher patcher(std::move(document), limits);
  for (std::size_t i = 0; i < operations->size(); ++i) {
    if (auto applied = patcher.apply((*operations)[i]); !applied) {
      const std::string op(json::find_string((*operations)[i], "op").value_or("?"));
      return fail(applied.error().within("JSON patch: operation " + std::to_string(i) + " (" +
                                         printable(op, 40) + ")"));
    }
  }
  return patcher.release();
}

namespace {

void append_operation(json::Array& patch, std::string_view op, const std::string& path,
                      const json::Value* value) {
  json::Object operation;
  operation["op"] = op;
  operation["path"] = path;
  if (value != nullptr) operation["value"] = *value;
  patch.emplace_back(std::move(operation));
}

void append_difference(json::Array& patch, const json::Value& from, const json::Value& to,
                       const std::string& path) {
  if (equal(from, to)) return;
  if (from.is_object() && to.is_object()) {
    for (const auto& [key, value] : from.get_object()) {
      if (to.get_object().if_contains(key) == nullptr) {
        append_operation(patch, "remove", path + "/" + escape_json_pointer(key), nullptr);
      }
    }
    for (const auto& [key, value] : to.get_object()) {
      const std::string member = path + "/" + escape_json_pointer(key);
      if (const json::Value* before = from.get_object().if_contains(key)) {
        append_difference(patch, *before, value, member);
      } else {
        append_operation(patch, "add", member, &value);
      }
    }
  } else if (from.is_array() && to.is_array() && from.get_array().size() == to.get_array().size()) {
    for (std::size_t i = 0; i < to.get_array().size(); ++i) {
      append_difference(patch, from.get_array()[i], to.get_array()[i], path + "/" + std::to_string(i));
    }
  } else {
    append_operation(patch, "replace", path, &to);
  }
}

}  // namespace

json::Array json_patch_between(const json::Value& from, const json::Value& to) {
  json::Array patch;
  append_difference(patch, from, to, "");
  return patch;
}

}  // namespace fairway::k8s
