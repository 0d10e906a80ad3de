// SPDX-License-Identifier: Apache-2.0

// Regular expressions that Envoy matches: which it takes, and those that are made of what a route says.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "k8s/object.h"

namespace fairway::gateway {

/// Largest program of an expression that is accepted. Envoy has a limit of its own, by default 100, which
/// bootstraps have to raise.
inline constexpr int max_program_size = 1000;

/// The verdict on an expression that Envoy is to match.
struct ExpressionVerdict {
  /// Size of its program. A text that is not an expression counts as the largest one, since it costs as much
  /// to find that out.
  int size = max_program_size;
  /// Reason why it cannot be matched: it is empty, or not an RE2 expression, or its program is too large;
  /// std::nullopt: it can.
  std::optional<std::string> problem;
};

/// Judges an expression. Recent verdicts are cached. Safe from all threads.
ExpressionVerdict judge_expression(const std::string& expression);

/// Returns whether a gRPC call's `method` has to be matched by `call_expression`, and not as a text.
bool is_matched_by_expression(const k8s::View& method);
/// Returns the expression for the path of a gRPC call, for a `method` that cannot be matched as a text.
std::string call_expression(const k8s::View& method);
/// Returns the expression for the part of a path that is removed if a prefix is replaced by nothing. Its
/// program is small, since RE2 compares the prefix before it runs a program.
std::string removed_prefix_expression(std::string_view prefix);
/// Returns the expression for an origin of `allowOrigins` whose host has a "*".
std::string origin_expression(std::string_view origin);
/// Returns the expression for all origins of `allowOrigins`; "*" is every origin.
std::string origins_expression(const std::vector<std::string_view>& origins);

}  // namespace fairway::gateway
