#include "frazil/connect/connect_server.h"

#include <condition_variable>
#include <thread>

#include <grpcpp/grpcpp.h>

#include "frazil/connect/local_url_internal.h"
#include "frazil/connect/service_internal.h"

namespace frazil::connect {
namespace {

constexpr auto kMaintenanceInterval = std::chrono::seconds(5);
constexpr std::chrono::milliseconds kStopTimeout(1000);

class GrpcConnectServer final : public ConnectServer {
 public:
  GrpcConnectServer(std::shared_ptr<session::Server> sessions, const std::string& token)
      : service_(std::move(sessions), token) {}
  ~GrpcConnectServer() override { Stop(); }

  Status Listen(const ConnectServerOptions& options) {
    const bool is_ip6 = options.host.find(':') != std::string::npos && options.host.front() != '[';
    const std::string address = (is_ip6 ? "[" + options.host + "]" : options.host) + ":" + std::to_string(options.port);
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(static_cast<int>(options.max_inbound_message_bytes));
    builder.SetMaxSendMessageSize(-1);
    // Two servers on one port would share the clients between them without anybody noticing.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddListeningPort(address, grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    if (server_ == nullptr || port_ == 0) {
      return Error::Plain(ExceptionClass::kSpark,
                          "Cannot listen on " + address + ": the address is in use or unknown.");
    }
    SetLocalUrl(options.host, port_, options.token);
    maintenance_ = std::thread([this] { RunMaintenance(); });
    return Status::Ok();
  }

  int port() const override { return port_; }

  void Stop() override {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      stopping_ = true;
      wake_.notify_all();
    }
    service_.StopExecutions(kStopTimeout);
    if (server_ != nullptr) server_->Shutdown(std::chrono::system_clock::now() + kStopTimeout / 2);
    if (maintenance_.joinable()) maintenance_.join();
  }

 private:
  void RunMaintenance() {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, kMaintenanceInterval, [&] { return stopping_; })) {
      lock.unlock();
      service_.Maintain();
      lock.lock();
    }
  }

  SparkConnectService service_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
  std::thread maintenance_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
};

}  // namespace

Result<std::unique_ptr<ConnectServer>> ConnectServer::Start(std::shared_ptr<session::Server> sessions,
                                                            const ConnectServerOptions& options) {
  auto server = std::make_unique<GrpcConnectServer>(std::move(sessions), options.token);
  FRAZIL_RETURN_IF_ERROR(server->Listen(options));
  return std::unique_ptr<ConnectServer>(std::move(server));
}

}  // namespace frazil::connect
