// What functions compute, from literals: the value as text.

#include <gtest/gtest.h>

#include "frazil/engine/engine.h"
#include "frazil/functions/function.h"

namespace frazil::engine {
namespace {

using functions::FunctionCall;

std::string Show(const DataType& type, const Value& value) {
  if (value.is_null()) return "NULL";
  if (type.id() == TypeId::kArray) {
    std::string text = "[";
    for (size_t i = 0; i < value.list().size(); ++i)
      text += (i > 0 ? "," : "") + Show(*type.element_type(), value.list()[i]);
    return text + "]";
  }
  if (type.id() == TypeId::kMap) {
    std::string text = "{";
    for (size_t i = 0; i + 1 < value.list().size(); i += 2) {
      text += (i > 0 ? "," : "") + Show(*type.key_type(), value.list()[i]) + ":" +
              Show(*type.value_type(), value.list()[i + 1]);
    }
    return text + "}";
  }
  if (type.id() == TypeId::kStruct) {
    std::string text = "(";
    for (size_t i = 0; i < type.fields().size(); ++i)
      text += (i > 0 ? "," : "") + Show(*type.fields()[i].type, value.list()[i]);
    return text + ")";
  }
  return ValueToString(type, value, "America/Los_Angeles");
}

ExpressionPtr I(int64_t value) { return MakeLiteral(DataType::Integer(), Value(value)); }
ExpressionPtr L(int64_t value) { return MakeLiteral(DataType::Long(), Value(value)); }
ExpressionPtr D(double value) { return MakeLiteral(DataType::Double(), Value(value)); }
ExpressionPtr T(const char* value) { return MakeLiteral(DataType::String(), Value(value)); }
ExpressionPtr B(bool value) { return MakeLiteral(DataType::Boolean(), Value(value)); }
ExpressionPtr Dec(int64_t unscaled, int precision, int scale) {
  return MakeLiteral(DataType::Decimal(precision, scale), Value(Decimal128{unscaled}));
}
ExpressionPtr Null() { return MakeNull(DataType::Null()); }

class FunctionValues : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    EngineOptions options;
    options.threads = 1;
    auto opened = Engine::Open(options);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    engine_ = std::move(*opened).release();
  }
  static void TearDownTestSuite() {
    delete engine_;
    engine_ = nullptr;
  }
  void SetUp() override { context_.settings.time_zone = "America/Los_Angeles"; }

  ExpressionPtr Call(const std::string& name, std::vector<ExpressionPtr> arguments) {
    FunctionCall call;
    call.name = name;
    call.arguments = std::move(arguments);
    call.settings = &context_.settings;
    const auto* function = functions::FindFunction(name);
    if (function == nullptr) {
      ADD_FAILURE() << "no function " << name;
      return Null();
    }
    auto bound = functions::BindFunction(*function, call);
    if (!bound.ok()) {
      ADD_FAILURE() << name << ": " << bound.error().message;
      return Null();
    }
    return *bound;
  }
  std::string Eval(const std::string& name, std::vector<ExpressionPtr> arguments) {
    const ExpressionPtr expression = Call(name, std::move(arguments));
    auto value = engine_->Evaluate(expression, context_);
    if (!value.ok())
      return "error " + (value.error().condition.empty()
                             ? value.error().message
                             : value.error().condition +
                                   (value.error().condition == "INTERNAL_ERROR" ? value.error().message : ""));
    return Show(*expression->type, *value);
  }
  ExpressionPtr Array(std::vector<ExpressionPtr> items) { return Call("array", std::move(items)); }

  static Engine* engine_;
  ExecutionContext context_;
};
Engine* FunctionValues::engine_ = nullptr;

