// SPDX-License-Identifier: Apache-2.0

// The manual pages of fairway, made from its commands and flags.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace fairway::cli {

/// A manual page in section 1.
struct ManualPage {
  /// The name by which `fairway man` prints it: "adm"; "" for that of fairway itself.
  std::string topic;
  /// The name by which man shows it: "fairway-adm".
  std::string name;
  /// The page in roff.
  std::string text;
};

/// Returns the topics of all pages but fairway's own: each command of fairway, and "kubectl-fairway".
std::vector<std::string> manual_topics(const CLI::App& root);

/// Returns all pages: fairway's own first, then in the order of manual_topics. `date` stands at the foot of
/// each, for example "2026-11-29"; it may be empty.
std::vector<ManualPage> manual_pages(const CLI::App& root, const std::string& date);

}  // namespace fairway::cli
