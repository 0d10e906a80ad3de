// SPDX-License-Identifier: Apache-2.0

// Metrics in Prometheus's text format: prometheus-cpp behind a small interface.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fairway::metrics {

/// Label names and values of one series. The set of values must be bounded: never a URI, a version or an
/// address.
using Labels = std::map<std::string, std::string>;

/// Monotonic counter. Copies share one series; safe from all threads.
class Counter {
 public:
  void add(double by = 1);

 private:
  friend class Registry;
  void* series_ = nullptr;
};

/// Goes up and down.
class Gauge {
 public:
  void set(double value);
  void add(double by);

 private:
  friend class Registry;
  void* series_ = nullptr;
};

class Histogram {
 public:
  void observe(double value);

 private:
  friend class Registry;
  void* series_ = nullptr;
};

/// All metrics of a process (or of a test). The same name and labels always give the same series.
class Registry {
 public:
  Registry();
  ~Registry();
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  Counter counter(const std::string& name, const std::string& help, const Labels& labels = {});
  Gauge gauge(const std::string& name, const std::string& help, const Labels& labels = {});
  /// `bounds` are the upper ends of the buckets, ascending.
  Histogram histogram(const std::string& name, const std::string& help, const std::vector<double>& bounds,
                      const Labels& labels = {});

  /// The exposition text (version 0.0.4).
  std::string text() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::metrics
