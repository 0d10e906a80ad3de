// SPDX-License-Identifier: Apache-2.0

// The selection of objects by the label and field selectors of a request.
#pragma once

#include <cstdint>
#include <string>

#include "apiserver/internal/resources/served_resource.h"
#include "apiserver/internal/storage/record.h"
#include "k8s/field_selector.h"
#include "k8s/label_selector.h"
#include "k8s/status.h"

namespace fairway::apiserver::objects {

/// The label and field selector of a list or a watch.
class Selection {
 public:
  Selection() = default;
  /// Makes a selection. Errors (400): a field by which objects of this resource cannot be selected.
  static k8s::StatusResult<Selection> of(const resources::ServedResourcePtr& resource,
                                         k8s::LabelSelector labels, k8s::FieldSelector fields);

  bool is_everything() const { return labels_.is_everything() && fields_.is_everything(); }
  /// Returns whether a record matches. Its labels and fields are read once, and cached with it.
  bool matches(const storage::Record& record) const;
  /// The only name that can match; empty: any.
  const std::string& name() const { return name_; }

 private:
  resources::ServedResourcePtr resource_;
  std::uint64_t tag_ = 0;
  std::string name_;
  k8s::LabelSelector labels_;
  k8s::FieldSelector fields_;
};

}  // namespace fairway::apiserver::objects
