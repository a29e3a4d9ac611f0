#include "frazil/types/decimal.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "frazil/types/wide_integer_internal.h"

namespace frazil {
namespace {

int128 Parse(std::string_view text) {
  const auto parsed = ParseDecimal(text);
  return parsed ? parsed->unscaled : -1;
}

TEST(DecimalTest, Text) {
  EXPECT_EQ(DecimalToString(0, 0), "0");
  EXPECT_EQ(DecimalToString(0, 2), "0.00");
  EXPECT_EQ(DecimalToString(-5, 2), "-0.05");
  EXPECT_EQ(DecimalToString(12345, 2), "123.45");
  EXPECT_EQ(DecimalToString(12, -3), "12000");
  EXPECT_EQ(DecimalToString(PowerOfTen(38) - 1, 38), "0." + std::string(38, '9'));
  EXPECT_EQ(Int128ToString(-PowerOfTen(38) + 1), "-" + std::string(38, '9'));
}

TEST(DecimalTest, JavaText) {
  EXPECT_EQ(DecimalToJavaString(1, 6), "0.000001");
  EXPECT_EQ(DecimalToJavaString(1, 7), "1E-7");
  EXPECT_EQ(DecimalToJavaString(123, 10), "1.23E-8");
  EXPECT_EQ(DecimalToJavaString(-123, 10), "-1.23E-8");
  EXPECT_EQ(DecimalToJavaString(0, 7), "0E-7");
  EXPECT_EQ(DecimalToJavaString(0, 6), "0.000000");
  EXPECT_EQ(DecimalToJavaString(12, -2), "1.2E+3");
  EXPECT_EQ(DecimalToJavaString(150, 2), "1.50");
}

TEST(DecimalTest, Parse) {
  const auto shape = [](std::string_view text) { return ParseDecimal(text)->shape; };
  EXPECT_EQ(Parse("1.50"), 150);
  EXPECT_EQ(shape("1.50"), (DecimalShape{3, 2}));
  EXPECT_EQ(Parse("-.5"), -5);
  EXPECT_EQ(shape(".5"), (DecimalShape{1, 1}));
  EXPECT_EQ(shape("0.05"), (DecimalShape{2, 2}));
  EXPECT_EQ(shape("007"), (DecimalShape{1, 0}));
  EXPECT_EQ(Parse("1e3"), 1000);
  EXPECT_EQ(shape("1e3"), (DecimalShape{4, 0}));
  EXPECT_EQ(Parse("1.25E-3"), 125);
  EXPECT_EQ(shape("1.25E-3"), (DecimalShape{5, 5}));
  EXPECT_EQ(shape("0.00"), (DecimalShape{2, 2}));
  EXPECT_EQ(shape("0"), (DecimalShape{1, 0}));
  EXPECT_EQ(Parse("1.5e1"), 15);
  for (const std::string_view bad : {"", ".", "-", "1e", "e1", "1.2.3", " 1", "1 ", "1e1.5", "abc", "1e--2", "0x1"}) {
    EXPECT_FALSE(ParseDecimal(bad).has_value()) << bad;
  }
  EXPECT_FALSE(ParseDecimal(std::string(39, '9')).has_value());
  EXPECT_FALSE(ParseDecimal("1e38").has_value());
  EXPECT_TRUE(ParseDecimal("1e37").has_value());
  EXPECT_FALSE(ParseDecimal("1e-39").has_value());
}

TEST(DecimalTest, CastFromString) {
  using enum DecimalCast::Outcome;
  const auto cast = [](std::string_view text, int precision, int scale) {
    return CastStringToDecimal(text, {precision, scale});
  };
  EXPECT_EQ(cast(" 1.005 ", 5, 2).unscaled, 101);
  EXPECT_EQ(cast("-1.005", 5, 2).unscaled, -101);
  EXPECT_EQ(cast("0.4", 5, 0).unscaled, 0);
  EXPECT_EQ(cast("0.5", 5, 0).unscaled, 1);
  EXPECT_EQ(cast("0.04", 5, 0).unscaled, 0);
  EXPECT_EQ(cast("1e-400", 5, 2).outcome, kValue);
  EXPECT_EQ(cast("1e400", 5, 2).outcome, kOutOfRange);
  EXPECT_EQ(cast("999.995", 5, 2).outcome, kOverflow);
  EXPECT_EQ(cast("999.994", 5, 2).unscaled, 99999);
  EXPECT_EQ(cast("1" + std::string(38, '0'), 38, 0).outcome, kOutOfRange);
  EXPECT_EQ(cast("1" + std::string(36, '0'), 38, 2).outcome, kOverflow);
  EXPECT_EQ(cast(std::string(60, '0') + "1." + std::string(60, '9'), 5, 2).unscaled, 200);
  EXPECT_EQ(cast("1x", 5, 2).outcome, kMalformed);
  EXPECT_EQ(cast("", 5, 2).outcome, kMalformed);
  EXPECT_EQ(cast("NaN", 5, 2).outcome, kMalformed);
}

TEST(DecimalTest, Rescale) {
  EXPECT_EQ(Rescale(15, 1, 0), 2);
  EXPECT_EQ(Rescale(-15, 1, 0), -2);
  EXPECT_EQ(Rescale(25, 1, 0, DecimalRounding::kHalfEven), 2);
  EXPECT_EQ(Rescale(35, 1, 0, DecimalRounding::kHalfEven), 4);
  EXPECT_EQ(Rescale(251, 2, 0, DecimalRounding::kHalfEven), 3);
  EXPECT_EQ(Rescale(-29, 1, 0, DecimalRounding::kDown), -2);
  EXPECT_EQ(Rescale(-21, 1, 0, DecimalRounding::kUp), -3);
  EXPECT_EQ(Rescale(-21, 1, 0, DecimalRounding::kFloor), -3);
  EXPECT_EQ(Rescale(-29, 1, 0, DecimalRounding::kCeiling), -2);
  EXPECT_EQ(Rescale(21, 1, 0, DecimalRounding::kCeiling), 3);
  EXPECT_EQ(Rescale(7, 0, 3), 7000);
  EXPECT_EQ(Rescale(7, 0, 38), std::nullopt);
  EXPECT_EQ(Rescale(0, 0, 38), 0);
  EXPECT_EQ(RescaleTo(9995, 3, {3, 2}), std::nullopt);
  EXPECT_EQ(RescaleTo(9994, 3, {3, 2}), 999);
  EXPECT_EQ(RescaleTo(-9995, 3, {4, 2}), -1000);
}

TEST(DecimalTest, ArithmeticBeyond128Bits) {
  const int128 largest = PowerOfTen(38) - 1;
  EXPECT_EQ(MultiplyDecimals(largest, 38, largest, 38, {38, 38}), largest - 1);  // 0.99..98 rounds down
  EXPECT_EQ(MultiplyDecimals(largest, 0, 10, 0, {38, 0}), std::nullopt);
  EXPECT_EQ(MultiplyDecimals(largest, 0, 1, 1, {38, 0}), PowerOfTen(37));
  EXPECT_EQ(MultiplyDecimals(-largest, 0, 1, 0, {38, 0}), -largest);
  EXPECT_EQ(AddDecimals(largest, 38, largest, 0, {38, 0}), std::nullopt);
  EXPECT_EQ(AddDecimals(largest, 0, -largest, 0, {38, 0}), 0);
  EXPECT_EQ(AddDecimals(1, 38, largest - 1, 0, {38, 0}), largest - 1);
  EXPECT_EQ(SubtractDecimals(largest - 1, 0, largest, 38, {38, 0}), largest - 2);
  EXPECT_EQ(DivideDecimals(largest, 38, largest, 38, {38, 37}), PowerOfTen(37));
  EXPECT_EQ(DivideDecimals(1, 38, largest, 0, {38, 38}), 0);
  EXPECT_EQ(DivideDecimals(largest, 0, 1, 38, {38, 0}), std::nullopt);
  EXPECT_EQ(DivideDecimals(largest, 0, 3, 0, {38, 6}), std::nullopt);
  EXPECT_EQ(DivideDecimals(2, 0, 3, 0, {38, 6}), 666667);
  EXPECT_EQ(DivideDecimals(-2, 0, 3, 0, {38, 6}), -666667);
  EXPECT_EQ(DivideDecimals(0, 0, 3, 0, {38, 6}), 0);
  EXPECT_EQ(IntegralDivideDecimals(-75, 1, 2, 0, {38, 0}), -3);
  EXPECT_EQ(RemainderDecimals(-75, 1, 2, 0, {38, 1}), -15);
  EXPECT_EQ(RemainderDecimals(75, 1, -20, 1, {38, 1}), 15);
}

TEST(DecimalTest, Compare) {
  EXPECT_EQ(CompareDecimals(10, 1, 1, 0), 0);
  EXPECT_LT(CompareDecimals(-1, 0, 1, 38), 0);
  EXPECT_GT(CompareDecimals(PowerOfTen(38) - 1, 0, PowerOfTen(38) - 1, 38), 0);
  EXPECT_LT(CompareDecimals(-PowerOfTen(37), 0, -1, 38), 0);
}

TEST(DecimalTest, RandomAgainst128Bits) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const auto a = static_cast<int64_t>(random()) >> (random() % 60);
    auto b = static_cast<int64_t>(random()) >> (random() % 60);
    if (b == 0) b = 1;
    const int128 product = static_cast<int128>(a) * b;
    if (FitsPrecision(product, 38)) {
      EXPECT_EQ(MultiplyDecimals(a, 0, b, 0, {38, 0}), product);
    }
    EXPECT_EQ(AddDecimals(a, 0, b, 0, {38, 0}), static_cast<int128>(a) + b);
    EXPECT_EQ(SubtractDecimals(a, 0, b, 0, {38, 0}), static_cast<int128>(a) - b);
    EXPECT_EQ(IntegralDivideDecimals(a, 0, b, 0, {38, 0}), static_cast<int128>(a) / b);
    EXPECT_EQ(RemainderDecimals(a, 0, b, 0, {38, 0}), static_cast<int128>(a) % b);
  }
}

