// SPDX-License-Identifier: Apache-2.0

#include "payload/internal/history.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/cut_text.h"
#include "base/text.h"
#include "k8s/view.h"
#include "openshift/cluster_version.h"

namespace fairway::payload {

namespace {

using openshift::UpdateHistory;

constexpr std::size_t always_kept = 5;  ///< number of the newest entries
/// Limits of the accepted risks in bytes: of one entry, of all entries, and of an entry that no longer fits.
constexpr std::size_t max_accepted = 32'768, max_all_accepted = 131'072, max_old_accepted = 512;
constexpr double never = 1000, edge_of_minor = 30, within_minor_change = 20, within_patch_change = -20,
                 each_older = -1.01;

/// Returns whether the newest entry is of this release. If it is, adds the version or image that it lacks.
bool merge(k8s::Editor& newest, const HistoryRecord& record) {
  const UpdateHistory entry(newest.json());
  if (!record.image.empty() && record.image == entry.image()) {
    if (record.version.empty()) return true;
    if (entry.version().empty()) newest.set("version", record.version);
    if (UpdateHistory(newest.json()).version() == record.version) return true;
  }
  if (record.version.empty() || record.version != entry.version() || !entry.image().empty()) return false;
  newest.set("image", record.image);
  return true;
}

json::Object begun(const HistoryRecord& record, WallTime now) {
  json::Object entry;
  k8s::Editor editor(entry);
  editor.set("state", record.completed ? "Completed" : "Partial");
  editor.set_time("startedTime", now);
  // Required by the CRD, and null until it ends.
  entry["completionTime"] = nullptr;
  if (record.completed) editor.set_time("completionTime", now);
  if (!record.version.empty()) editor.set("version", record.version);
  editor.set("image", record.image);
  editor.set("verified", json::Value(record.verified));
  if (record.accepted_risks && !record.accepted_risks->empty())
    editor.set("acceptedRisks", cut_text(*record.accepted_risks, max_accepted));
  return entry;
}

/// Cuts the accepted risks of older entries; the newest stay whole. An object that is too large could not be
/// written at all.
void cut_accepted_risks(json::Array& history) {
  std::size_t bytes = 0;
  for (json::Value& entry : history) {
    if (!entry.is_object()) continue;
    k8s::Editor editor(entry.as_object());
    const std::string text(editor.text("acceptedRisks"));
    bytes += text.size();
    if (bytes <= max_all_accepted || text.size() <= max_old_accepted) continue;
    bytes -= text.size() - max_old_accepted;
    editor.set("acceptedRisks", cut_text(text, max_old_accepted));
  }
}

/// Returns the part of a version at an index, as "7" of 4.7.3 at 1. Works for any text.
std::string_view part(std::string_view version, std::size_t index) {
  const auto parts = split(version, '.');
  return parts.size() > index ? parts[index] : std::string_view();
}

/// The entries of a history, and who is beside whom.
class Ranking {
 public:
  explicit Ranking(const json::Array& history) {
    for (const json::Value& entry : history) {
      static const json::Object nothing;
      const UpdateHistory read(entry.is_object() ? entry.get_object() : nothing);
      entries_.push_back({.completed = read.is_completed(), .version = read.version()});
    }
  }

  /// The entry that tells the least.
  std::size_t lowest() const {
    std::size_t at = 0;
    double lowest = never * 2;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const double rank = weight(i) + each_older * static_cast<double>(i);
      if (rank >= lowest) continue;
      lowest = rank;
      at = i;
    }
    return at;
  }

 private:
  struct Entry {
    bool completed;
    std::string_view version;
  };

  double weight(std::size_t i) const {
    if (i < always_kept || i + 1 == entries_.size() || i == next_completed(0)) return never;
    const auto older = next_completed(i + 1);
    const auto newer = completed_before(i);
    if (entries_[i].completed) return !same_minor(i, older) || !same_minor(i, newer) ? edge_of_minor : 0;
    if (older == none || newer == none) return 0;
    if (!same_minor(older, newer)) return within_minor_change;
    return part(entries_[older].version, 2) == part(entries_[newer].version, 2) ? 0 : within_patch_change;
  }

  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t next_completed(std::size_t from) const {
    for (std::size_t i = from; i < entries_.size(); ++i)
      if (entries_[i].completed) return i;
    return none;
  }
  std::size_t completed_before(std::size_t i) const {
    while (i-- > 0)
      if (entries_[i].completed) return i;
    return none;
  }
  bool same_minor(std::size_t a, std::size_t b) const {
    return a != none && b != none && part(entries_[a].version, 1) == part(entries_[b].version, 1);
  }

  std::vector<Entry> entries_;
};

}  // namespace

bool record_history(json::Array& history, const HistoryRecord& record, WallTime now) {
  if (record.image.empty()) return false;
  const json::Array before = history;
  if (history.empty() || !history.front().is_object()) {
    history.insert(history.begin(), begun(record, now));
    return true;
  }
  k8s::Editor newest(history.front().as_object());
  if (merge(newest, record)) {
    if (record.completed) {
      newest.set("state", "Completed");
      if (!newest.has("completionTime")) newest.set_time("completionTime", now);
    }
    if (record.accepted_risks && record.accepted_risks->empty()) {
      newest.erase("acceptedRisks");
    } else if (record.accepted_risks) {
      newest.set("acceptedRisks", cut_text(*record.accepted_risks, max_accepted));
    }
    if (record.verified) newest.set("verified", json::Value(true));
  } else {
    if (!newest.has("completionTime")) newest.set_time("completionTime", now);
    history.insert(history.begin(), begun(record, now));
  }
  prune_history(history);
  cut_accepted_risks(history);
  return history != before;
}

void prune_history(json::Array& history, std::size_t size) {
  while (history.size() > std::max<std::size_t>(size, always_kept + 1)) {
    const std::size_t at = Ranking(history).lowest();
    history.erase(history.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

}  // namespace fairway::payload
