// SPDX-License-Identifier: Apache-2.0

#include "graph/internal/idle_metadata.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "graph/metadata_keys.h"

namespace fairway::graph {
namespace {

/// Most problems that are reported one by one, and versions named in one: metadata may have millions.
constexpr std::size_t max_reported = 100, versions_named = 5;
constexpr std::string_view file = "raw/metadata.json";

/// The updates into each release of an architecture, as they were before anything was removed.
class UpdatesInto {
 public:
  UpdatesInto(const Architecture& architecture, Watch& watch)
      : architecture(architecture), from_(architecture.releases.size()) {
    for (const SnapshotEdge& edge : architecture.edges) {
      if (watch.ended()) return;
      from_[edge.to].push_back(edge.from);
    }
    for (const RemovedEdge& edge : architecture.removed) {
      if (watch.ended()) return;
      from_[edge.to].push_back(edge.from);
    }
    for (auto& from : from_) std::ranges::sort(from);
  }
  const std::vector<std::uint32_t>& of(std::uint32_t to) const { return from_[to]; }
  bool has(std::uint32_t from, std::uint32_t to) const { return std::ranges::binary_search(from_[to], from); }

  const Architecture& architecture;

 private:
  std::vector<std::vector<std::uint32_t>> from_;
};

class Reporter {
 public:
  Reporter(Snapshot& snapshot, Watch& watch) : snapshot_(snapshot), watch_(watch) {
    for (const Architecture& architecture : snapshot.architectures)
      updates_.emplace_back(architecture, watch);
  }

  void report() {
    for (const auto& [version, entries] : snapshot_.graph_data->raw_metadata) {
      for (const auto& [key, value] : entries) {
        if (watch_.ended(16)) return;
        check(version, key, value);
      }
    }
    tell_absent();
    if (reported_ > max_reported) {
      // Who may not see all is not to read how many there are.
      add({.message = std::to_string(reported_ - max_reported) + " more removals of it meet no update",
           .public_message = "more removals of it meet no update"});
    }
  }

 private:
  void check(const std::string& version, std::string_view key, std::string_view value) {
    const auto where = [&] { return "'" + printable(key) + "' of " + version; };
    if (metadata_key::is_unknown(key)) {
      tell(version, key,
           where() +
               " is no key that anything is done for: it removes nothing; the keys are "
               "previous.remove, previous.remove_regex, next.remove, previous.add and next.add");
      return;
    }
    const bool by_expression = key == metadata_key::previous_remove_regex;
    if (!by_expression && key != metadata_key::previous_remove && key != metadata_key::next_remove) return;
    if (!is_released(version)) {
      absent(version, version, key);
    } else if (by_expression) {
      // The expression is not quoted: parts of it may be what some may not read.
      if (!expression_meets(version, value))
        tell(version, key, where() + ": no update into it comes from what it matches: it removes nothing");
    } else {
      check_list(version, key, value, where());
    }
  }

  void check_list(const std::string& version, std::string_view key, std::string_view value,
                  const std::string& where) {
    for (const std::string_view item : split(value, ',')) {
      const std::string other(trim(item));
      // A text that is not a version removes everything, and is reported elsewhere.
      if (other.empty() || !Version::parse(other)) continue;
      if (watch_.ended(8)) return;
      const bool is_next = key == metadata_key::next_remove;
      if (!is_released(other)) {
        absent(other, version, key);
      } else if (!meets(is_next ? version : other, is_next ? other : version)) {
        tell(version, key,
             where + ": there is no update " + (is_next ? "to " : "from ") + other + ": it removes nothing",
             other);
      }
    }
  }

  /// Returns the release of a version as metadata writes it: one with a build text is of that architecture
  /// alone.
  static std::optional<std::uint32_t> find(const Architecture& architecture, std::string_view version) {
    const std::size_t plus = version.find('+');
    if (plus != std::string_view::npos && version.substr(plus + 1) != architecture.name) return std::nullopt;
    return architecture.find(version.substr(0, plus));
  }

  bool is_released(std::string_view version) const {
    return std::ranges::any_of(snapshot_.architectures,
                               [&](const Architecture& one) { return find(one, version).has_value(); });
  }

  bool meets(std::string_view from, std::string_view to) const {
    return std::ranges::any_of(updates_, [&](const UpdatesInto& updates) {
      const auto first = find(updates.architecture, from), second = find(updates.architecture, to);
      return first && second && updates.has(*first, *second);
    });
  }

  /// Returns whether an expression meets an update into a version. One that cannot be compiled removes
  /// everything, and is reported elsewhere.
  bool expression_meets(std::string_view version, std::string_view text) {
    const auto pattern = Pattern::compile(text);
    if (!pattern) return true;
    for (const UpdatesInto& updates : updates_) {
      const auto to = find(updates.architecture, version);
      if (!to) continue;
      for (const std::uint32_t from : updates.of(*to)) {
        if (watch_.ended(16)) return true;
        if (pattern->search(updates.architecture.releases[from].text + "+" + updates.architecture.name))
          return true;
      }
    }
    return false;
  }

  void tell(const std::string& version, std::string_view key, std::string message,
            const std::string& other = "") {
    if (++reported_ > max_reported) return;
    Problem problem{.message = std::move(message)};
    problem.place = place_of(version, key);
    problem.versions = {without_build(version)};
    if (!other.empty()) problem.versions.push_back(without_build(other));
    add(std::move(problem));
  }

  /// Notes a version without a release; `entry` is the version under which metadata mentions it.
  void absent(const std::string& version, const std::string& entry, std::string_view key) {
    if (absent_.empty()) first_absent_ = place_of(entry, key);
    absent_.insert(version);
  }

  void tell_absent() {
    if (absent_.empty()) return;
    Problem problem{.place = first_absent_};
    std::vector<std::string> names;
    for (const std::string& version : absent_) {
      // All of them: who may not see one is not to read how many there are.
      problem.versions.push_back(without_build(version));
      if (names.size() < versions_named) names.push_back(version);
    }
    const std::size_t more = absent_.size() - names.size();
    problem.message = "there is no release " + join(names, ", ") +
                      (more > 0 ? " and " + std::to_string(more) + " more" : "") +
                      ": what is to be removed of it stays";
    add(std::move(problem));
  }

  Place place_of(const std::string& version, std::string_view key) const {
    const auto& places = snapshot_.graph_data->raw_metadata_places;
    const auto known = places.find(version);
    if (known == places.end()) return {};
    const auto found = known->second.find(std::string(key));
    return found == known->second.end() ? Place{} : found->second;
  }

  static std::string without_build(const std::string& version) {
    return version.substr(0, version.find('+'));
  }

  void add(Problem problem) {
    problem.kind = problem_kind::metadata_meets_nothing;
    if (problem.place.file.empty()) problem.place.file = std::string(file);
    snapshot_.problems.push_back(std::move(problem));
  }

  Snapshot& snapshot_;
  Watch& watch_;
  std::vector<UpdatesInto> updates_;
  std::set<std::string> absent_;
  Place first_absent_;
  std::size_t reported_ = 0;
};

}  // namespace

void report_idle_metadata(Snapshot& snapshot, Watch& watch) {
  if (snapshot.architectures.empty() || snapshot.graph_data->raw_metadata.empty()) return;
  Reporter(snapshot, watch).report();
}

}  // namespace fairway::graph