TEST_F(FunctionValues, Numbers) {
  EXPECT_EQ(Eval("round", {Dec(25, 2, 1), I(0)}), "3");
  EXPECT_EQ(Eval("bround", {Dec(25, 2, 1), I(0)}), "2");
  EXPECT_EQ(Eval("bround", {I(25), I(-1)}), "20");
  EXPECT_EQ(Eval("round", {D(2.675), I(2)}), "2.68");
  EXPECT_EQ(Eval("round", {D(-1.5)}), "-2.0");
  EXPECT_EQ(Eval("round", {D(-0.0)}), "0.0");
  EXPECT_EQ(Eval("bround", {D(-0.0), I(2)}), "0.0");
  EXPECT_EQ(Eval("ceil", {Dec(-1, 1, 1)}), "0");
  EXPECT_EQ(Eval("floor", {Dec(-1, 1, 1)}), "-1");
  EXPECT_EQ(Eval("ceil", {Dec(31411, 5, 4), I(3)}), "3.142");
  EXPECT_EQ(Eval("ceil", {Dec(31411, 5, 4), I(-3)}), "1000");
  EXPECT_EQ(Eval("acos", {I(2)}), "NaN");
  EXPECT_EQ(Eval("ln", {I(0)}), "NULL");
  EXPECT_EQ(Eval("hex", {I(17)}), "11");
  EXPECT_EQ(Eval("hex", {T("Spark SQL")}), "537061726B2053514C");
  EXPECT_EQ(Eval("bin", {I(-13)}), "1111111111111111111111111111111111111111111111111111111111110011");
  EXPECT_EQ(Eval("conv", {T("100"), I(2), I(10)}), "4");
  EXPECT_EQ(Eval("conv", {I(-10), I(16), I(-10)}), "-16");
  EXPECT_EQ(Eval("factorial", {I(5)}), "120");
  EXPECT_EQ(Eval("pmod", {I(-10), I(3)}), "2");
  EXPECT_EQ(Eval("shiftrightunsigned", {I(4), I(1)}), "2");
  EXPECT_EQ(Eval("width_bucket", {D(5.3), D(0.2), D(10.6), I(5)}), "3");
  EXPECT_EQ(Eval("greatest", {I(10), I(9), Null()}), "10");
  EXPECT_EQ(Eval("/", {I(1), I(0)}), "error DIVIDE_BY_ZERO");
  EXPECT_EQ(Eval("try_divide", {I(1), I(0)}), "NULL");
  EXPECT_EQ(Eval("try_add", {I(2147483647), I(1)}), "NULL");
}

TEST_F(FunctionValues, Text) {
  EXPECT_EQ(Eval("substring", {T("Spark SQL"), I(-3)}), "SQL");
  EXPECT_EQ(Eval("substring", {T("Spark SQL"), I(0), I(2)}), "Sp");
  EXPECT_EQ(Eval("substring", {T("Spark"), I(-10), I(7)}), "Sp");
  EXPECT_EQ(Eval("lpad", {T("hi"), I(5), T("??")}), "???hi");
  EXPECT_EQ(Eval("rpad", {T("hi"), I(1), T("??")}), "h");
  EXPECT_EQ(Eval("initcap", {T("sPark sql")}), "Spark Sql");
  EXPECT_EQ(Eval("upper", {T("straße")}), "STRASSE");
  EXPECT_EQ(Eval("concat_ws", {T("/"), T("foo"), Null(), T("bar")}), "foo/bar");
  EXPECT_EQ(Eval("concat", {T("a"), Null()}), "NULL");
  EXPECT_EQ(Eval("split_part", {T("11.12.13"), T("."), I(3)}), "13");
  EXPECT_EQ(Eval("substring_index", {T("www.apache.org"), T("."), I(2)}), "www.apache");
  EXPECT_EQ(Eval("substring_index", {T("www.apache.org"), T("."), I(-2)}), "apache.org");
  EXPECT_EQ(Eval("translate", {T("AaBbCc"), T("abc"), T("123")}), "A1B2C3");
  EXPECT_EQ(Eval("soundex", {T("Miller")}), "M460");
  EXPECT_EQ(Eval("levenshtein", {T("kitten"), T("sitting"), I(2)}), "-1");
  EXPECT_EQ(Eval("luhn_check", {T("79927398713")}), "true");
  EXPECT_EQ(Eval("overlay", {T("Spark SQL"), T("ANSI "), I(7), I(0)}), "Spark ANSI SQL");
  EXPECT_EQ(Eval("mask", {T("AbCD123-@$#"), T("Q"), T("q")}), "QqQQnnn-@$#");
  EXPECT_EQ(Eval("base64", {T("Spark SQL")}), "U3BhcmsgU1FM");
  EXPECT_EQ(Eval("find_in_set", {T("ab"), T("abc,b,ab,c,def")}), "3");
  EXPECT_EQ(Eval("elt", {I(2), T("a"), I(1)}), "1");
  EXPECT_EQ(Eval("trim", {T("SL"), T("SSparkSQLS")}), "parkSQ");
  EXPECT_EQ(Eval("sentences", {T("Hi there! Good morning.")}), "[[Hi,there],[Good,morning]]");
}

