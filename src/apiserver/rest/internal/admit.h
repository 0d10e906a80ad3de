// Admission of what a call writes.
#pragma once

#include <memory>

#include "apiserver/objects/internal/write_admission.h"
#include "apiserver/rest/internal/call.h"
#include "k8s/group_version.h"
#include "k8s/status.h"
#include "k8s/wire/options.h"

namespace fairway::apiserver {

/// Who has a say in the writes of a call; null: nobody has. It notes in the call what it has to say beside,
/// and must not outlive it. `kind` is that of the objects: a subresource may have one of its own.
k8s::StatusResult<std::unique_ptr<WriteAdmission>> begin_admission(const Services& services, Call& call,
                                                                   const k8s::GroupVersionKind& kind,
                                                                   const k8s::WriteOptions& options);

}  // namespace fairway::apiserver
