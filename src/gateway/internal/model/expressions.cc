// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/model/expressions.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/go_regexp.h"

namespace fairway::gateway {

namespace {

/// Number of verdicts in each of the two generations of the cache, and length of the longest expression that
/// is cached: a few MiB in all.
constexpr std::size_t max_cached = 4096;
constexpr std::size_t longest_cached = 2048;

ExpressionVerdict compile(const std::string& expression) {
  // Envoy's schema has no empty ones.
  if (expression.empty()) return {.size = 0, .problem = "it is empty"};
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(std::int64_t{1} << 20);
  const RE2 compiled(expression, options);
  if (!compiled.ok()) return {.problem = std::string(go_regexp_error(compiled))};
  const int size = compiled.ProgramSize();
  if (size > max_program_size) {
    return {.problem = "its program has the size " + std::to_string(size) + ", and " +
                       std::to_string(max_program_size) + " is the largest that is taken"};
  }
  return {.size = size, .problem = std::nullopt};
}

/// A cache of verdicts by expression. A full generation replaces the former one, and verdicts that only the
/// former one had are forgotten.
class VerdictCache {
 public:
  std::optional<ExpressionVerdict> find(const std::string& expression) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = now_.find(expression); found != now_.end()) return found->second;
    const auto found = before_.find(expression);
    if (found == before_.end()) return std::nullopt;
    ExpressionVerdict verdict = found->second;
    add(expression, verdict);
    return verdict;
  }
  void keep(const std::string& expression, const ExpressionVerdict& verdict) {
    const std::scoped_lock lock(mutex_);
    add(expression, verdict);
  }

 private:
  void add(const std::string& expression, const ExpressionVerdict& verdict) {
    if (now_.size() >= max_cached) before_ = std::exchange(now_, {});
    now_.emplace(expression, verdict);
  }
  std::mutex mutex_;
  std::unordered_map<std::string, ExpressionVerdict> now_, before_;
};

}  // namespace

ExpressionVerdict judge_expression(const std::string& expression) {
  if (expression.size() > longest_cached) return compile(expression);
  static VerdictCache cache;
  if (auto cached = cache.find(expression)) return *cached;
  ExpressionVerdict verdict = compile(expression);
  cache.keep(expression, verdict);
  return verdict;
}

bool is_matched_by_expression(const k8s::View& method) {
  if (method.text("service").empty() && method.text("method").empty()) return false;
  return method.text("type", "Exact") != "Exact" || method.text("service").empty();
}

std::string call_expression(const k8s::View& method) {
  const bool is_exact = method.text("type", "Exact") == "Exact";
  const auto part = [&](std::string_view text) {
    if (text.empty()) return std::string("[^/]+");
    // In a group of its own: an expression may have alternatives.
    return is_exact ? RE2::QuoteMeta(std::string(text)) : "(?:" + std::string(text) + ")";
  };
  return "/" + part(method.text("service")) + "/" + part(method.text("method"));
}

std::string removed_prefix_expression(std::string_view prefix) {
  return "^" + RE2::QuoteMeta(std::string(prefix)) + "/*";
}

std::string origin_expression(std::string_view origin) {
  std::string expression;
  for (std::size_t at = 0; at < origin.size();) {
    const std::size_t star = std::min(origin.find('*', at), origin.size());
    expression += RE2::QuoteMeta(std::string(origin.substr(at, star - at)));
    if (star < origin.size()) expression += "[A-Za-z0-9.-]+";
    at = star + 1;
  }
  return expression;
}

std::string origins_expression(const std::vector<std::string_view>& origins) {
  std::string expression;
  for (const std::string_view origin : origins) {
    if (!expression.empty()) expression += '|';
    expression += origin == "*" ? ".*" : origin_expression(origin);
  }
  return expression;
}

}  // namespace fairway::gateway
