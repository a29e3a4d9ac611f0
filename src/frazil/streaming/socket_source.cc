// The source socket: lines of text from a port, for trials. What a run has read is gone with it.
// Source: TextSocketMicroBatchStream of Spark.

#include <cerrno>
#include <cstring>
#include <deque>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "frazil/base/clock.h"
#include "frazil/base/integer_text.h"
#include "frazil/base/text.h"
#include "frazil/streaming/source_kinds.h"

namespace frazil::streaming {
namespace {

constexpr int kPollMillis = 50;
constexpr int64_t kConnectMillis = 30000;
constexpr size_t kReadBytes = 65536;

Error SocketError(int code) { return Error::Plain(ExceptionClass::kSpark, std::strerror(code)); }

/// The text with U+FFFD in the place of bytes that are no UTF-8.
std::string AsUtf8(std::string text) {
  if (IsValidUtf8(text)) return text;
  constexpr size_t kLongest = 4;
  std::string valid;
  for (size_t at = 0; at < text.size();) {
    size_t length = 1;
    while (length <= kLongest && !IsValidUtf8(std::string_view(text).substr(at, length))) ++length;
    if (length <= kLongest) {
      valid += text.substr(at, length);
      at += length;
    } else {
      valid += "\xEF\xBF\xBD";
      ++at;
    }
  }
  return valid;
}

bool WithTimestamp(const SourceDescription& about) {
  const auto found = about.options.find("includetimestamp");
  return found != about.options.end() && EqualsIgnoreCase(found->second, "true");
}

class SocketSource : public Source {
 public:
  SocketSource(std::string host, std::string port, bool with_timestamp)
      : host_(std::move(host)), port_(std::move(port)), with_timestamp_(with_timestamp) {}
  ~SocketSource() override {
    if (socket_ >= 0) close(socket_);
  }
  SocketSource(const SocketSource&) = delete;
  SocketSource& operator=(const SocketSource&) = delete;

  std::string description() const override { return "TextSocketV2[host: " + host_ + ", port: " + port_ + "]"; }
  Result<std::optional<Offset>> InitialOffset(commands::CommandContext&) override {
    return std::optional<Offset>("-1");
  }
  Result<std::optional<Offset>> NextOffset(const std::optional<Offset>& start, bool,
                                           commands::CommandContext& context) override {
    if (socket_ < 0 && !ended_) {
      FRAZIL_ASSIGN_OR_RETURN(const int64_t last, NumberOf(start.value_or("-1")));
      first_ = last + 1;
      FRAZIL_RETURN_IF_ERROR(Connect(context));
    }
    if (!stopped_) FRAZIL_RETURN_IF_ERROR(ReadLines());
    newest_ = std::to_string(first_ + static_cast<int64_t>(lines_.size()) - 1);
    return newest_;
  }
  Result<SourceRows> Rows(const std::optional<Offset>& start, const Offset& end, commands::CommandContext&) override {
    FRAZIL_ASSIGN_OR_RETURN(const int64_t before, NumberOf(start.value_or("-1")));
    FRAZIL_ASSIGN_OR_RETURN(const int64_t last, NumberOf(end));
    const int64_t present = first_ + static_cast<int64_t>(lines_.size());
    if (before + 1 < first_ || last >= present) {
      return Error::Plain(ExceptionClass::kSpark, "The lines up to " + end +
                                                      " of the source socket were read by an earlier run of the query "
                                                      "and cannot be read again.");
    }
    auto table = std::make_shared<plan::InlineTablePlan>();
    for (int64_t i = before + 1; i <= last; ++i) {
      const auto& line = lines_[static_cast<size_t>(i - first_)];
      auto& row = table->rows.emplace_back();
      row.push_back(plan::MakeLiteralExpr(DataType::String(), Value(line.text)));
      if (with_timestamp_) row.push_back(plan::MakeLiteralExpr(DataType::Timestamp(), Value(line.micros)));
    }
    auto project = std::make_shared<plan::ProjectPlan>();
    project->child = std::move(table);
    project->expressions.push_back(plan::MakeAliasExpr(plan::MakeAttributeExpr({"col1"}), "value"));
    if (with_timestamp_)
      project->expressions.push_back(plan::MakeAliasExpr(plan::MakeAttributeExpr({"col2"}), "timestamp"));
    SourceRows rows;
    rows.stream.rows = std::move(project);
    rows.count = last - before;
    return rows;
  }
  Status StopAtPresent(commands::CommandContext& context) override {
    FRAZIL_RETURN_IF_ERROR(NextOffset(std::nullopt, true, context).status());
    stopped_ = true;
    return {};
  }
  std::optional<Offset> newest() const override { return newest_; }
  Status Committed(const Offset& end, commands::CommandContext&) override {
    FRAZIL_ASSIGN_OR_RETURN(const int64_t last, NumberOf(end));
    for (; first_ <= last && !lines_.empty(); ++first_) lines_.pop_front();
    return {};
  }

