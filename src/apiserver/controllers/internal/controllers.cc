#include "apiserver/controllers/internal/controllers.h"

namespace fairway::apiserver {

Controllers::Controllers(Objects& objects, ControllerOptions options, std::string authority)
    : options_(options),
      collector_(objects),
      namespaces_(objects),
      defaults_(objects, std::move(authority)),
      roles_(objects),
      feed_(objects, {.observe = [this](const Observed& observed) { observe(observed); },
                      .idle = [this] { return work(); }}) {}

void Controllers::observe(const Observed& observed) {
  if (options_.garbage_collector) collector_.observe(observed);
  if (options_.namespaces) namespaces_.observe(observed);
  if (options_.namespace_defaults) defaults_.observe(observed);
  if (options_.role_aggregation) roles_.observe(observed);
}

bool Controllers::work() {
  bool again = options_.role_aggregation && roles_.work();
  again |= options_.namespace_defaults && defaults_.work();
  again |= options_.namespaces && namespaces_.work();
  again |= options_.garbage_collector && collector_.work();
  return again;
}

}  // namespace fairway::apiserver
