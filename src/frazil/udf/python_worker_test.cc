#include "frazil/udf/python_worker.h"

#include <gtest/gtest.h>

namespace frazil::udf {
namespace {

std::function<void()> NoWatch(std::function<void()>) {
  return [] {};
}

// A description whose function is for another Python.
std::string FunctionOfAnotherPython() {
  const std::string header = R"({"eval_type":100,"python":"1.0"})";
  std::string description(3, '\0');
  description += static_cast<char>(header.size());
  return description + header;
}

TEST(PythonWorkerTest, NamesAProgramThatIsNotThere) {
  const auto answer = CallPython({"no-such-program", "user"}, "function", "rows", NoWatch);
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(answer.error().message.find("cannot run 'no-such-program'"), std::string::npos);
}

TEST(PythonWorkerTest, AProcessThatEndsIsAnError) {
  for (int i = 0; i < 2; ++i) {
    const auto answer = CallPython({"false", "user"}, "function", "rows", NoWatch);
    ASSERT_FALSE(answer.ok());
    EXPECT_NE(answer.error().message.find("Python worker exited unexpectedly (crashed): exit status 1"),
              std::string::npos);
  }
}

TEST(PythonWorkerTest, AnExceptionIsItsTraceback) {
  for (int i = 0; i < 2; ++i) {  // The second time by the process of the first, with the function that it knows.
    const auto answer = CallPython({"python3", "user"}, FunctionOfAnotherPython(), "rows", NoWatch);
    ASSERT_FALSE(answer.ok());
    EXPECT_TRUE(answer.error().message.starts_with("Traceback (most recent call last):")) << answer.error().message;
    EXPECT_NE(answer.error().message.find("PYTHON_VERSION_MISMATCH"), std::string::npos);
  }
}

TEST(PythonWorkerTest, AWatchEndsTheCall) {
  const auto at_once = [](std::function<void()> stop) -> std::function<void()> {
    stop();
    return [] {};
  };
  const auto answer = CallPython({"python3", "another user"}, FunctionOfAnotherPython(), "rows", at_once);
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(answer.error().message.find("Python worker exited unexpectedly"), std::string::npos);
}

}  // namespace
}  // namespace frazil::udf
