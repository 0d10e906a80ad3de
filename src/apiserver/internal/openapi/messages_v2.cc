// SPDX-License-Identifier: Apache-2.0

// The messages of openapi.v2, as far as documents of this server and schemas of definitions need them.
#include <array>

#include "apiserver/internal/openapi/message_table.h"

namespace fairway::apiserver::openapi {
namespace {

using When = Choice::When;

// Schemas refer to themselves.
extern const Message schema;

constexpr std::array docs_rows{Row{"description", 1, Form::text}, Row{"url", 2, Form::text},
                               Row{"x-*", 3, Form::any}};
constexpr Message docs{.rows = docs_rows};

constexpr std::array named_schemas_rows{Row{"*", 1, Form::message, &schema}};
/// Both the definitions and the properties of a schema.
constexpr Message named_schemas{.rows = named_schemas_rows};

constexpr std::array items_choices{Choice{When::object, 1, Form::message, &schema}};
constexpr Message items{.choices = items_choices};

constexpr std::array type_choices{Choice{When::text, 1, Form::text}, Choice{When::list, 1, Form::texts}};
constexpr Message type{.choices = type_choices};

constexpr std::array additional_choices{Choice{When::boolean, 2, Form::boolean},
                                        Choice{When::object, 1, Form::message, &schema}};
constexpr Message additional{.choices = additional_choices};

constexpr std::array schema_rows{
    Row{"$ref", 1, Form::text},
    Row{"format", 2, Form::text},
    Row{"title", 3, Form::text},
    Row{"description", 4, Form::text},
    Row{"default", 5, Form::any},
    Row{"multipleOf", 6, Form::number},
    Row{"maximum", 7, Form::number},
    Row{"exclusiveMaximum", 8, Form::boolean},
    Row{"minimum", 9, Form::number},
    Row{"exclusiveMinimum", 10, Form::boolean},
    Row{"maxLength", 11, Form::integer},
    Row{"minLength", 12, Form::integer},
    Row{"pattern", 13, Form::text},
    Row{"maxItems", 14, Form::integer},
    Row{"minItems", 15, Form::integer},
    Row{"uniqueItems", 16, Form::boolean},
    Row{"maxProperties", 17, Form::integer},
    Row{"minProperties", 18, Form::integer},
    Row{"required", 19, Form::texts},
    Row{"enum", 20, Form::anys},
    Row{"additionalProperties", 21, Form::message, &additional},
    Row{"type", 22, Form::message, &type},
    Row{"items", 23, Form::message, &items},
    Row{"allOf", 24, Form::messages, &schema},
    Row{"properties", 25, Form::message, &named_schemas},
    Row{"discriminator", 26, Form::text},
    Row{"readOnly", 27, Form::boolean},
    Row{"externalDocs", 29, Form::message, &docs},
    Row{"example", 30, Form::any},
    Row{"x-*", 31, Form::any},
};
constexpr Message schema{.rows = schema_rows};

constexpr std::array reference_rows{Row{"$ref", 1, Form::text}, Row{"description", 2, Form::text}};
constexpr Message reference{.rows = reference_rows, .is_tolerant = true};

constexpr std::array body_rows{
    Row{"description", 1, Form::text},
    Row{"name", 2, Form::text},
    Row{"in", 3, Form::text},
    Row{"required", 4, Form::boolean},
    Row{"schema", 5, Form::message, &schema},
    Row{"x-*", 6, Form::any},
};
constexpr Message body{.rows = body_rows};

/// Parameters in a query. They differ from those in a path by `allowEmptyValue`, and so in each number after.
constexpr std::array in_query_rows{
    Row{"required", 1, Form::boolean},
    Row{"in", 2, Form::text},
    Row{"description", 3, Form::text},
    Row{"name", 4, Form::text},
    Row{"allowEmptyValue", 5, Form::boolean},
    Row{"type", 6, Form::text},
    Row{"format", 7, Form::text},
    Row{"collectionFormat", 9, Form::text},
    Row{"default", 10, Form::any},
    Row{"maximum", 11, Form::number},
    Row{"exclusiveMaximum", 12, Form::boolean},
    Row{"minimum", 13, Form::number},
    Row{"exclusiveMinimum", 14, Form::boolean},
    Row{"maxLength", 15, Form::integer},
    Row{"minLength", 16, Form::integer},
    Row{"pattern", 17, Form::text},
    Row{"maxItems", 18, Form::integer},
    Row{"minItems", 19, Form::integer},
    Row{"uniqueItems", 20, Form::boolean},
    Row{"enum", 21, Form::anys},
    Row{"multipleOf", 22, Form::number},
    Row{"x-*", 23, Form::any},
};
constexpr Message in_query{.rows = in_query_rows};

constexpr std::array in_path_rows{
    Row{"required", 1, Form::boolean},
    Row{"in", 2, Form::text},
    Row{"description", 3, Form::text},
    Row{"name", 4, Form::text},
    Row{"type", 5, Form::text},
    Row{"format", 6, Form::text},
    Row{"collectionFormat", 8, Form::text},
    Row{"default", 9, Form::any},
    Row{"maximum", 10, Form::number},
    Row{"exclusiveMaximum", 11, Form::boolean},
    Row{"minimum", 12, Form::number},
    Row{"exclusiveMinimum", 13, Form::boolean},
    Row{"maxLength", 14, Form::integer},
    Row{"minLength", 15, Form::integer},
    Row{"pattern", 16, Form::text},
    Row{"maxItems", 17, Form::integer},
    Row{"minItems", 18, Form::integer},
    Row{"uniqueItems", 19, Form::boolean},
    Row{"enum", 20, Form::anys},
    Row{"multipleOf", 21, Form::number},
    Row{"x-*", 22, Form::any},
};
constexpr Message in_path{.rows = in_path_rows};

constexpr std::array non_body_choices{
    Choice{When::equals, 1, Form::message, &in_path, "in", "header"},
    Choice{When::equals, 2, Form::message, &in_query, "in", "formData"},
    Choice{When::equals, 3, Form::message, &in_query, "in", "query"},
    Choice{When::equals, 4, Form::message, &in_path, "in", "path"},
};
constexpr Message non_body{.choices = non_body_choices};

constexpr std::array parameter_choices{Choice{When::equals, 1, Form::message, &body, "in", "body"},
                                       Choice{When::object, 2, Form::message, &non_body}};
constexpr Message parameter{.choices = parameter_choices};

constexpr std::array parameters_choices{Choice{When::has, 2, Form::message, &reference, "$ref"},
                                        Choice{When::object, 1, Form::message, &parameter}};
constexpr Message parameters{.choices = parameters_choices};

constexpr std::array response_schema_choices{Choice{When::object, 1, Form::message, &schema}};
constexpr Message response_schema{.choices = response_schema_choices};

constexpr std::array response_rows{Row{"description", 1, Form::text},
                                   Row{"schema", 2, Form::message, &response_schema},
                                   Row{"x-*", 5, Form::any}};
constexpr Message response{.rows = response_rows};

constexpr std::array response_value_choices{Choice{When::has, 2, Form::message, &reference, "$ref"},
                                            Choice{When::object, 1, Form::message, &response}};
constexpr Message response_value{.choices = response_value_choices};

constexpr std::array responses_rows{Row{"*", 1, Form::message, &response_value}, Row{"x-*", 2, Form::any}};
constexpr Message responses{.rows = responses_rows};

constexpr std::array operation_rows{
    Row{"tags", 1, Form::texts},
    Row{"summary", 2, Form::text},
    Row{"description", 3, Form::text},
    Row{"externalDocs", 4, Form::message, &docs},
    Row{"operationId", 5, Form::text},
    Row{"produces", 6, Form::texts},
    Row{"consumes", 7, Form::texts},
    Row{"parameters", 8, Form::messages, &parameters},
    Row{"responses", 9, Form::message, &responses},
    Row{"schemes", 10, Form::texts},
    Row{"deprecated", 11, Form::boolean},
    Row{"x-*", 13, Form::any},
};
constexpr Message operation{.rows = operation_rows};

constexpr std::array path_rows{
    Row{"$ref", 1, Form::text},
    Row{"get", 2, Form::message, &operation},
    Row{"put", 3, Form::message, &operation},
    Row{"post", 4, Form::message, &operation},
    Row{"delete", 5, Form::message, &operation},
    Row{"options", 6, Form::message, &operation},
    Row{"head", 7, Form::message, &operation},
    Row{"patch", 8, Form::message, &operation},
    Row{"parameters", 9, Form::messages, &parameters},
    Row{"x-*", 10, Form::any},
};
constexpr Message path{.rows = path_rows};

constexpr std::array paths_rows{Row{"x-*", 1, Form::any}, Row{"/*", 2, Form::message, &path}};
constexpr Message paths{.rows = paths_rows};

constexpr std::array info_rows{Row{"title", 1, Form::text}, Row{"version", 2, Form::text},
                               Row{"description", 3, Form::text}, Row{"termsOfService", 4, Form::text},
                               Row{"x-*", 7, Form::any}};
constexpr Message info{.rows = info_rows};

constexpr std::array document_rows{
    Row{"swagger", 1, Form::text},
    Row{"info", 2, Form::message, &info},
    Row{"host", 3, Form::text},
    Row{"basePath", 4, Form::text},
    Row{"schemes", 5, Form::texts},
    Row{"consumes", 6, Form::texts},
    Row{"produces", 7, Form::texts},
    Row{"paths", 8, Form::message, &paths},
    Row{"definitions", 9, Form::message, &named_schemas},
    Row{"externalDocs", 15, Form::message, &docs},
    Row{"x-*", 16, Form::any},
};
constexpr Message document{.rows = document_rows};

}  // namespace

const Message& document_message_v2() {
  return document;
}

}  // namespace fairway::apiserver::openapi