TEST(WideIntegerTest, DivisionTimesDivisorGivesTheDividend) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 3000; ++i) {
    const auto wide = [&](int words) {
      UInt256 value;
      for (int j = 0; j < words; ++j) value.words[static_cast<size_t>(j)] = random();
      return value;
    };
    const UInt256 dividend = wide(1 + i % 4);
    UInt256 divisor = wide(1 + (i / 4) % 2);
    if (divisor.IsZero()) continue;
    UInt256 remainder;
    const UInt256 quotient = dividend.Divide(divisor, &remainder);
    EXPECT_LT(remainder.Compare(divisor), 0);
    // quotient * divisor + remainder, the product built by shifting
    UInt256 sum;
    for (int bit = quotient.BitLength() - 1; bit >= 0; --bit) {
      sum.ShiftLeft1();
      if (quotient.Bit(bit)) sum.Add(divisor);
    }
    sum.Add(remainder);
    EXPECT_EQ(sum.Compare(dividend), 0);
  }
}

TEST(DecimalTest, Doubles) {
  EXPECT_EQ(DecimalToDouble(1, 1), 0.1);
  EXPECT_EQ(DecimalToDouble(-12345, 2), -123.45);
  EXPECT_EQ(DoubleToDecimal(0.1, {10, 2}), 10);
  EXPECT_EQ(DoubleToDecimal(1.005, {10, 2}), 101);  // by its text, not by its binary value
  EXPECT_EQ(DoubleToDecimal(1e20, {10, 2}), std::nullopt);
  EXPECT_EQ(DoubleToDecimal(std::nan(""), {10, 2}), std::nullopt);
  EXPECT_EQ(DoubleToDecimal(std::numeric_limits<double>::infinity(), {10, 2}), std::nullopt);
}

