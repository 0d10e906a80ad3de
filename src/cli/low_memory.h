// SPDX-License-Identifier: Apache-2.0

// Settings of malloc for a server that many requests pass through.
#pragma once

namespace fairway::cli {

/// Configures malloc to keep memory low. Each of the threads that answer would otherwise keep the memory of
/// its largest request.
void keep_memory_low();

}  // namespace fairway::cli
