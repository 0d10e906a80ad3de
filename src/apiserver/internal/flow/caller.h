// SPDX-License-Identifier: Apache-2.0

// For whom a thread works: what it waits for counts as that user's.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "base/clock.h"

namespace fairway::apiserver::flow {

/// The places among waiting requests that a caller may use besides the ordinary ones.
enum class Privilege : std::uint8_t {
  none,
  lease,  ///< a part of the reserve, within the caller's shares
  all,    ///< everything, whatever the caller's shares
};

struct Caller {
  std::string user;
  /// Namespace of the request's object; empty: there is none.
  std::string namespace_name;
  Privilege privilege = Privilege::none;
  /// True if its waits take a place; false: they are bounded elsewhere.
  bool takes_place = true;
  /// Token that ends its waits.
  std::stop_token cancelled;
  SteadyTime deadline = SteadyTime::max();
};

/// Makes a request's caller known to everything that its thread calls, as long as this lives. The code that
/// waits for somebody outside is far below the request: a conversion runs wherever an object is read.
class CallerScope {
 public:
  /// Begins the scope. `caller` must outlive this.
  explicit CallerScope(const Caller& caller);
  ~CallerScope();
  CallerScope(const CallerScope&) = delete;
  CallerScope& operator=(const CallerScope&) = delete;

 private:
  const Caller* before_;
};

/// Returns the caller of this thread's request; null: the thread works for the server itself.
const Caller* current_caller();

}  // namespace fairway::apiserver::flow
