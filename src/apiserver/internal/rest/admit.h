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

namespace fairway::apiserver {

/// What a call writes with. It must not outlive the call: warnings, and what admission has to say beside, are
/// noted there.
struct CallWrite {
  /// What admits it; null: nothing has to.
  std::unique_ptr<WriteAdmission> admission;
  /// Asks `admission`.
  WriteContext context;
};

/// `kind` is that of the objects that admission is shown: a subresource may have one of its own.
k8s::StatusResult<CallWrite> begin_write(const Services& services, Call& call,
                                         const k8s::GroupVersionKind& kind, const k8s::WriteOptions& options);

/// For a subresource to which an object is posted that is not stored: admission may change it, then the
/// server's own rules (`check`) are asked, and then admission has its say, as in kube-apiserver.
k8s::StatusResult<void> admit_request(const Services& services, Call& call, k8s::Dynamic& request,
                                      const k8s::GroupVersionKind& kind, const k8s::WriteOptions& options,
                                      const std::function<k8s::StatusResult<void>()>& check);

}  // namespace fairway::apiserver
