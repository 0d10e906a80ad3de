// SPDX-License-Identifier: Apache-2.0

// One request to the API as its answers see it: who asks, what they take, and how to reply.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "updateservice/internal/api/api.h"
#include "updateservice/internal/api/query.h"

namespace fairway::updateservice {

/// The headers that matter here, found in one pass.
struct RequestHeaders {
  std::optional<std::string_view> accept, accept_encoding, if_none_match, authorization, origin;
  explicit RequestHeaders(const http::Request& request);

 private:
  /// Joined values of list headers that occur more than once.
  std::array<std::string, 3> joined_;
};

/// A refusal: status, and the body {"kind","value"}.
struct Refusal {
  int status = 400;
  std::string_view kind;
  std::string value;
};

template <class T>
using Parameter = std::expected<T, Refusal>;

/// The update that a request is about.
struct AskedUpdate {
  std::string_view arch, from, to;
};

struct Api::Call {
  const http::Request& request;
  const RequestHeaders& headers;
  Query query;
  /// Responses to answer from. Null if nothing has been built yet; valid for the length of the call.
  const Responses* responses = nullptr;
  /// The build that `responses` were made of, for blocking answers.
  const Served* built = nullptr;
  AudienceIndex audience = public_audience;

  /// Returns a required parameter.
  Parameter<std::string_view> required(std::string_view key) const;
  /// Returns `channel`, validated as in Cincinnati.
  Parameter<std::string_view> channel() const;
  /// Returns `arch`, checked; amd64 if it is absent.
  Parameter<std::string_view> arch() const;
  /// Returns a version of this architecture; it has to be valid, but need not exist.
  Parameter<std::string_view> version(std::string_view key, std::string_view arch) const;
  /// Returns `arch`, `from` and `to`.
  Parameter<AskedUpdate> update() const;

  /// Returns the view that the caller has of the snapshot, for blocking answers; null without a snapshot.
  const graph::View* view() const { return built->snapshot ? responses->views[audience].get() : nullptr; }
};

/// The replies of the API.
class Api::Answers {
 public:
  static http::Response graph(const Api& api, const Call& call);
  static http::Response channels(const Api& api, const Call& call);
  static http::Response openapi(const Api& api, const Call& call);
  static http::Response graph_data(const Api& api, const Call& call);
  static http::Response problems(const Api& api, const Call& call);
  static http::Response signature(const Api& api, const Call& call);
  static http::Response explain(const Api& api, const Call& call);
  static http::Response updates(const Api& api, const Call& call);
  static http::Response path(const Api& api, const Call& call);
  static http::Response changes(const Api& api, const Call& call);
  static http::Response stranded(const Api& api, const Call& call);
  static http::Response nothing(const Api& api, const Call& call);

  static http::Response refuse(const Api& api, const Refusal& refusal);
  static http::Response not_ready(const Api& api);

 private:
  /// Returns a document in an encoding that the caller accepts, or 304.
  static http::Response send(const Api& api, const Document& document, std::size_t media_type,
                             const Call& call);
  /// Returns a computed JSON answer.
  static http::Response send_json(const Api& api, const json::Object& answer, const Call& call);
};

/// Returns {"kind":...,"value":...}.
std::string error_body(std::string_view kind, std::string_view value);

}  // namespace fairway::updateservice
