// SPDX-License-Identifier: Apache-2.0

// The path of a field while an object is walked.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fairway::apiserver::validation {

/// One step of a path and, by its parent, the whole path. It is made for every field that is visited and
/// becomes a text only for an error. The parent must outlive it.
class Path {
 public:
  Path() = default;
  explicit Path(std::string_view name) : name_(name), step_(Step::member) {}

  /// Returns the path of a member; that of the object itself for "" and ".".
  Path child(std::string_view name) const {
    return name.empty() || name == "." ? *this : Path(this, name, 0, Step::member);
  }
  /// Returns the path of an item of a list.
  Path item(std::size_t index) const { return {this, {}, index, Step::item}; }
  /// Returns the path of an entry of a map.
  Path key(std::string_view name) const { return {this, name, 0, Step::key}; }

  /// Returns "spec.containers[0].resources.limits[cpu]".
  std::string text() const;
  /// Returns the text of a member's path.
  std::string text(std::string_view name) const { return child(name).text(); }

 private:
  enum class Step { none, member, item, key };
  Path(const Path* parent, std::string_view name, std::size_t index, Step step)
      : parent_(parent), name_(name), index_(index), step_(step) {}

  const Path* parent_ = nullptr;
  std::string_view name_;
  std::size_t index_ = 0;
  Step step_ = Step::none;
};

}  // namespace fairway::apiserver::validation
