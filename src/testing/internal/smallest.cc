// SPDX-License-Identifier: Apache-2.0

#include "testing/internal/smallest.h"

#include <string>
#include <utility>
#include <vector>

namespace fairway::testing {

namespace {

class Search {
 public:
  Search(json::Object object, const std::function<bool(const json::Object&)>& is_one, int steps)
      : object_(std::move(object)), is_one_(is_one), steps_(steps) {}

  json::Object run() {
    // A value that goes may make room for another one to go.
    for (bool is_smaller = true; is_smaller && steps_ > 0;) {
      is_smaller = false;
      std::vector<std::string> names;
      for (const auto& member : object_) names.emplace_back(member.key());
      for (const std::string& name : names) {
        if (name == "metadata" || object_[name].is_string()) continue;
        is_smaller = remove(object_, name) || (object_.contains(name) && shrink(object_[name])) || is_smaller;
      }
    }
    return std::move(object_);
  }

 private:
  /// Returns whether the change that `object_` has now is kept.
  bool holds() { return --steps_ >= 0 && is_one_(object_); }

  bool remove(json::Object& within, const std::string& name) {
    json::Object before = within;
    within.erase(name);
    if (holds()) return true;
    within = std::move(before);
    return false;
  }

  /// Makes a value smaller, which is a part of `object_`. Returns whether it did.
  bool shrink(json::Value& value) {
    if (json::Object* object = value.if_object()) {
      bool is_smaller = false;
      std::vector<std::string> names;
      for (const auto& member : *object) names.emplace_back(member.key());
      for (const std::string& name : names) {
        if (steps_ <= 0) break;
        is_smaller = remove(*object, name) || shrink((*object)[name]) || is_smaller;
      }
      return is_smaller;
    }
    if (json::Array* list = value.if_array()) {
      bool is_smaller = false;
      for (std::size_t i = list->size(); i-- > 0 && steps_ > 0;) {
        json::Array before = *list;
        list->erase(list->begin() + static_cast<std::ptrdiff_t>(i));
        if (holds()) {
          is_smaller = true;
          continue;
        }
        *list = std::move(before);
        is_smaller = shrink((*list)[i]) || is_smaller;
      }
      return is_smaller;
    }
    return simplify(value);
  }

  bool simplify(json::Value& value) {
    json::Value simpler;
    if (value.is_string()) {
      if (value.get_string().size() < 2) return false;
      simpler = json::Value(std::string(std::string_view(value.get_string()).substr(0, 1)));
    } else if (value.is_int64() && value.get_int64() != 0) {
      simpler = std::int64_t{0};
    } else if (value.is_double() && value.get_double() != 0.0) {
      simpler = 0.0;
    } else {
      return false;
    }
    json::Value before = std::exchange(value, std::move(simpler));
    if (holds()) return true;
    value = std::move(before);
    return false;
  }

  json::Object object_;
  const std::function<bool(const json::Object&)>& is_one_;
  int steps_;
};

}  // namespace

json::Object smallest(json::Object object, const std::function<bool(const json::Object&)>& is_one,
                      int most_steps) {
  return Search(std::move(object), is_one, most_steps).run();
}

}  // namespace fairway::testing
