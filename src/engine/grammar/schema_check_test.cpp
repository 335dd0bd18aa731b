#include "grammar/schema_check.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "braid/engine/chat.h"

namespace braid::engine::grammar {
namespace {

Result<std::string> check(const std::string& schema) {
  double cost_left = SchemaBounds::kCost;
  return check_schema(schema, cost_left);
}

std::string repeated(const std::string& begin, const std::string& piece, int times, const std::string& end) {
  std::string text = begin;
  for (int i = 0; i < times; ++i) text += piece;
  return text + end;
}

std::string with_properties(int count, const std::string& value) {
  std::string text = R"({"type":"object","properties":{)";
  for (int i = 0; i < count; ++i) {
    if (i) text += ',';
    text.append("\"p").append(std::to_string(i)).append("\":").append(value);
  }
  return text + "}}";
}

TEST(SchemaCheck, PassesWhatPeopleWrite) {
  for (
      const std::string schema :
      {R"({"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false})",
       R"({"anyOf":[{"type":"string"},{"type":["integer","null"]}]})",
       R"({"$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"}}}},"$ref":"#/$defs/node"})",
       R"({"type":"object","properties":{"pattern":{"type":"string"},"$ref":{"type":"string"},"type":{}}})",
       R"({"enum":[{"$ref":"http://x/"},1]})"})
    EXPECT_TRUE(check(schema)) << schema;
  EXPECT_TRUE(check(with_properties(100, R"({"type":"string"})")));
}

TEST(SchemaCheck, ReadsEmptyAndTrueAsAnyValue) {
  EXPECT_EQ(*check("{}"), *check("true"));
  EXPECT_NE(check("{}")->find("\"null\""), std::string::npos);
}

TEST(SchemaCheck, GivesOneMemberOfEachName) {
  EXPECT_EQ(*check(R"({"type":"object","type":"string"})"), R"({"type":"string"})");
}

TEST(SchemaCheck, RefusesWhatIsNoSchema) {
  for (const std::string schema :
       {"", "{", "[]", "false", "1", "\"x\"", "{\"a\":\xFF}", R"({"type":["string","string"]})",
        R"({"type":["string",1]})", R"({"$ref":1})", R"({"$ref":"http://example.com/s.json"})",
        R"({"$ref":"file:///etc/passwd"})", R"({"$ref":"#"})", R"({"$ref":"#/$defs/none"})",
        R"({"$ref":"#/a/b/c"})", R"({"$defs":{"a":{"$ref":"#/$defs/a"}},"allOf":[{"$ref":"#/$defs/a"}]})",
        R"({"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"})"}) {
    const auto checked = check(schema);
    ASSERT_FALSE(checked) << schema;
    EXPECT_EQ(checked.error().code, ErrorCode::kBadInput) << schema;
  }
}

TEST(SchemaCheck, RefusesNumbersThatAreNone) {
  for (const std::string number : {"-0e310", "1e999"}) {
    const auto checked = check(R"({"tenum/m":["x",1],"minLength":3,"minimum":)" + number + "}");
    ASSERT_FALSE(checked) << *checked;
    EXPECT_EQ(checked.error().code, ErrorCode::kBadInput);
  }
}

TEST(SchemaCheck, RefusesWhatWouldTakeLong) {
  std::string references = R"({"$defs":{"x":{}},"anyOf":[{})";
  for (int i = 0; i < 100; ++i) references += ",{\"$ref\":\"#/anyOf/" + std::to_string(i) + "\"}";
  std::string namesakes = R"({"type":"object","required":[],"properties":{"a":{})";
  for (int i = 1; i < 25; ++i)
    for (int j = 1; j < 25; ++j)
      namesakes += ",\"" + std::string(static_cast<std::size_t>(i), '.') +
                   std::string(static_cast<std::size_t>(j), '_') + "\":{}";
  const std::string name(300, 'x');
  const std::vector<std::string> schemas = {
      repeated("", R"({"type":"array","items":)", 100, "{}" + std::string(100, '}')),
      "{}" + std::string(70'000, ' '),
      R"({"type":"array","minItems":1000000000})",
      R"({"type":"string","maxLength":99999999999999999999})",
      R"({"type":"integer","minimum":-1e300})",
      R"({"type":"integer","maximum":9223372036854775807})",
      R"({"type":"string","pattern":"^)" + std::string(2000, 'a') + "$\"}",
      with_properties(400, "{}"),
      R"({"type":"object","properties":{")" + name + "\":{}}}",
      R"({"type":"object","properties":{"a":{"$ref":"#/)" + name + "\"}}}",
      references + "]}",
      namesakes + "}}",
      repeated("{\"anyOf\":[", R"({"type":"string","pattern":"^a$"},)", 1500, "{}]}"),
  };
  for (const std::string& schema : schemas) {
    const auto checked = check(schema);
    ASSERT_FALSE(checked) << schema.substr(0, 80);
    EXPECT_EQ(checked.error().code, ErrorCode::kLimit) << schema.substr(0, 80) << checked.error().message;
  }
}

TEST(SchemaCheck, SchemasOfOneRequestShareWhatTheyMayTake) {
  double cost_left = SchemaBounds::kCost;
  const std::string schema = with_properties(100, "{}");
  ASSERT_TRUE(check_schema(schema, cost_left));
  int passed = 1;
  while (passed < 100 && check_schema(schema, cost_left)) ++passed;
  EXPECT_LT(passed, 10);
}

}  // namespace
}  // namespace braid::engine::grammar