TEST_F(FunctionValues, Patterns) {
  EXPECT_EQ(Eval("like", {T("Spark"), T("_park")}), "true");
  EXPECT_EQ(Eval("like", {T("a%b"), T("a\\%b")}), "true");
  EXPECT_EQ(Eval("like", {T("axb"), T("a\\%b")}), "false");
  EXPECT_EQ(Eval("ilike", {T("Spark"), T("_PARK")}), "true");
  EXPECT_EQ(Eval("rlike", {T("abc123"), T("^[a-z]+\\d{3}$")}), "true");
  EXPECT_EQ(Eval("regexp_extract", {T("100-200"), T("(\\d+)-(\\d+)"), I(2)}), "200");
  EXPECT_EQ(Eval("regexp_extract_all", {T("100-200, 300-400"), T("(\\d+)-(\\d+)"), I(1)}), "[100,300]");
  EXPECT_EQ(Eval("regexp_replace", {T("100-200"), T("(\\d+)"), T("<$1>")}), "<100>-<200>");
  EXPECT_EQ(Eval("regexp_count", {T("abcabc"), T("b")}), "2");
  EXPECT_EQ(Eval("split", {T("oneAtwoBthreeC"), T("[ABC]")}), "[one,two,three,]");
  EXPECT_EQ(Eval("split", {T("oneAtwoBthreeC"), T("[ABC]"), I(2)}), "[one,twoBthreeC]");
  EXPECT_EQ(Eval("split", {T("hello"), T("")}), "[h,e,l,l,o]");
  EXPECT_EQ(Eval("rlike", {T("a"), T("(")}), "error INVALID_PARAMETER_VALUE.PATTERN");
}

TEST_F(FunctionValues, Formats) {
  EXPECT_EQ(Eval("format_number", {D(12332.123456), I(4)}), "12,332.1235");
  EXPECT_EQ(Eval("format_number", {D(12332.123456), T("##################.###")}), "12332.123");
  EXPECT_EQ(Eval("format_string", {T("Hello World %d %s"), I(100), T("days")}), "Hello World 100 days");
  EXPECT_EQ(Eval("format_string", {T("%05d|%-5s|%.2f|%x|%,d"), I(42), T("ab"), D(2.345), I(255), L(1234567)}),
            "00042|ab   |2.35|ff|1,234,567");
  EXPECT_EQ(Eval("to_char", {I(12454), T("99G999")}), "12,454");
  EXPECT_EQ(Eval("to_char", {Dec(-124548, 6, 1), T("99G999D9S")}), "12,454.8-");
  EXPECT_EQ(Eval("to_char", {Dec(45400, 5, 2), T("000D00")}), "454.00");
  EXPECT_EQ(Eval("to_number", {T("12,454.8-"), T("99,999.9S")}), "-12454.8");
  EXPECT_EQ(Eval("to_number", {T("$78.12"), T("$99.99")}), "78.12");
}

