// SPDX-License-Identifier: Apache-2.0

// How a stream answers: from the response of a handler to the frames that nghttp2 makes of it.
#include <nghttp2/nghttp2.h>

#include <string>
#include <utility>

#include "base/log.h"
#include "http/internal/http2/header_block.h"
#include "http/internal/http2/server_session.h"
#include "http/internal/http2/server_stream.h"
#include "http/internal/server/answer.h"
#include "http/internal/server/worker.h"
#include "http/internal/wire.h"

namespace fairway::http {

void Http2Stream::reply(Response response) {
  if (!response.prepared && (response.status < 200 || response.status > 599)) {
    log::error("a handler returned an invalid status", {{"status", response.status}});
    response = Response::text(500, "Internal server error.\n");
  }
  std::shared_ptr<StreamQueue> queue;
  if (response.stream) {
    const auto* handle = dynamic_cast<const StreamHandle*>(response.stream.get());
    if (handle == nullptr) {
      log::error("a handler answered with a stream that is not of Stream::make");
      return reply(Response::text(500, "Internal server error.\n"));
    }
    queue = handle->queue();
    response.stream.reset();  // a producer that has let go without closing is noticed now
    response.prepared.reset();
  }
  state_ = State::replying;
  Worker& worker = session_->worker();
  worker.wait(*this, Wait::none);
  const int status = response.prepared ? response.prepared->status() : response.status;
  Bytes body = response.prepared ? response.prepared->body() : Bytes(std::move(response.body));
  const std::size_t size = body ? body->size() : 0;
  const bool may_have = may_have_body(status) && !head_only_;
  const bool streamed = queue != nullptr;
  if (queue) {
    if (may_have) {
      reply_.attach(std::move(queue), worker.loop(), *this);
      if (server_.draining.load(std::memory_order_relaxed)) reply_.ask_to_end();
    } else {
      queue->detach();
    }
  } else if (may_have && size > 0) {
    reply_.set(std::move(body));
  }
  submit(status, response, may_have && (streamed || size > 0), streamed ? std::nullopt : std::optional(size));
  // The request is not kept while its reply waits for a reader.
  response.prepared.reset();
  release_request();
  session_->touch(*this);
}

void Http2Stream::submit(int status, const Response& response, bool has_body,
                         std::optional<std::size_t> length) {
  HeaderBlock block;
  block.add_pseudo(":status", std::to_string(status));
  if (response.prepared) {
    const std::string& head = response.prepared->head();
    block.add_lines(std::string_view(head).substr(head.find("\r\n") + 2));
  } else if (may_have_body(status) && length) {
    block.add("content-length", std::to_string(*length));
  }
  for (const auto& [name, value] : response.headers) {
    if (!is_ours(name)) block.add(name, value);
  }
  block.add_lines(session_->worker().common_fields());
  session_->submit_reply(*this, block, has_body);
}

void Http2Stream::on_reply_sent() {
  if (state_ != State::replying) return;
  // RFC 9113, section 8.1: a client that still sends its request may stop.
  if (!whole_ && !closed_) session_->reset(id_, NGHTTP2_NO_ERROR);
}

}  // namespace fairway::http
