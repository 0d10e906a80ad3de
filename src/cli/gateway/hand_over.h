// Runs fairway-gateway in place of this process.
#pragma once

namespace fairway::cli {

/// Replaces this process by the program fairway-gateway in the same folder, with the same arguments, which it
/// parses as this program did. Returns only if that fails: an exit code, after reporting the reason.
int hand_over_to_gateway(char** argv);

}  // namespace fairway::cli
