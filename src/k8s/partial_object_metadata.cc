// SPDX-License-Identifier: Apache-2.0

#include "k8s/partial_object_metadata.h"

#include "k8s/wire/media_type.h"

namespace fairway::k8s {

PartialObjectMetadata::PartialObjectMetadata(const Dynamic& object) : Dynamic(to_partial_metadata(object)) {}

std::shared_ptr<const Dynamic> PartialObjectMetadata::make(json::Object document) {
  const std::shared_ptr<const PartialObjectMetadata> made(new PartialObjectMetadata(std::move(document)));
  return {made, static_cast<const Dynamic*>(made.get())};
}

}  // namespace fairway::k8s
