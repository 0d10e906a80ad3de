#include "promql/series.h"

#include <algorithm>

namespace fairway::promql {

Series& SeriesStore::series(const LabelsRef& labels) {
  const auto [first, last] = by_hash_.equal_range(labels->hash());
  for (auto known = first; known != last; ++known) {
    if (known->second->labels->labels() == labels->labels()) return *known->second;
  }
  Named& named = by_name_[std::string(labels->get(metric_name_label))];
  std::unique_ptr<Series>& made = named[labels->labels()];
  made = std::make_unique<Series>();
  made->labels = labels;
  by_hash_.emplace(labels->hash(), made.get());
  ++series_count_;
  return *made;
}

void SeriesStore::add(const LabelsRef& labels, Timestamp time, double value) {
  Series& target = series(labels);
  if (is_stale(value)) target.has_stale_markers = true;
  last_time_ = point_count_ == 0 ? time : std::max(last_time_, time);
  std::vector<Point>& points = target.points;
  if (points.empty() || points.back().time < time) {
    points.push_back({time, value});
    ++point_count_;
    return;
  }
  const auto at = std::ranges::lower_bound(points, time, {}, &Point::time);
  if (at != points.end() && at->time == time) {
    at->value = value;
  } else {
    points.insert(at, {time, value});
    ++point_count_;
  }
}

void SeriesStore::clear() {
  *this = SeriesStore();
}

void SeriesStore::forget(const Series& series) {
  const auto [first, last] = by_hash_.equal_range(series.labels->hash());
  by_hash_.erase(std::find_if(first, last, [&](const auto& known) { return known.second == &series; }));
  --series_count_;
}

void SeriesStore::prune(const std::function<Timestamp(const std::string& name)>& keep_from) {
  for (auto named = by_name_.begin(); named != by_name_.end();) {
    const Timestamp from = keep_from(named->first);
    std::erase_if(named->second, [&](auto& entry) {
      std::vector<Point>& points = entry.second->points;
      const auto kept = std::ranges::lower_bound(points, from, {}, &Point::time);
      point_count_ -= static_cast<std::size_t>(kept - points.begin());
      points.erase(points.begin(), kept);
      if (points.empty()) forget(*entry.second);
      return points.empty();
    });
    named = named->second.empty() ? by_name_.erase(named) : std::next(named);
  }
}

std::vector<const Series*> SeriesStore::select(const std::vector<Matcher>& matchers,
                                               const std::function<bool()>& go_on) const {
  constexpr std::size_t asked_after = 4096;
  std::vector<const Series*> result;
  std::size_t tried = 0;
  const auto may_go_on = [&] {
    tried += matchers.size() + 1;
    if (!go_on || tried < asked_after) return true;
    tried = 0;
    return go_on();
  };
  const auto from = [&](const Named& named) {
    for (const auto& [labels, series] : named) {
      if (!may_go_on()) return false;
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
    if (!may_go_on() || (name_fits(name) && !from(named))) break;
  }
  return result;
}

}  // namespace fairway::promql
