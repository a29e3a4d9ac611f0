#include "frazil/expressions/python_call.h"

#include <gtest/gtest.h>

namespace frazil {
namespace {

TEST(PythonCallTest, DecodeReadsWhatEncodeWrites) {
  PythonFunction function;
  function.name = "f";
  function.eval_type = 200;
  function.command = std::string("\x80\x05:12:\0x", 8);
  function.python_version = "3.11";
  function.argument_names = {"", "b"};
  const auto read = PythonFunction::Decode(function.Encode());
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->name, function.name);
  EXPECT_EQ(read->eval_type, function.eval_type);
  EXPECT_EQ(read->command, function.command);
  EXPECT_EQ(read->python_version, function.python_version);
  EXPECT_EQ(read->argument_names, function.argument_names);
}

TEST(PythonCallTest, DecodeRefusesWhatIsDamaged) {
  PythonFunction function;
  const std::string bytes = function.Encode();
  EXPECT_FALSE(PythonFunction::Decode("").ok());
  EXPECT_FALSE(PythonFunction::Decode(bytes.substr(0, bytes.size() - 1)).ok());
  EXPECT_FALSE(PythonFunction::Decode("99999999999999999999:").ok());
}

}  // namespace
}  // namespace frazil