 private:
  struct Line {
    std::string text;
    int64_t micros = 0;
  };

  static Result<int64_t> NumberOf(const Offset& offset) {
    const auto number = ParseInteger<int64_t>(offset);
    if (!number)
      return Error::Plain(ExceptionClass::kSpark, "The offset '" + offset + "' is none of the source socket");
    return *number;
  }

  Status Connect(commands::CommandContext& context) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (const int failure = getaddrinfo(host_.c_str(), port_.c_str(), &hints, &found); failure != 0)
      return Error::Plain(ExceptionClass::kSpark, host_ + ": " + gai_strerror(failure));
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, freeaddrinfo);
    int code = ECONNREFUSED;
    for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
      const int opened =
          socket(address->ai_family, address->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, address->ai_protocol);
      if (opened < 0) {
        code = errno;
        continue;
      }
      code = connect(opened, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
      if (code == EINPROGRESS) code = AwaitConnected(opened, context);
      if (code == 0) {
        socket_ = opened;
        return {};
      }
      close(opened);
    }
    FRAZIL_RETURN_IF_ERROR(engine::CheckNotCancelled(context.execution().cancel.get()));
    return SocketError(code);
  }

  static int AwaitConnected(int opened, commands::CommandContext& context) {
    const auto cancel = context.execution().cancel;
    for (const int64_t begun = SteadyMillis(); SteadyMillis() - begun < kConnectMillis && !cancel->cancelled();) {
      pollfd wait{opened, POLLOUT, 0};
      if (poll(&wait, 1, kPollMillis) <= 0) continue;
      int code = 0;
      socklen_t size = sizeof(code);
      return getsockopt(opened, SOL_SOCKET, SO_ERROR, &code, &size) == 0 ? code : errno;
    }
    return ETIMEDOUT;
  }

  /// What has come by now.
  Status ReadLines() {
    while (!ended_) {
      char bytes[kReadBytes];
      const ssize_t count = recv(socket_, bytes, sizeof(bytes), MSG_DONTWAIT);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
      // As in Spark the query goes on when the other side has ended.
      if (count <= 0) {
        ended_ = true;
        break;
      }
      rest_.append(bytes, static_cast<size_t>(count));
      size_t begin = 0;
      for (size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
        std::string text = rest_.substr(begin, end - begin);
        if (text.ends_with('\r')) text.pop_back();
        lines_.push_back({AsUtf8(std::move(text)), NowMicros()});
        begin = end + 1;
      }
      rest_.erase(0, begin);
    }
    if (!rest_.empty()) lines_.push_back({AsUtf8(std::exchange(rest_, {})), NowMicros()});
    return {};
  }

  const std::string host_, port_;
  const bool with_timestamp_;
  int socket_ = -1;
  bool ended_ = false, stopped_ = false;
  std::string rest_;  ///< Behind the last end of a line.
  std::deque<Line> lines_;
  int64_t first_ = 0;  ///< The number of the first of lines_.
  std::optional<Offset> newest_;
};

}  // namespace

Result<DataTypePtr> DescribeSocket(const SourceDescription& description) {
  if (!description.options.contains("host")) return Error::Of("_LEGACY_ERROR_TEMP_1295");
  const auto port = description.options.find("port");
  if (port == description.options.end()) return Error::Of("_LEGACY_ERROR_TEMP_1296");
  const auto timestamp = description.options.find("includetimestamp");
  if (timestamp != description.options.end() && !EqualsIgnoreCase(timestamp->second, "true") &&
      !EqualsIgnoreCase(timestamp->second, "false")) {
    return Error::Of("_LEGACY_ERROR_TEMP_1297");
  }
  if (!ParseInteger<int32_t>(port->second))
    return Error::Plain(ExceptionClass::kNumberFormat, "For input string: \"" + port->second + "\"");
  std::vector<StructField> fields = {{"value", DataType::String(), true}};
  if (WithTimestamp(description)) fields.emplace_back("timestamp", DataType::Timestamp(), true);
  return DataType::Struct(std::move(fields));
}

std::unique_ptr<Source> MakeSocketSource(const SourceDescription& description) {
  return std::make_unique<SocketSource>(description.options.at("host"), description.options.at("port"),
                                        WithTimestamp(description));
}

}  // namespace frazil::streaming
