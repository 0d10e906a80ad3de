// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/validation/cron_schedule.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "apiserver/internal/validation/go_duration.h"
#include "apiserver/internal/validation/time_zones.h"
#include "base/quoted_text.h"
#include "base/text.h"

namespace fairway::apiserver::validation {
namespace {

/// The values of one field, and names of some.
struct Bounds {
  std::int64_t least, most;
  std::array<std::string_view, 12> names = {};
};

constexpr std::array<Bounds, 5> fields_bounds{
    Bounds{0, 59}, Bounds{0, 23}, Bounds{1, 31},
    Bounds{1, 12, {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
    Bounds{0, 6, {"sun", "mon", "tue", "wed", "thu", "fri", "sat"}}};

std::unexpected<Error> bad(std::string message) {
  return fail(ErrorCode::invalid, std::move(message));
}

Result<std::int64_t> read_number(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const std::string what =
      "failed to parse int from " + std::string(text) + ": strconv.Atoi: parsing " + quote(text);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument)
    return bad(what + ": invalid syntax");
  if (error != std::errc{}) return bad(what + ": value out of range");
  if (number < 0)
    return bad("negative number (" + std::to_string(number) + ") not allowed: " + std::string(text));
  return number;
}

Result<std::int64_t> read_value(std::string_view text, const Bounds& bounds) {
  const auto* found = std::ranges::find(bounds.names, to_lower(text));
  if (!text.empty() && found != bounds.names.end()) return bounds.least + (found - bounds.names.begin());
  return read_number(text);
}

Result<void> check_range(std::string_view text, const Bounds& bounds) {
  const auto parts = split(text, '/'), ends = split(parts.front(), '-');
  std::int64_t begin = bounds.least, end = bounds.most, step = 1;
  if (ends.front() != "*" && ends.front() != "?") {
    const auto first = read_value(ends.front(), bounds);
    if (!first) return fail(first.error());
    begin = end = *first;
    if (ends.size() > 2) return bad("too many hyphens: " + std::string(text));
    if (ends.size() == 2) {
      const auto last = read_value(ends[1], bounds);
      if (!last) return fail(last.error());
      end = *last;
    }
  }
  if (parts.size() > 2) return bad("too many slashes: " + std::string(text));
  if (parts.size() == 2) {
    const auto read = read_number(parts[1]);
    if (!read) return fail(read.error());
    step = *read;
    if (ends.size() == 1) end = bounds.most;
  }
  const std::string from = std::to_string(begin), to = std::to_string(end), shown = ": " + std::string(text);
  if (begin < bounds.least)
    return bad("beginning of range (" + from + ") below minimum (" + std::to_string(bounds.least) + ")" +
               shown);
  if (end > bounds.most)
    return bad("end of range (" + to + ") above maximum (" + std::to_string(bounds.most) + ")" + shown);
  if (begin > end) return bad("beginning of range (" + from + ") beyond end of range (" + to + ")" + shown);
  if (step == 0) return bad("step of range should be a positive number" + shown);
  return {};
}

Result<void> check_description(std::string_view text) {
  for (const std::string_view known :
       {"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"}) {
    if (text == known) return {};
  }
  constexpr std::string_view every = "@every ";
  if (!text.starts_with(every)) return bad("unrecognized descriptor: " + std::string(text));
  text.remove_prefix(every.size());
  if (const auto checked = check_go_duration(text); !checked)
    return bad("failed to parse duration @every " + std::string(text) + ": " + checked.error().message);
  return {};
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    const bool is_blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (!is_blank) word += c;
    if (is_blank && !word.empty()) words.push_back(std::exchange(word, {}));
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

}  // namespace

Result<void> check_cron_schedule(std::string_view text) {
  if (text.starts_with("TZ=") || text.starts_with("CRON_TZ=")) {
    const std::size_t blank = text.find(' '), begin = text.find('=') + 1;
    if (blank == std::string_view::npos)
      return bad("invalid schedule format: runtime error: slice bounds out of range [:-1]");
    const std::string_view zone = text.substr(begin, blank - begin);
    if (const auto loaded = find_time_zone(zone); !loaded)
      return bad("provided bad location " + std::string(zone) + ": " + loaded.error().message);
    text = trim(text.substr(blank));
  }
  if (text.starts_with('@')) return check_description(text);
  const std::vector<std::string> words = words_of(text);
  if (words.size() != fields_bounds.size()) {
    return bad("expected exactly 5 fields, found " + std::to_string(words.size()) + ": [" + join(words, " ") +
               "]");
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (const std::string_view part : split(words[i], ',')) {
      if (part.empty()) continue;
      if (auto checked = check_range(part, fields_bounds[i]); !checked) return checked;
    }
  }
  return {};
}

}  // namespace fairway::apiserver::validation
