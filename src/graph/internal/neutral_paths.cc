// SPDX-License-Identifier: Apache-2.0

#include "graph/internal/neutral_paths.h"

#include <algorithm>
#include <string_view>

namespace fairway::graph {
namespace {

std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.rfind('/') + 1);
}

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string_view ending_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : name.substr(dot);
}

/// Hands out names, each sorted after the one before.
class Names {
 public:
  const std::string& last() const { return last_; }

  void take(std::string path) {
    stem_ = path;
    number_ = 0;
    last_ = std::move(path);
  }

  /// Takes a name right after the last one, in the folder and with the ending of `path`.
  void take_behind(std::string_view path) {
    const std::string folder(folder_of(path));
    if (folder_of(stem_) != folder) {
      stem_ = folder + "0";
      number_ = 0;
    }
    std::string number = std::to_string(++number_);
    number.insert(0, number.size() < digits ? digits - number.size() : 0, '0');
    last_ = stem_ + "-" + Withheld::placeholder + "-" + number + std::string(ending_of(name_of(path)));
  }

 private:
  /// Digits of a number; they allow for more numbers than there may be files.
  static constexpr std::size_t digits = 6;

  std::string last_, stem_;
  int number_ = 0;
};

}  // namespace

std::map<std::string, std::string> neutral_paths(const std::vector<std::string>& paths,
                                                 const Withheld& withheld) {
  std::map<std::string, std::string> renamed;
  const auto mentions = [&](const std::string& path) { return withheld.mentions(name_of(path)); };
  Names names;
  for (auto path = paths.begin(); path != paths.end(); ++path) {
    std::string wanted = *path;
    bool fits = wanted > names.last();
    if (mentions(*path)) {
      const auto next = std::find_if_not(path + 1, paths.end(), mentions);
      wanted = std::string(folder_of(*path)) + withheld.redact(name_of(*path));
      fits = wanted > names.last() && (next == paths.end() || wanted < *next) &&
             ending_of(wanted) == ending_of(*path);
    }
    fits ? names.take(std::move(wanted)) : names.take_behind(*path);
    if (names.last() != *path) renamed.emplace(*path, names.last());
  }
  return renamed;
}

}  // namespace fairway::graph