TEST(DecimalShapeTest, ResultTypes) {
  using enum DecimalOperation;
  EXPECT_EQ(DecimalResult(kAdd, {10, 2}, {5, 3}), (DecimalShape{12, 3}));
  EXPECT_EQ(DecimalResult(kAdd, {38, 18}, {38, 18}), (DecimalShape{38, 17}));
  EXPECT_EQ(DecimalResult(kAdd, {38, 18}, {38, 18}, false), (DecimalShape{38, 18}));
  EXPECT_EQ(DecimalResult(kMultiply, {10, 2}, {10, 2}), (DecimalShape{21, 4}));
  EXPECT_EQ(DecimalResult(kMultiply, {38, 18}, {38, 18}), (DecimalShape{38, 6}));
  EXPECT_EQ(DecimalResult(kMultiply, {38, 18}, {10, 0}), (DecimalShape{38, 7}));
  EXPECT_EQ(DecimalResult(kDivide, {10, 2}, {10, 2}), (DecimalShape{23, 13}));
  EXPECT_EQ(DecimalResult(kDivide, {38, 18}, {38, 18}), (DecimalShape{38, 6}));
  EXPECT_EQ(DecimalResult(kDivide, {38, 18}, {38, 18}, false), (DecimalShape{38, 18}));
  EXPECT_EQ(DecimalResult(kIntegralDivide, {10, 2}, {10, 2}), (DecimalShape{10, 0}));
  EXPECT_EQ(DecimalResult(kIntegralDivide, {2, 2}, {1, 0}), (DecimalShape{1, 0}));
  EXPECT_EQ(DecimalResult(kRemainder, {10, 2}, {5, 3}), (DecimalShape{5, 3}));
}

TEST(DecimalShapeTest, Widening) {
  EXPECT_EQ(WiderDecimal({10, 2}, {5, 4}), (DecimalShape{12, 4}));
  EXPECT_EQ(WiderDecimal({38, 0}, {38, 38}), (DecimalShape{38, 0}));
  EXPECT_EQ(WiderDecimal({38, 0}, {38, 38}, true), (DecimalShape{38, 38}));
  EXPECT_EQ(WiderDecimal({38, 10}, {38, 20}), (DecimalShape{38, 10}));
  EXPECT_TRUE(IsWiderThan({20, 0}, *DataType::Long()));
  EXPECT_FALSE(IsWiderThan({20, 1}, *DataType::Long()));
  EXPECT_TRUE(IsWiderThan({5, 2}, *DataType::Byte()));
  EXPECT_TRUE(IsTighterThan({9, 0}, *DataType::Integer()));
  EXPECT_FALSE(IsTighterThan({10, 0}, *DataType::Integer()));
  EXPECT_EQ(DecimalForInteger(-100), (DecimalShape{3, 0}));
}

}  // namespace
}  // namespace frazil
