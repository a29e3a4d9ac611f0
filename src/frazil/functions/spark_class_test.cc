#include "frazil/functions/spark_class.h"

#include <gtest/gtest.h>

namespace frazil::functions {
namespace {

TEST(SparkClass, IsFoundByName) {
  EXPECT_EQ(SparkClassOf("upper"), "org.apache.spark.sql.catalyst.expressions.Upper");
  EXPECT_EQ(SparkClassOf("sum"), "org.apache.spark.sql.catalyst.expressions.aggregate.Sum");
  EXPECT_EQ(SparkClassOf("range"), "org.apache.spark.sql.catalyst.plans.logical.Range");
  EXPECT_EQ(SparkClassOf("!"), "org.apache.spark.sql.catalyst.expressions.Not");
  EXPECT_EQ(SparkClassOf("~"), "org.apache.spark.sql.catalyst.expressions.BitwiseNot");
  EXPECT_EQ(SparkClassOf("zeroifnull"), "org.apache.spark.sql.catalyst.expressions.ZeroIfNull");
  EXPECT_EQ(SparkClassOf("case"), "");
  EXPECT_EQ(SparkClassOf("no such"), "");
}

}  // namespace
}  // namespace frazil::functions
