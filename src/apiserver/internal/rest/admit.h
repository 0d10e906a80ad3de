// SPDX-License-Identifier: Apache-2.0

// Admission of what a call writes.
#pragma once

#include <functional>
#include <memory>

#include "apiserver/internal/objects/objects.h"
#include "apiserver/internal/objects/write_admission.h"
#include "apiserver/internal/rest/call.h"
#include "k8s/group_version.h"
#include "k8s/object.h"
#include "k8s/status.h"
#include "k8s/wire/options.h"

namespace fairway::apiserver::rest {

/// The context of a call's writes. It must not outlive the call, where warnings and notes of admission are
/// kept.
struct CallWrite {
  /// Webhooks and policies; null: there are none.
  std::unique_ptr<objects::WriteAdmission> admission;
  /// Context of the write, which refers to `admission`.
  objects::WriteContext context;
};

/// Begins a write. `kind` is that of the objects that admission is shown: a subresource may have one of its
/// own.
k8s::StatusResult<CallWrite> begin_write(const Services& services, Call& call,
                                         const k8s::GroupVersionKind& kind, const k8s::WriteOptions& options);

/// Admits an object that is posted to a subresource and not stored. Admission may change it, then the
/// server's own rules (`check`) are applied, and then admission validates it, as in kube-apiserver.
k8s::StatusResult<void> admit_request(const Services& services, Call& call, k8s::Dynamic& request,
                                      const k8s::GroupVersionKind& kind, const k8s::WriteOptions& options,
                                      const std::function<k8s::StatusResult<void>()>& check);

}  // namespace fairway::apiserver::rest
