// SPDX-License-Identifier: Apache-2.0

// The readiness of an object: whether the things that it asks for are there.
#pragma once

#include <string>

#include "k8s/object.h"

namespace fairway::k8s {

struct Readiness {
  enum class State {
    ready,
    waiting,
    failed,  ///< waiting longer will not help
  };
  State state = State::waiting;
  /// Reason for people: "2 of 3 replicas are updated". Empty if ready.
  std::string reason = {};

  static Readiness ready() { return {State::ready, {}}; }
  static Readiness waiting(std::string reason) { return {State::waiting, std::move(reason)}; }
  static Readiness failed(std::string reason) { return {State::failed, std::move(reason)}; }

  bool is_ready() const { return state == State::ready; }
  bool has_failed() const { return state == State::failed; }
  friend bool operator==(const Readiness&, const Readiness&) = default;
};

/// Returns the readiness of an object (ready, waiting or failed) by its own status. An object that is being
/// deleted is waiting, and so is one whose controller has not observed the latest spec.
///
/// | kind | ready | failed |
/// |---|---|---|
/// | CustomResourceDefinition | Established is True, and NamesAccepted not False | NamesAccepted is False |
/// | Deployment | as in `kubectl rollout status` | the progress deadline was exceeded |
/// | DaemonSet, StatefulSet | as in `kubectl rollout status`; OnDelete: the pods that are there are ready | |
/// | Job | Complete is True | Failed or FailureTarget is True |
/// | APIService | Available is True | |
/// | others | always | |
///
/// Rules: kubectl's polymorphichelpers/rollout_status.go, and kstatus for CustomResourceDefinitions, Jobs
/// and APIServices. Unlike kstatus, a Job that merely runs is not ready. `spec.replicas` that is absent is 1,
/// the server's default. A NamesAccepted that may be about an earlier generation is waiting, not failed: one
/// with a lower `observedGeneration`, or with none (servers before 1.35) after the first generation. Kinds
/// are identified by group and kind.
Readiness readiness(const Dynamic& object);

}  // namespace fairway::k8s
