// Regular expressions that Envoy matches: which it takes, and those that are made of what a route says.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "k8s/object.h"

namespace fairway::gateway {

/// How large the program of an expression may be. Envoy has a limit of its own, which is 100 where nobody
/// sets it: bootstraps do.
inline constexpr int max_program_size = 1000;

/// What an expression is to Envoy.
struct ExpressionVerdict {
  /// How large its program is; of one that is no expression as much as the largest, for it costs as much to
  /// find out.
  int size = max_program_size;
  /// Why it cannot be matched: it is no RE2 expression, or its program is too large; std::nullopt if it can.
  std::optional<std::string> problem;
};

/// Judges an expression. Those that were asked for lately are remembered. Safe from all threads.
ExpressionVerdict judge_expression(const std::string& expression);

/// Returns whether a call's `method` is matched by `call_expression`, and not as a text.
bool is_matched_by_expression(const k8s::View& method);
/// The expression of the path of a gRPC call, of a `method` that is not just matched as a text.
std::string call_expression(const k8s::View& method);
/// The expression of what a rewrite of a prefix by nothing takes from a path. RE2 compares the prefix before
/// it runs a program: that is small.
std::string removed_prefix_expression(std::string_view prefix);
/// The expression of an origin of `allowOrigins` whose host has a "*".
std::string origin_expression(std::string_view origin);

}  // namespace fairway::gateway
