#include "frazil/engine/data_files.h"

#include <duckdb/common/file_system.hpp>

#include "frazil/engine/functions/kernel_error.h"
#include "frazil/engine/type_mapping.h"
#include "frazil/engine/variant_layout.h"
#include "frazil/storage/object_store.h"

namespace frazil::engine {
namespace {

class StoredBytes : public codec::ByteSource {
 public:
  explicit StoredBytes(duckdb::unique_ptr<duckdb::FileHandle> handle)
      : handle_(std::move(handle)), size_(static_cast<int64_t>(handle_->GetFileSize())) {}

  int64_t size() const override { return size_; }
  Status Read(int64_t offset, int64_t count, char* out) override {
    if (offset < 0 || count < 0 || count > size_ - offset) return Error::Storage("The file is shorter than it says");
    try {
      // A read at a place of its own: the handle keeps no position that threads could share.
      handle_->Read(out, static_cast<duckdb::idx_t>(count), static_cast<duckdb::idx_t>(offset));
    } catch (const std::exception& exception) {
      return ErrorFromException(exception);
    }
    return {};
  }

 private:
  duckdb::unique_ptr<duckdb::FileHandle> handle_;
  int64_t size_;
};

}  // namespace

bool IsBatchFormat(tables::FileFormat format) {
  return format == tables::FileFormat::kOrc || format == tables::FileFormat::kAvro;
}

Result<std::unique_ptr<codec::DataFileReader>> OpenDataFile(duckdb::ClientContext& client, const std::string& path,
                                                            tables::FileFormat format) {
  try {
    auto& file_system = duckdb::FileSystem::GetFileSystem(client);
    auto source = std::make_shared<StoredBytes>(
        file_system.OpenFile(storage::LocalPath(path), duckdb::FileFlags::FILE_FLAGS_READ));
    return format == tables::FileFormat::kOrc ? codec::OpenOrcFile(std::move(source), path)
                                              : codec::OpenAvroFile(std::move(source), path);
  } catch (const std::exception& exception) {
    return ErrorFromException(exception);
  }
}

duckdb::LogicalType NamedType(const DataType& type) {
  switch (type.id()) {
    case TypeId::kStruct: {
      duckdb::child_list_t<duckdb::LogicalType> members;
      for (const auto& field : type.fields()) members.emplace_back(field.name, NamedType(*field.type));
      return duckdb::LogicalType::STRUCT(std::move(members));
    }
    case TypeId::kArray:
      return duckdb::LogicalType::LIST(NamedType(*type.element_type()));
    case TypeId::kMap:
      return duckdb::LogicalType::MAP(NamedType(*type.key_type()), NamedType(*type.value_type()));
    case TypeId::kVariant: {
      duckdb::child_list_t<duckdb::LogicalType> members;
      for (const char* member : kVariantMembers)
        members.emplace_back(member, duckdb::LogicalType(duckdb::LogicalType::BLOB));
      return duckdb::LogicalType::STRUCT(std::move(members));
    }
    default:
      return MappedType(type);
  }
}

Error ReadFailure(Error error, const std::string& path) {
  if (error.kind != ErrorKind::kStorage) return error;
  return Error::Of("FAILED_READ_FILE.NO_HINT", {{"path", path.starts_with('/') ? "file://" + path : path}})
      .CausedBy(std::move(error));
}

}  // namespace frazil::engine
