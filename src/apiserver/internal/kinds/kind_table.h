// SPDX-License-Identifier: Apache-2.0

// One table of kinds/data, read.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string_view>

#include "apiserver/internal/kinds/message_type.h"

namespace fairway::apiserver::kinds {

/// The types of one Go package, which are those of a group version.
class KindTable {
 public:
  /// Finds the types of another table.
  using Others = std::function<const KindTable&(std::string_view table)>;

  /// Reads a table, a line each:
  ///   group NAME VERSION        "-" is the core group
  ///   kind NAME [TYPE]          the type, if it is called otherwise; "meta/v1.List" is one of another table
  ///   message NAME [map=atomic]
  ///    NAME NUMBER TYPE WORD... a field, behind a space; []TYPE is a list, {}TYPE a map
  ///    <NAME> NUMBER TYPE       an inlined one; <TypeMeta> stands for kind and apiVersion
  /// What a type is called in Go follows a colon: string:v1.Protocol. The words are those of `read_word`. The
  /// text must outlive the table. A mistake in it is a bug, and an exception.
  KindTable(std::string_view text, const Others& others);
  KindTable(const KindTable&) = delete;
  KindTable& operator=(const KindTable&) = delete;

  const MessageType* message(std::string_view name) const;
  const MessageType* kind(std::string_view name) const;
  const std::map<std::string_view, const MessageType*>& kinds() const { return kinds_; }

 private:
  const MessageType& resolve(std::string_view name, const Others& others) const;
  Field read_field(std::string_view line, const Others& others) const;
  void index(MessageType& type);

  std::string_view group_, version_;
  std::deque<MessageType> messages_;
  std::map<std::string_view, MessageType*> by_name_;
  std::map<std::string_view, const MessageType*> kinds_;
};

}  // namespace fairway::apiserver::kinds
