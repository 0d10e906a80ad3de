// SPDX-License-Identifier: Apache-2.0

// Runs fairway-gateway in place of this process.
#pragma once

namespace fairway::cli {

/// Replaces this process by the program fairway-gateway, which is in the folder of this program or in
/// ../libexec/fairway beside it, with the same arguments, which it parses as this program did. Returns only
/// if that fails: an exit code, after reporting which files were tried and the reasons.
int hand_over_to_gateway(char** argv);

}  // namespace fairway::cli