TEST_F(FunctionValues, Datetimes) {
  EXPECT_EQ(Eval("date_add", {T("2016-07-30"), I(1)}), "2016-07-31");
  EXPECT_EQ(Eval("add_months", {T("2016-08-31"), I(1)}), "2016-09-30");
  EXPECT_EQ(Eval("months_between", {T("1997-02-28 10:30:00"), T("1996-10-30")}), "3.94959677");
  EXPECT_EQ(Eval("next_day", {T("2015-01-14"), T("TU")}), "2015-01-20");
  EXPECT_EQ(Eval("last_day", {T("2009-01-12")}), "2009-01-31");
  EXPECT_EQ(Eval("trunc", {T("2019-08-04"), T("week")}), "2019-07-29");
  EXPECT_EQ(Eval("date_trunc", {T("HOUR"), T("2015-03-05T09:32:05.359")}), "2015-03-05 09:00:00");
  EXPECT_EQ(Eval("date_format", {T("2016-04-08"), T("yyyy/MM/dd EEE a")}), "2016/04/08 Fri AM");
  EXPECT_EQ(Eval("to_date", {T("2016-12-31"), T("yyyy-MM-dd")}), "2016-12-31");
  EXPECT_EQ(Eval("to_timestamp", {T("26/08/2015 10:11:12.5"), T("dd/MM/yyyy HH:mm:ss.SSS")}), "2015-08-26 10:11:12.5");
  EXPECT_EQ(Eval("to_timestamp", {T("foo"), T("yyyy")}), "error CANNOT_PARSE_TIMESTAMP");
  EXPECT_EQ(Eval("try_to_timestamp", {T("foo"), T("yyyy")}), "NULL");
  EXPECT_EQ(Eval("to_timestamp", {T("294248"), T("y")}), "error long overflow");
  EXPECT_EQ(Eval("try_to_timestamp", {T("294248"), T("y")}), "error long overflow");
  EXPECT_EQ(Eval("to_timestamp", {T("1"), T("q")}), "error INVALID_DATETIME_PATTERN.ILLEGAL_CHARACTER");
  EXPECT_EQ(Eval("to_timestamp", {T("20240131"), T("yyyyMMdd")}), "2024-01-31 00:00:00");
  EXPECT_EQ(Eval("from_unixtime", {I(0)}), "1969-12-31 16:00:00");
  EXPECT_EQ(Eval("unix_timestamp", {T("2016-04-08"), T("yyyy-MM-dd")}), "1460098800");
  EXPECT_EQ(Eval("from_utc_timestamp", {T("2016-08-31"), T("Asia/Seoul")}), "2016-08-31 09:00:00");
  EXPECT_EQ(Eval("hour", {T("2018-02-14 12:58:59")}), "12");
  EXPECT_EQ(Eval("extract", {T("SECONDS"), T("2019-10-01 00:00:01.000001")}), "1.000001");
  EXPECT_EQ(Eval("make_date", {I(2019), I(2), I(30)}), "error DATETIME_FIELD_OUT_OF_BOUNDS.WITH_SUGGESTION");
  EXPECT_EQ(Eval("make_timestamp", {I(2014), I(12), I(28), I(6), I(30), Dec(45887, 5, 3), T("CET")}),
            "2014-12-27 21:30:45.887");
  EXPECT_EQ(Eval("timestamp_seconds", {Dec(1230219000123, 13, 3)}), "2008-12-25 07:30:00.123");
  EXPECT_EQ(Eval("dayofweek", {T("2009-07-30")}), "5");
  EXPECT_EQ(Eval("dayname", {T("2008-02-20")}), "Wed");
  EXPECT_EQ(Eval("timestampdiff", {T("MONTH"), T("2021-02-28 12:00:00"), T("2021-03-28 11:59:59")}), "0");
}

