// For whom a thread works: what it waits for counts as that user's.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "base/clock.h"

namespace fairway::apiserver::flow {

/// The places for those that wait that a caller may use beside the ordinary ones.
enum class Privilege : std::uint8_t {
  none,
  lease,  ///< a part of the reserve, within its shares
  all,    ///< everything, whatever its shares
};

struct Caller {
  std::string user;
  /// Of what the request is about; empty: of none.
  std::string namespace_name;
  Privilege privilege = Privilege::none;
  /// False: what it waits for is bounded elsewhere.
  bool takes_place = true;
  /// Ends what it waits for.
  std::stop_token cancelled;
  SteadyTime deadline = SteadyTime::max();
};

/// Makes a request's caller known to all that its thread calls, as long as this lives. Parts that wait for
/// somebody outside stand far below the request: a conversion runs wherever an object is read.
class CallerScope {
 public:
  /// `caller` must outlive this.
  explicit CallerScope(const Caller& caller);
  ~CallerScope();
  CallerScope(const CallerScope&) = delete;
  CallerScope& operator=(const CallerScope&) = delete;

 private:
  const Caller* before_;
};

/// Null: the thread works for the server itself.
const Caller* current_caller();

}  // namespace fairway::apiserver::flow
