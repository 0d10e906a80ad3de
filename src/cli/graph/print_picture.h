// SPDX-License-Identifier: Apache-2.0

// Pictures of what the commands answer.
#pragma once

#include <string>
#include <vector>

#include "graph/picture.h"

namespace fairway::cli {

/// Returns whether an output is one of the pictures: dot, mermaid or svg.
bool is_picture(const std::string& output);
/// Prints a picture of these updates, and returns the exit code.
int print_picture(const std::string& output, const std::vector<graph::DrawnUpdate>& updates,
                  const std::vector<std::string>& asked_for, const std::string& title);

}  // namespace fairway::cli