TEST_F(FunctionValues, Arrays) {
  EXPECT_EQ(Eval("array_contains", {Array({I(1), Null()}), I(2)}), "NULL");
  EXPECT_EQ(Eval("array_distinct", {Array({I(1), I(2), I(3), Null(), I(3)})}), "[1,2,3,NULL]");
  EXPECT_EQ(Eval("array_union", {Array({I(1), I(2), I(3)}), Array({I(1), I(3), I(5)})}), "[1,2,3,5]");
  EXPECT_EQ(Eval("array_except", {Array({I(1), I(2), I(3)}), Array({I(1), I(3), I(5)})}), "[2]");
  EXPECT_EQ(Eval("array_insert", {Array({I(5), I(3), I(2), I(1)}), I(-4), I(4)}), "[5,4,3,2,1]");
  EXPECT_EQ(Eval("array_insert", {Array({I(1)}), I(4), I(9)}), "[1,NULL,NULL,9]");
  EXPECT_EQ(Eval("array_position", {Array({I(312), I(773), I(708), I(708)}), I(708)}), "3");
  EXPECT_EQ(Eval("array_remove", {Array({I(1), I(2), I(3), Null(), I(3)}), I(3)}), "[1,2,NULL]");
  EXPECT_EQ(Eval("arrays_overlap", {Array({I(1)}), Array({I(2), Null()})}), "NULL");
  EXPECT_EQ(Eval("arrays_zip", {Array({I(1), I(2)}), Array({I(3)})}), "[(1,3),(2,NULL)]");
  EXPECT_EQ(Eval("sort_array", {Array({T("b"), T("d"), Null(), T("a")}), B(false)}), "[d,b,a,NULL]");
  EXPECT_EQ(Eval("array_sort", {Array({T("b"), T("d"), Null(), T("a")})}), "[a,b,d,NULL]");
  EXPECT_EQ(Eval("array_max", {Array({I(1), I(20), Null()})}), "20");
  EXPECT_EQ(Eval("slice", {Array({I(1), I(2), I(3), I(4)}), I(-2), I(2)}), "[3,4]");
  EXPECT_EQ(Eval("flatten", {Array({Array({I(1), I(2)}), Array({I(3)})})}), "[1,2,3]");
  EXPECT_EQ(Eval("sequence", {I(5), I(1)}), "[5,4,3,2,1]");
  EXPECT_EQ(Eval("array_join", {Array({T("hello"), Null(), T("world")}), T(" "), T(",")}), "hello , world");
  EXPECT_EQ(Eval("array_repeat", {T("123"), I(2)}), "[123,123]");
  EXPECT_EQ(Eval("size", {Array({I(1), I(2)})}), "2");
  EXPECT_EQ(Eval("get", {Array({I(1), I(2)}), I(2)}), "NULL");
  EXPECT_EQ(Eval("element_at", {Array({I(1), I(2)}), I(-1)}), "2");
  EXPECT_EQ(Eval("concat", {Array({I(1)}), Array({I(2)})}), "[1,2]");
}

TEST_F(FunctionValues, Maps) {
  EXPECT_EQ(Eval("map", {I(1), T("a"), I(2), T("b")}), "{1:a,2:b}");
  EXPECT_EQ(Eval("map", {I(1), T("a"), I(1), T("b")}), "error DUPLICATED_MAP_KEY");
  EXPECT_EQ(Eval("map_concat", {Call("map", {I(1), T("a")}), Call("map", {I(3), T("c")})}), "{1:a,3:c}");
  EXPECT_EQ(Eval("map_from_arrays", {Array({I(1), I(3)}), Array({T("2"), T("4")})}), "{1:2,3:4}");
  EXPECT_EQ(Eval("map_keys", {Call("map", {I(1), T("a"), I(2), T("b")})}), "[1,2]");
  EXPECT_EQ(Eval("map_contains_key", {Call("map", {I(1), T("a")}), I(1)}), "true");
  EXPECT_EQ(Eval("str_to_map", {T("a:1,b:2,c")}), "{a:1,b:2,c:NULL}");
  EXPECT_EQ(Eval("map_from_entries", {Array({Call("struct", {I(1), T("a")}), Call("struct", {I(2), T("b")})})}),
            "{1:a,2:b}");
}

