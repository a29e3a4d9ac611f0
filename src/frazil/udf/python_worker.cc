#include "frazil/udf/python_worker.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "frazil/udf/worker_source_internal.h"

namespace frazil::udf {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kSameFunction = ~uint64_t{0};
constexpr size_t kMostWaiting = 8;
// As Spark's idle workers. They end by themselves later (udf_worker.py), so that none ends while it is taken.
constexpr std::chrono::seconds kLongestWait{60};

Error Failure(const std::string& what) { return Error::Plain(ExceptionClass::kSpark, what); }

std::string LengthOf(uint64_t size) {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i) bytes[static_cast<size_t>(i)] = static_cast<char>(size >> (56 - 8 * i));
  return bytes;
}

// One process, killed on destruction.
class Worker {
 public:
  static Result<std::unique_ptr<Worker>> Start(const PythonPlace& place) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      return Failure(std::string("cannot make a socket for a Python worker: ") + std::strerror(errno));
    auto worker = std::make_unique<Worker>();
    worker->place_ = place;
    worker->socket_ = ends[0];

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    // Its own group, so that Ctrl-C does not reach it and a kill reaches what it started; the server's blocked signals
    // are not its own.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    std::string program = place.program, option = "-c", source = kWorkerSource, stateful = kStatefulWorkerSource;
    std::string data_sources = kDataSourceWorkerSource, table_functions = kTableFunctionWorkerSource;
    std::string scalars = kScalarWorkerSource;
    std::string artifacts = place.artifacts.substr(0, place.artifacts.find('\n'));
    char* arguments[] = {program.data(),         option.data(),  source.data(),    stateful.data(), data_sources.data(),
                         table_functions.data(), scalars.data(), artifacts.data(), nullptr};
    const int failure = posix_spawnp(&worker->process_, program.c_str(), &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[1]);
    if (failure != 0) {
      worker->process_ = 0;
      return Failure("cannot run '" + place.program + "' for Python functions: " + std::strerror(failure) +
                     ". FRAZIL_PYTHON (in the server's environment) or spark.pyspark.python names the interpreter.");
    }
    return worker;
  }

  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    if (socket_ >= 0) close(socket_);
    if (process_ <= 0) return;
    Kill();
    waitpid(process_, nullptr, 0);
  }

  // Thread-safe: also while a call is under way, which then ends.
  void Kill() {
    const std::lock_guard lock(mutex_);
    if (process_ > 0) kill(-process_, SIGKILL);
  }

  // The answer's kind and bytes; an error means that the process is of no more use.
  Result<std::pair<char, std::string>> Call(const std::string& function, std::string_view rows) {
    const bool same = function == function_;
    const std::string head = same ? LengthOf(kSameFunction) : LengthOf(function.size()) + function;
    function_ = function;
    std::string answer(9, '\0');
    if (!Send(head) || !Send(LengthOf(rows.size())) || !Send(rows) || !Receive(&answer)) return Death();
    uint64_t size = 0;
    for (size_t i = 1; i < 9; ++i) size = size << 8 | static_cast<unsigned char>(answer[i]);
    std::string bytes(size, '\0');
    if (!Receive(&bytes)) return Death();
    return std::make_pair(answer[0], std::move(bytes));
  }

  const PythonPlace& place() const { return place_; }
  Clock::time_point waits_since;

 private:
  bool Send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }

  bool Receive(std::string* bytes) const {
    for (size_t at = 0; at < bytes->size();) {
      const ssize_t received = recv(socket_, bytes->data() + at, bytes->size() - at, 0);
      if (received < 0 && errno == EINTR) continue;
      if (received <= 0) return false;
      at += static_cast<size_t>(received);
    }
    return true;
  }

  Error Death() {
    int status = 0;
    {
      const std::lock_guard lock(mutex_);
      kill(-process_, SIGKILL);
      waitpid(process_, &status, 0);
      process_ = 0;
    }
    std::string reason = "exit status " + std::to_string(WEXITSTATUS(status));
    if (WIFSIGNALED(status)) reason = std::string("signal ") + strsignal(WTERMSIG(status));
    return Failure("Python worker exited unexpectedly (crashed): " + reason +
                   ". What it wrote is in the server's standard error.");
  }

  PythonPlace place_;
  std::string function_;
  int socket_ = -1;
  std::mutex mutex_;
  pid_t process_ = 0;  // Guarded by mutex_ where a call is under way.
};

// Workers that wait for their next call, the longest waiting first.
class WaitingWorkers {
 public:
  std::unique_ptr<Worker> Take(const PythonPlace& place) {
    std::vector<std::unique_ptr<Worker>> leaving;  // They end without the lock.
    const std::lock_guard lock(mutex_);
    DropOld(&leaving);
    const auto found =
        std::find_if(workers_.rbegin(), workers_.rend(), [&](const auto& worker) { return worker->place() == place; });
    if (found == workers_.rend()) return nullptr;
    auto taken = std::move(*found);
    workers_.erase(std::next(found).base());
    return taken;
  }

  void Return(std::unique_ptr<Worker> worker) {
    std::vector<std::unique_ptr<Worker>> leaving;
    const std::lock_guard lock(mutex_);
    worker->waits_since = Clock::now();
    workers_.push_back(std::move(worker));
    DropOld(&leaving);
  }

 private:
  void DropOld(std::vector<std::unique_ptr<Worker>>* leaving) {
    while (!workers_.empty() &&
           (workers_.size() > kMostWaiting || workers_.front()->waits_since + kLongestWait < Clock::now())) {
      leaving->push_back(std::move(workers_.front()));
      workers_.erase(workers_.begin());
    }
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

WaitingWorkers& Waiting() {
  static auto* waiting = new WaitingWorkers;  // Ends with the process, and its workers with their sockets.
  return *waiting;
}

}  // namespace

std::string PythonProgram(const std::function<std::optional<std::string>(std::string_view)>& settings) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  std::string program = settings ? settings("spark.pyspark.python").value_or("") : "";
  if (program.empty()) program = variable("FRAZIL_PYTHON");
  if (program.empty()) program = variable("PYSPARK_PYTHON");
  return program.empty() ? "python3" : program;
}

PythonPlace PlaceOf(const std::function<std::optional<std::string>(std::string_view)>& settings, std::string user) {
  return {PythonProgram(settings), std::move(user), settings ? settings(kArtifactsKey).value_or("") : ""};
}

std::string DescribeFunction(const std::string& header, const std::string& command) {
  std::string description;
  for (int shift = 24; shift >= 0; shift -= 8) description += static_cast<char>(header.size() >> shift & 255);
  return description + header + command;
}

Error PythonError(std::string traceback) { return Error::Plain(ExceptionClass::kSparkRuntime, std::move(traceback)); }

Result<std::string> CallPython(const PythonPlace& place, const std::string& function, std::string_view rows,
                               const CallWatch& watch) {
  auto worker = Waiting().Take(place);
  if (worker == nullptr) {
    FRAZIL_ASSIGN_OR_RETURN(worker, Worker::Start(place));
  }
  const auto unwatch = watch([&] { worker->Kill(); });
  auto answer = worker->Call(function, rows);
  unwatch();
  if (!answer.ok()) return std::move(answer).error();
  Waiting().Return(std::move(worker));
  auto [kind, bytes] = *std::move(answer);
  if (kind != 'R') return PythonError(std::move(bytes));
  return std::move(bytes);
}

}  // namespace frazil::udf
