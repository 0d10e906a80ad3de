// SPDX-License-Identifier: Apache-2.0

// Random selectors, ranges and numbers over the series of random_series.h.
#pragma once

#include <string>
#include <vector>

#include "promql/parser/dialect.h"
#include "promql/parser/go_text.h"
#include "promql/random.h"
#include "promql/random_series.h"

namespace fairway::promql::testing {

class RandomSelectors {
 public:
  RandomSelectors(Random& random, Dialect dialect) : random_(random), dialect_(dialect) {}

  const Family& family() { return random_.pick(families()); }

  /// Returns `temp{host="a"} offset 5m`.
  std::string selector(const Family& of) { return bare(of) + modifiers(); }
  /// Returns a selector without `offset` and `@`.
  std::string bare(const Family& of) {
    std::string inside = matchers(of);
    if (random_.percent(90)) {
      const bool braces = !inside.empty() || random_.percent(5);
      if (dialect_ == Dialect::prometheus3 && random_.percent(4))
        return "{\"" + of.name + "\"" + (inside.empty() ? "" : ", " + inside) + "}";
      return of.name + (braces ? "{" + inside + "}" : "");
    }
    static const std::vector<std::string> names{"__name__=~\"temp|load\"", "__name__=~\"lat_.*\"",
                                                "__name__=~\".*_total\"",  "__name__!~\".+_.+\"",
                                                "__name__=~\"(up|gap)\"",  "__name__=\"bare\""};
    const std::string name = random_.percent(40) ? "__name__=\"" + of.name + "\"" : random_.pick(names);
    return "{" + name + (inside.empty() ? "" : "," + inside) + "}";
  }
  /// Returns `temp[5m] @ 1700003000 offset 1m`.
  std::string range(const Family& of) { return bare(of) + "[" + window() + "]" + modifiers(); }

  std::string modifiers() {
    std::string offset = random_.percent(18) ? " offset " + this->offset() : "";
    std::string at = random_.percent(12) ? " @ " + this->at() : "";
    return random_.percent(50) ? offset + at : at + offset;
  }

  std::string window() {
    if (dialect_ == Dialect::prometheus3 && random_.percent(5)) return random_.pick(second_counts());
    static const std::vector<std::string> windows{"15s", "30s", "1m",  "90s", "2m",     "3m",
                                                  "5m",  "7m",  "10m", "1h",  "1m500ms"};
    return random_.pick(windows);
  }
  /// Returns the range and step of a subquery: `10m:1m`, `5m:`.
  std::string subquery_window() {
    static const std::vector<std::string> windows{"1m", "2m", "5m", "7m30s", "10m", "20m"};
    static const std::vector<std::string> steps{"", "", "15s", "30s", "1m", "2m", "47s", "5m"};
    return random_.pick(windows) + ":" + random_.pick(steps);
  }

  std::string label() {
    static const std::vector<std::string> labels{"host", "host", "zone", "cpu",  "code",    "method",
                                                 "dir",  "le",   "job",  "team", "version", "nowhere"};
    return random_.pick(labels);
  }
  /// Returns `(host, zone)`, of up to three labels.
  std::string label_list(const std::vector<std::string>& likely = {}) {
    std::string list;
    for (std::size_t left = random_.percent(15) ? 0 : 1 + random_.below(random_.percent(70) ? 1 : 3);
         left > 0; --left) {
      const std::string one = !likely.empty() && random_.percent(75) ? random_.pick(likely) : label();
      list += (list.empty() ? "" : ", ") + one;
    }
    return "(" + list + ")";
  }

  std::string number() {
    static const std::vector<std::string> odd{"NaN",  "Inf",  "-Inf", "1e3", ".5",   "0x1F", "1e-3", "-0",
                                              "1e99", "+Inf", "017",  "1.0", "2.50", "inf",  "3e0"};
    switch (random_.below(10)) {
      case 0:
        return random_.pick(odd);
      case 1:
        if (dialect_ == Dialect::prometheus3) return random_.pick(durations());
        [[fallthrough]];
      case 2:
      case 3:
        return std::to_string(random_.between(-20, 20)) + "." + std::to_string(random_.below(1000));
      case 4:
        return std::to_string(random_.between(100, 2000));
      default:
        return std::to_string(random_.between(0, 10));
    }
  }

 private:
  static const std::vector<std::string>& durations() {
    static const std::vector<std::string> all{"5m", "1h30m", "2s", "250ms", "1d"};
    return all;
  }
  static const std::vector<std::string>& second_counts() {
    static const std::vector<std::string> all{"300", "90.5", "60", "0x40", "1e2"};
    return all;
  }

  std::string offset() {
    if (dialect_ == Dialect::prometheus3 && random_.percent(5)) return random_.pick(second_counts());
    static const std::vector<std::string> offsets{"1m", "5m", "-1m", "90s", "13s", "-3m30s", "1500ms", "20m"};
    return random_.pick(offsets);
  }
  std::string at() {
    if (random_.percent(40)) return random_.percent(50) ? "start()" : "end()";
    const Timestamp time = random_.between(series_begin, series_end);
    if (random_.percent(60)) return std::to_string(time / 60'000 * 60);
    return format_fixed(static_cast<double>(time) / 1000, 3);
  }

  std::string matchers(const Family& of) {
    std::string text;
    for (std::size_t left = random_.percent(65) ? 0 : 1 + random_.below(2); left > 0; --left)
      text += (text.empty() ? "" : ",") + matcher(of);
    if (!text.empty() && random_.percent(3)) text += ',';
    return text;
  }
  std::string matcher(const Family& of) {
    static const std::vector<std::string> foreign{"", "a", "eu", "nowhere"};
    static const std::vector<std::string> patterns{
        ".*",     ".+",     "a|b",  "[ab]", "(a|c)?", "",           "4..|200",   "(?i)get",
        "i.|out", "\\\\d+", "[^a]", "^b$",  "x|y",    "line.end.*", "e[u-z]|us", "0\\\\.5.*"};
    const bool own = !of.labels.empty() && random_.percent(85);
    const auto& [name, values] =
        own ? of.labels[random_.below(of.labels.size())] : std::pair(label(), foreign);
    static const std::vector<std::string> operators{"=", "=", "!=", "=~", "=~", "!~"};
    const std::string op = random_.pick(operators);
    const bool pattern = op.ends_with('~') && random_.percent(75);
    return name + op + (pattern ? "\"" + random_.pick(patterns) + "\"" : quote(random_.pick(values)));
  }

  Random& random_;
  Dialect dialect_;
};

}  // namespace fairway::promql::testing
