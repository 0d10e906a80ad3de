// SPDX-License-Identifier: Apache-2.0

#include "promql/engine/series.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "promql/internal/parser/regex.h"

namespace fairway::promql {

/// Points that were added out of order, until they are read: inserting each of them at once would move all
/// later points. The first reader merges them, and any number of threads may read.
struct SeriesStore::Late {
  std::mutex mutex;
  std::atomic<bool> any = false;
  std::unordered_map<Series*, std::map<Timestamp, double>> points;
};

SeriesStore::SeriesStore() = default;
SeriesStore::SeriesStore(SeriesStore&&) noexcept = default;
SeriesStore& SeriesStore::operator=(SeriesStore&&) noexcept = default;
SeriesStore::~SeriesStore() = default;

namespace {

/// Returns the point of a time, or nullptr.
Point* point_at(std::vector<Point>& points, Timestamp time) {
  const auto at = std::ranges::lower_bound(points, time, {}, &Point::time);
  return at != points.end() && at->time == time ? &*at : nullptr;
}

/// Inserts sorted points of other times.
void merge(std::vector<Point>& points, const std::map<Timestamp, double>& late) {
  const auto from = std::ranges::lower_bound(points, late.begin()->first, {}, &Point::time);
  const std::vector<Point> behind(from, points.end());
  points.erase(from, points.end());
  points.reserve(points.size() + behind.size() + late.size());
  auto next = behind.begin();
  for (const auto& [time, value] : late) {
    for (; next != behind.end() && next->time < time; ++next) points.push_back(*next);
    points.push_back({time, value});
  }
  points.insert(points.end(), next, behind.end());
}

/// Returns the approximate cost of matching one series: a large regular expression may take many thousand
/// steps for a text.
std::size_t work_of(const std::vector<Matcher>& matchers) {
  std::size_t work = 1;
  for (const Matcher& matcher : matchers) {
    const bool regex = matcher.kind() == Matcher::Kind::regex || matcher.kind() == Matcher::Kind::not_regex;
    work += 1 + (regex ? static_cast<std::size_t>(regex_size(matcher.value()) / 16) : 0);
  }
  return work;
}

}  // namespace

Series* SeriesStore::find(const LabelsRef& labels) const {
  const auto [first, last] = by_hash_.equal_range(labels->hash());
  for (auto known = first; known != last; ++known) {
    if (known->second->labels->labels() == labels->labels()) return known->second;
  }
  return nullptr;
}

Series& SeriesStore::series(const LabelsRef& labels) {
  Series& found = find_or_make(labels);
  if (late_ && late_->any) {
    const std::lock_guard lock(late_->mutex);
    if (const auto late = late_->points.extract(&found)) merge(found.points, late.mapped());
  }
  return found;
}

Series& SeriesStore::find_or_make(const LabelsRef& labels) {
  if (Series* const known = find(labels)) return *known;
  Named& named = by_name_[std::string(labels->get(metric_name_label))];
  std::unique_ptr<Series>& made = named[labels->labels()];
  made = std::make_unique<Series>();
  made->labels = labels;
  by_hash_.emplace(labels->hash(), made.get());
  ++series_count_;
  return *made;
}

void SeriesStore::add(const LabelsRef& labels, Timestamp time, double value) {
  Series& target = find_or_make(labels);
  if (is_stale(value)) target.has_stale_markers = true;
  last_time_ = point_count_ == 0 ? time : std::max(last_time_, time);
  std::vector<Point>& points = target.points;
  if (points.empty() || points.back().time < time) {
    points.push_back({time, value});
    ++point_count_;
    return;
  }
  if (Point* const there = point_at(points, time)) {
    there->value = value;
    return;
  }
  if (!late_) late_ = std::make_unique<Late>();
  late_->any = true;
  if (late_->points[&target].insert_or_assign(time, value).second) ++point_count_;
}

std::optional<double> SeriesStore::value_at(const LabelsRef& labels, Timestamp time) const {
  Series* const known = find(labels);
  if (known == nullptr) return std::nullopt;
  std::unique_lock<std::mutex> lock;
  if (late_) {
    lock = std::unique_lock(late_->mutex);
    if (const auto of = late_->points.find(known); of != late_->points.end()) {
      if (const auto at = of->second.find(time); at != of->second.end()) return at->second;
    }
  }
  const Point* const there = point_at(known->points, time);
  return there != nullptr ? std::optional(there->value) : std::nullopt;
}

void SeriesStore::merge_late_points() const {
  if (!late_ || !late_->any) return;
  const std::lock_guard lock(late_->mutex);
  for (const auto& [series, points] : late_->points) merge(series->points, points);
  late_->points.clear();
  late_->any = false;
}

void SeriesStore::clear() {
  *this = SeriesStore();
}

void SeriesStore::remove_from_index(const Series& series) {
  const auto [first, last] = by_hash_.equal_range(series.labels->hash());
  by_hash_.erase(std::find_if(first, last, [&](const auto& known) { return known.second == &series; }));
  --series_count_;
}

void SeriesStore::prune(const std::function<Timestamp(const std::string& name)>& keep_from) {
  merge_late_points();
  for (auto named = by_name_.begin(); named != by_name_.end();) {
    const Timestamp from = keep_from(named->first);
    std::erase_if(named->second, [&](auto& entry) {
      std::vector<Point>& points = entry.second->points;
      const auto kept = std::ranges::lower_bound(points, from, {}, &Point::time);
      point_count_ -= static_cast<std::size_t>(kept - points.begin());
      points.erase(points.begin(), kept);
      if (points.empty()) remove_from_index(*entry.second);
      return points.empty();
    });
    named = named->second.empty() ? by_name_.erase(named) : std::next(named);
  }
}

std::vector<const Series*> SeriesStore::select(const std::vector<Matcher>& matchers,
                                               const std::function<bool()>& may_continue) const {
  merge_late_points();
  constexpr std::size_t asked_after = 4096;
  std::vector<const Series*> result;
  std::size_t tried = 0;
  const std::size_t work = work_of(matchers);
  const auto may_try_next = [&] {
    tried += work;
    if (!may_continue || tried < asked_after) return true;
    tried = 0;
    return may_continue();
  };
  const auto from = [&](const Named& named) {
    for (const auto& [labels, series] : named) {
      if (!may_try_next()) return false;
      const LabelSet& set = *series->labels;
      if (std::ranges::all_of(matchers, [&](const Matcher& m) {
            return m.name() == metric_name_label || m.matches(set.get(m.name()));
          }))
        result.push_back(series.get());
    }
    return true;
  };
  const auto name_fits = [&](const std::string& name) {
    return std::ranges::all_of(
        matchers, [&](const Matcher& m) { return m.name() != metric_name_label || m.matches(name); });
  };
  const auto exact = std::ranges::find_if(matchers, [](const Matcher& m) {
    return m.name() == metric_name_label && m.kind() == Matcher::Kind::equal;
  });
  if (exact != matchers.end()) {
    const auto found = by_name_.find(exact->value());
    if (found != by_name_.end() && name_fits(found->first)) from(found->second);
    return result;
  }
  for (const auto& [name, named] : by_name_) {
    if (!may_try_next() || (name_fits(name) && !from(named))) break;
  }
  return result;
}

void SeriesStore::count_metrics(
    const std::function<void(std::string_view metric, std::size_t series)>& visit) const {
  for (const auto& [name, series] : by_name_) visit(name, series.size());
}

}  // namespace fairway::promql
