// SPDX-License-Identifier: Apache-2.0

// The condition of FlowSchemas that tells whether their priority level exists.
#pragma once

#include <string>

#include "apiserver/internal/controllers/change_feed.h"
#include "apiserver/internal/objects/objects.h"

namespace fairway::apiserver::controllers {

/// Writes the condition `Dangling` of each FlowSchema, as kube-apiserver itself does. Used by one thread.
class FlowSchemaStatus {
 public:
  explicit FlowSchemaStatus(objects::Objects& objects) : objects_(objects) {}

  void observe(const Observed& observed);
  /// Implements `ChangeFeed::Observer::resync`.
  void resync(const std::string& resource);
  /// Works on what is due. Returns false if some of it failed and has to be retried.
  bool work();

 private:
  objects::Objects& objects_;
  bool due_ = false;
};

}  // namespace fairway::apiserver::controllers