TEST_F(FunctionValues, Hashes) {
  EXPECT_EQ(Eval("hash", {T("Spark"), Array({I(123)}), I(2)}), "-1321691492");
  EXPECT_EQ(Eval("xxhash64", {T("Spark"), Array({I(123)}), I(2)}), "5602566077635097486");
  EXPECT_EQ(Eval("md5", {T("Spark")}), "8cde774d6f7333752ed72cacddb05126");
  EXPECT_EQ(Eval("sha1", {T("Spark")}), "85f5955f4b27a9a4c2aab6ffe5d7189fc298b92c");
  EXPECT_EQ(Eval("sha2", {T("Spark"), I(256)}), "529bc3b07127ecb7e53a4dcf1991d9152c24537d919178022b2c42657f79a26b");
  EXPECT_EQ(Eval("sha2", {T("abc"), I(512)}).substr(0, 32), "ddaf35a193617abacc417349ae204131");
  EXPECT_EQ(Eval("crc32", {T("Spark")}), "1557323817");
}

TEST_F(FunctionValues, JsonAndCsv) {
  EXPECT_EQ(Eval("get_json_object", {T("[{\"a\":\"b\"},{\"a\":\"c\"}]"), T("$[*].a")}), "[\"b\",\"c\"]");
  EXPECT_EQ(Eval("get_json_object", {T("{\"a\":\"b\"}"), T("$.a")}), "b");
  EXPECT_EQ(Eval("get_json_object", {T("{\"a\":\"b\"}"), T("$.*")}), "NULL");
  EXPECT_EQ(Eval("get_json_object", {T("{\"a\":[1]}"), T("$.*[*]")}), "NULL");
  EXPECT_EQ(Eval("from_json", {T("{\"a\":1, \"b\":0.8}"), T("a INT, b DOUBLE")}), "(1,0.8)");
  EXPECT_EQ(Eval("from_json", {T("{\"a\":\"x\"}"), T("a INT")}), "(NULL)");
  EXPECT_EQ(Eval("from_json", {T("{bad"), T("a INT")}), "(NULL)");
  EXPECT_EQ(Eval("to_json", {Call("named_struct", {T("a"), I(1), T("b"), Null()})}), "{\"a\":1}");
  EXPECT_EQ(
      Eval("to_json", {Call("map", {Call("named_struct", {T("a"), I(1)}), Call("named_struct", {T("b"), I(2)})})}),
      "{\"[1]\":{\"b\":2}}");
  EXPECT_EQ(Eval("from_csv", {T("1, 0.8"), T("a INT, b DOUBLE")}), "(1,0.8)");
  EXPECT_EQ(Eval("to_csv", {Call("named_struct", {T("a"), I(1), T("b"), I(2)})}), "1,2");
  EXPECT_EQ(Eval("json_array_length", {T("[1,2")}), "NULL");
}

TEST_F(FunctionValues, Others) {
  EXPECT_EQ(Eval("rand", {I(0)}), "0.7604953758285915");
  EXPECT_EQ(Eval("randn", {I(0)}), "1.6034991609278433");
  EXPECT_EQ(Eval("raise_error", {T("no")}), "error USER_RAISED_EXCEPTION");
  EXPECT_EQ(Eval("parse_url", {T("http://spark.apache.org/path?query=1"), T("QUERY"), T("query")}), "1");
  EXPECT_EQ(Eval("url_encode", {T("https://spark.apache.org")}), "https%3A%2F%2Fspark.apache.org");
  EXPECT_EQ(Eval("bitmap_bit_position", {I(123)}), "122");
}

}  // namespace
}  // namespace frazil::engine
