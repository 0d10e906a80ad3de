// Time limits of tests.
#pragma once

namespace fairway::testing {

/// The limit for what takes no longer than `usually` on a machine with nothing else to do. Tests run beside
/// other work: a limit tells what hangs from what goes on, and is no measurement.
template <class Duration>
constexpr Duration generous(Duration usually) {
  return usually * 10;
}

}  // namespace fairway::testing
