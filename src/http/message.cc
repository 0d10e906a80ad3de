// SPDX-License-Identifier: Apache-2.0

#include "http/message.h"

#include <algorithm>

#include "base/text.h"
#include "http/internal/memory_file.h"
#include "http/internal/wire.h"

namespace fairway::http {

void append_field(std::string& out, std::string_view name, std::string_view value) {
  const auto append_clean = [&out](std::string_view text) {
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      out += (byte < 0x20 && c != '\t') || byte == 0x7f ? ' ' : c;
    }
  };
  append_clean(name);
  out += ": ";
  append_clean(value);
  out += "\r\n";
}

void append_status_line(std::string& out, int status) {
  out += "HTTP/1.1 ";
  out += std::to_string(status);
  out += ' ';
  out += reason_phrase(status);
  out += "\r\n";
}

bool may_have_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

void Headers::add(std::string name, std::string value) {
  fields_.emplace_back(std::move(name), std::move(value));
}

void Headers::set(std::string name, std::string value) {
  const auto same = [&name](const auto& field) { return equals_ignoring_case(field.first, name); };
  const auto first = std::ranges::find_if(fields_, same);
  if (first == fields_.end()) {
    add(std::move(name), std::move(value));
    return;
  }
  first->second = std::move(value);
  fields_.erase(std::remove_if(std::next(first), fields_.end(), same), fields_.end());
}

void Headers::remove(std::string_view name) {
  std::erase_if(fields_, [name](const auto& field) { return equals_ignoring_case(field.first, name); });
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (equals_ignoring_case(key, name)) return value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Headers::find_all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : fields_) {
    if (equals_ignoring_case(key, name)) values.emplace_back(value);
  }
  return values;
}

std::optional<std::string_view> Request::header(std::string_view name) const {
  for (const Field& field : fields) {
    if (equals_ignoring_case(field.name, name)) return field.value;
  }
  return std::nullopt;
}

std::string Request::headers_joined(std::string_view name) const {
  std::string joined;
  bool first = true;
  for (const Field& field : fields) {
    if (!equals_ignoring_case(field.name, name)) continue;
    if (!first) joined += ", ";
    first = false;
    joined += field.value;
  }
  return joined;
}

std::shared_ptr<const Prepared> Prepared::make(int status, const Headers& headers, Bytes body) {
  auto prepared = std::make_shared<Prepared>();
  prepared->status_ = status;
  append_status_line(prepared->head_, status);
  for (const auto& [name, value] : headers) append_field(prepared->head_, name, value);
  if (may_have_body(status)) {
    append_field(prepared->head_, "Content-Length", std::to_string(body ? body->size() : 0));
    prepared->body_ = std::move(body);
  }
  return prepared;
}

std::shared_ptr<const MemoryFile> Prepared::file() const {
  if (!body_ || body_->size() < MemoryFile::least_bytes) return nullptr;
  std::call_once(file_made_, [this] { file_ = MemoryFile::make(*body_); });
  return file_;
}

Response Response::text(int status, std::string body, std::string content_type) {
  Response response;
  response.status = status;
  response.headers.add("Content-Type", std::move(content_type));
  response.body = make_bytes(std::move(body));
  return response;
}

std::string_view reason_phrase(int status) {
  // The registry of IANA.
  switch (status) {
    case 100:
      return "Continue";
    case 101:
      return "Switching Protocols";
    case 102:
      return "Processing";
    case 103:
      return "Early Hints";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 203:
      return "Non-Authoritative Information";
    case 204:
      return "No Content";
    case 205:
      return "Reset Content";
    case 206:
      return "Partial Content";
    case 207:
      return "Multi-Status";
    case 208:
      return "Already Reported";
    case 226:
      return "IM Used";
    case 300:
      return "Multiple Choices";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 305:
      return "Use Proxy";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 402:
      return "Payment Required";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 407:
      return "Proxy Authentication Required";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 417:
      return "Expectation Failed";
    case 418:
      return "I'm a teapot";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 423:
      return "Locked";
    case 424:
      return "Failed Dependency";
    case 425:
      return "Too Early";
    case 426:
      return "Upgrade Required";
    case 428:
      return "Precondition Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 451:
      return "Unavailable For Legal Reasons";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    case 506:
      return "Variant Also Negotiates";
    case 507:
      return "Insufficient Storage";
    case 508:
      return "Loop Detected";
    case 510:
      return "Not Extended";
    case 511:
      return "Network Authentication Required";
    default:
      return "Unknown";
  }
}

}  // namespace fairway::http
