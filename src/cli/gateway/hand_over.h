// Runs fairway-gateway in place of this process.
#pragma once

namespace fairway::cli {

/// Runs the program fairway-gateway that lies beside this one, with the same arguments: it reads them as this
/// one has. Returns only if that fails: an exit code, after saying why.
int hand_over_to_gateway(char** argv);

}  // namespace fairway::cli
