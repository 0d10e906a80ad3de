// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/openapi/message_table.h"

namespace fairway::apiserver::openapi {

const Message& document_message(Dialect dialect) {
  return dialect == Dialect::v2 ? document_message_v2() : document_message_v3();
}

}  // namespace fairway::apiserver::openapi
