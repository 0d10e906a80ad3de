// SPDX-License-Identifier: Apache-2.0

// The operator of these tests, with as many parts as a test wants.
#pragma once

#include <string>

#include "program/operator.h"

namespace fairway::program::testing {

/// Makes an operator. `parts` lists its parts, with commas between: controllers (copies each ConfigMap, with
/// the --greeting of `flags`), flags, kinds (Gadgets in two versions), definitions (of Gizmos, in one
/// version), admission (of ConfigMaps), alone (no leader election).
Operator tiny_operator(const std::string& parts);

/// The process: "operate PARTS FLAG..." is a program of its own, "command PARTS FLAG..." the program `tool`
/// with the operator as its command `greet`.
int run_role(int argc, char** argv);

}  // namespace fairway::program::testing
