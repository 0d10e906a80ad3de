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
  /// Where a list header stands more than once, its values joined.
  std::array<std::string, 3> joined_;
};

/// What cannot be answered: status, and the body {"kind","value"}.
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
  /// Null where nothing has been built yet; valid for the length of the call.
  const Responses* responses = nullptr;
  /// For blocking answers: what `responses` were made of.
  const Served* built = nullptr;
  AudienceIndex audience = public_audience;

  /// A parameter that has to be there.
  Parameter<std::string_view> required(std::string_view key) const;
  /// `channel`, validated as in Cincinnati.
  Parameter<std::string_view> channel() const;
  /// `arch`, checked; amd64 where it is absent.
  Parameter<std::string_view> arch() const;
  /// A version of this architecture; which it is does not matter here, but it has to be one.
  Parameter<std::string_view> version(std::string_view key, std::string_view arch) const;
  /// `arch`, `from` and `to`.
  Parameter<AskedUpdate> update() const;

  /// For blocking answers: what the caller sees of the snapshot; null while there is none.
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
  static http::Response path(const Api& api, const Call& call);
  static http::Response changes(const Api& api, const Call& call);
  static http::Response stranded(const Api& api, const Call& call);
  static http::Response nothing(const Api& api, const Call& call);

  static http::Response refuse(const Api& api, const Refusal& refusal);
  static http::Response not_ready(const Api& api);

 private:
  /// A document in the encoding that the caller takes, or 304.
  static http::Response send(const Api& api, const Document& document, std::size_t media_type,
                             const Call& call);
  /// A computed JSON answer.
  static http::Response send_json(const Api& api, const json::Object& answer, const Call& call);
};

/// {"kind":...,"value":...}
std::string error_body(std::string_view kind, std::string_view value);

}  // namespace fairway::updateservice
