// SPDX-License-Identifier: Apache-2.0

#include "kube/client/api_error.h"

namespace fairway::kube {

ApiError::ApiError(std::string_view asked, k8s::Status answer)
    : Error(answer.to_error().within(asked)), status(std::move(answer)) {}

}  // namespace fairway::kube
