// SPDX-License-Identifier: Apache-2.0

// The judgement of frames before nghttp2 sees them: those that it passes over are among them.
#include <nghttp2/nghttp2.h>

#include "http/internal/http2/server_session.h"
#include "http/internal/server/worker.h"

namespace fairway::http {
namespace {

/// Costs of frames (`FrameBudget`).
constexpr double frame_cost = 1, settings_cost = 4;

}  // namespace

void Http2Session::judge(const FrameHead& head) {
  switch (head.type) {
    case NGHTTP2_CONTINUATION:
      break;  // nghttp2 counts them
    case NGHTTP2_HEADERS:
      judge_number(head.stream);
      break;
    case NGHTTP2_DATA:
      judge_number(head.stream);
      if (head.length == 0 && (head.flags & NGHTTP2_FLAG_END_STREAM) == 0) charge(frame_cost);
      break;
    case NGHTTP2_SETTINGS:
      charge((head.flags & NGHTTP2_FLAG_ACK) != 0 ? frame_cost : settings_cost);
      break;
    case NGHTTP2_WINDOW_UPDATE:
      if (!budget_.take_for_update(worker().loop().now()) && !fault_) fault_ = Reason::enhance_your_calm;
      break;
    case NGHTTP2_PRIORITY:
      charge(frame_cost);
      // nghttp2 looks at no priorities (RFC 9113, section 6.3).
      if (head.stream == 0) fault_ = Reason::protocol_error;
      break;
    default:
      charge(frame_cost);
  }
}

void Http2Session::judge_number(std::int32_t id) {
  if (id == 0 || nghttp2_session_find_stream(session_.get(), id) != nullptr) return;
  switch (numbers_.judge(id)) {
    case StreamNumbers::Verdict::fine:
      break;
    case StreamNumbers::Verdict::ended:
      fault_ = Reason::stream_closed;
      break;
    case StreamNumbers::Verdict::skipped:
      fault_ = Reason::protocol_error;
      break;
  }
}

void Http2Session::charge(double tokens) {
  if (!budget_.take(tokens, worker().loop().now()) && !fault_) fault_ = Reason::enhance_your_calm;
}

}  // namespace fairway::http
