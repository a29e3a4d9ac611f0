#pragma once

#include <cstdlib>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include "frazil/base/error.h"

namespace frazil {

/// Success, or an `Error`.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::make_unique<Error>(std::move(error))) {}  // NOLINT: implicit by design
  Status(Status&&) = default;
  Status& operator=(Status&&) = default;
  Status(const Status& other) : error_(other.error_ ? std::make_unique<Error>(*other.error_) : nullptr) {}
  Status& operator=(const Status& other) {
    error_ = other.error_ ? std::make_unique<Error>(*other.error_) : nullptr;
    return *this;
  }

  static Status Ok() { return {}; }
  bool ok() const { return error_ == nullptr; }
  explicit operator bool() const { return ok(); }
  /// Precondition: !ok().
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  std::unique_ptr<Error> error_;
};

/// A value, or an `Error`.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by design
  Result(Error error)                                                    // NOLINT
      : state_(std::in_place_index<1>, std::make_unique<Error>(std::move(error))) {}
  Result(Status status)  // NOLINT: `return status;` of a failed status
      : state_(std::in_place_index<1>, std::make_unique<Error>(std::move(status).error())) {}
  template <typename U, typename = std::enable_if_t<
                            std::is_convertible_v<U, T> && !std::is_same_v<std::decay_t<U>, T> &&
                            !std::is_same_v<std::decay_t<U>, Error> && !std::is_same_v<std::decay_t<U>, Status> &&
                            !std::is_same_v<std::decay_t<U>, Result>>>
  Result(U&& value) : state_(std::in_place_index<0>, T(std::forward<U>(value))) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// Precondition: ok().
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }

  /// Precondition: !ok().
  const Error& error() const& { return *std::get<1>(state_); }
  Error&& error() && { return std::move(*std::get<1>(state_)); }
  Status status() const { return ok() ? Status::Ok() : Status(error()); }

 private:
  std::variant<T, std::unique_ptr<Error>> state_;
};

}  // namespace frazil

#define FRAZIL_CONCAT_INNER(a, b) a##b
#define FRAZIL_CONCAT(a, b) FRAZIL_CONCAT_INNER(a, b)

/// Leaves the function with the error of `expression`, a Status or a Result whose value is not wanted.
#define FRAZIL_RETURN_IF_ERROR(expression)                            \
  do {                                                                \
    auto frazil_status = (expression);                                \
    if (!frazil_status.ok()) return std::move(frazil_status).error(); \
  } while (false)

#define FRAZIL_ASSIGN_OR_RETURN_INNER(result, declaration, expression) \
  auto result = (expression);                                          \
  if (!result.ok()) return std::move(result).error();                  \
  declaration = *std::move(result)

/// FRAZIL_ASSIGN_OR_RETURN(auto value, Function()); assigns the value or leaves the function with the error.
#define FRAZIL_ASSIGN_OR_RETURN(declaration, expression) \
  FRAZIL_ASSIGN_OR_RETURN_INNER(FRAZIL_CONCAT(frazil_result_, __LINE__), declaration, expression)
