#include <gtest/gtest.h>

#include "frazil/codec/avro_file.h"
#include "frazil/codec/deflate.h"
#include "frazil/tables/iceberg/manifest_reader.h"
#include "frazil/tables/iceberg/manifest_writer.h"
#include "frazil/tables/iceberg/testing/test_table.h"

namespace frazil::tables::iceberg {
namespace {

constexpr char kV2[] =
    R"json({"format-version":2,"table-uuid":"9c12d441-03fe-4693-9a96-a0705ddf69c1","location":"s3://b/t","last-sequence-number":34,
"last-updated-ms":1602638573590,"last-column-id":9,"current-schema-id":1,"schemas":[
{"type":"struct","schema-id":0,"fields":[{"id":1,"name":"x","required":true,"type":"long"}]},
{"type":"struct","schema-id":1,"identifier-field-ids":[1],"fields":[{"id":1,"name":"x","required":true,"type":"long"},
{"id":2,"name":"y","required":false,"type":"fixed[16]","doc":"comment"},
{"id":3,"name":"m","required":false,"type":{"type":"map","key-id":4,"key":"string","value-id":5,"value":{"type":"list","element-id":6,"element":"uuid","element-required":true},"value-required":false}},
{"id":7,"name":"d","required":false,"type":"decimal(9, 2)"},{"id":8,"name":"t","required":false,"type":"timestamptz"}]}],
"default-spec-id":0,"partition-specs":[{"spec-id":0,"fields":[{"name":"x","transform":"identity","source-id":1,"field-id":1000},{"name":"odd","transform":"zorder[3]","source-id":8,"field-id":1001}]}],
"last-partition-id":1001,"default-sort-order-id":3,"sort-orders":[{"order-id":3,"fields":[{"transform":"identity","source-id":1,"direction":"asc","null-order":"nulls-first"},{"transform":"bucket[4]","source-id":8,"direction":"desc","null-order":"nulls-last"}]}],
"properties":{"a":"b"},"current-snapshot-id":3055729675574597004,"refs":{"main":{"snapshot-id":3055729675574597004,"type":"branch"},"test":{"snapshot-id":3051729675574597004,"type":"tag","max-ref-age-ms":10000000}},
"snapshots":[{"sequence-number":1,"snapshot-id":3051729675574597004,"timestamp-ms":1515100955770,"summary":{"operation":"append"},"manifest-list":"s3://a/b/1.avro"},
{"sequence-number":1,"snapshot-id":3055729675574597004,"parent-snapshot-id":3051729675574597004,"timestamp-ms":1555100955770,"summary":{"operation":"append","k":"v"},"manifest-list":"s3://a/b/2.avro","schema-id":1,"future":[1,2.50]}],
"statistics":[{"snapshot-id":3055729675574597004,"odd":1}],"partition-statistics":[],
"snapshot-log":[{"timestamp-ms":1515100955770,"snapshot-id":3051729675574597004},{"timestamp-ms":1555100955770,"snapshot-id":3055729675574597004}],
"metadata-log":[{"timestamp-ms":1515100,"metadata-file":"s3://bucket/.../v1.json"}],"new-field":{"x":[1.0]}})json";

TEST(Metadata, EverythingIsKept) {
  auto metadata = ParseTableMetadata(kV2, "s3://b/t/metadata/v3.metadata.json");
  ASSERT_TRUE(metadata.ok()) << metadata.error().message;
  EXPECT_EQ((*metadata)->schema()->fields()[1].type->length, 16);
  EXPECT_EQ((*metadata)->schema()->NameOf(6), "m.value.element");
  EXPECT_EQ((*metadata)->schema()->Find({"M", "Value"})->field->id, 5);
  EXPECT_EQ((*metadata)->schema()->Find({"M", "Value"}, true), nullptr);
  EXPECT_EQ((*metadata)->spec().fields[1].unknown_transform, "zorder[3]");
  EXPECT_EQ((*metadata)->sort_order().fields[1].term.parameter, 4);
  std::string compact;
  for (char c : std::string(kV2)) {
    if (c != '\n') compact += c;
  }
  EXPECT_EQ(WriteTableMetadata(**metadata), compact);
}

TEST(Metadata, BadFilesAreNamed) {
  auto failure = [](std::string from, std::string to) {
    std::string text = kV2;
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
    auto parsed = ParseTableMetadata(text, "/x/v1.metadata.json");
    return parsed.ok() ? std::string("no error") : parsed.error().message;
  };
  auto contains = [](const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(contains(failure("\"format-version\":2", "\"format-version\":4"), "Cannot read unsupported version 4"));
  EXPECT_TRUE(contains(failure("\"format-version\":2", "\"format-version\":4"), "/x/v1.metadata.json"));
  EXPECT_TRUE(contains(failure("\"location\":\"s3://b/t\",", ""), "location"));
  EXPECT_TRUE(contains(failure("\"current-schema-id\":1", "\"current-schema-id\":7"), "current-schema-id=7"));
  EXPECT_TRUE(contains(failure("\"default-spec-id\":0", "\"default-spec-id\":7"), "default-spec-id=7"));
  EXPECT_TRUE(contains(failure("\"current-snapshot-id\":3055729675574597004", "\"current-snapshot-id\":5"), "5"));
  EXPECT_TRUE(contains(
      failure("\"snapshot-id\":3051729675574597004,\"type\":\"tag\"", "\"snapshot-id\":5,\"type\":\"tag\""), "test"));
  EXPECT_TRUE(contains(failure("\"last-sequence-number\":34,", ""), "last-sequence-number"));
  EXPECT_TRUE(contains(failure("\"timestamptz\"", "\"timestamptt\""), "timestamptt"));
  EXPECT_TRUE(
      contains(failure("\"last-sequence-number\":34", "\"last-sequence-number\":0"),
               "ValidationException: Invalid snapshot with sequence number 1 greater than last sequence number 0"));
  EXPECT_TRUE(
      contains(failure("\"default-sort-order-id\":3", "\"default-sort-order-id\":9"), "default-sort-order-id=9"));
  EXPECT_TRUE(
      contains(failure("\"current-snapshot-id\":3055729675574597004", "\"current-snapshot-id\":null"),
               "Current snapshot is not set, but main branch exists: SnapshotRef{snapshotId=3055729675574597004, "
               "type=BRANCH, minSnapshotsToKeep=null, maxSnapshotAgeMs=null, maxRefAgeMs=null}"));
  EXPECT_TRUE(contains(failure("\"max-ref-age-ms\":10000000", "\"max-ref-age-ms\":0"),
                       "Max reference age must be greater than 0"));
  EXPECT_TRUE(contains(failure("\"id\":8,\"name\":\"t\"", "\"id\":7,\"name\":\"t\""),
                       "Multiple entries with same key: 7=t and 7=d"));
  EXPECT_TRUE(
      contains(failure("\"value-id\":5", "\"value-id\":1"), "Multiple entries with same key: 1=m.value and 1=x"));
  EXPECT_TRUE(contains(failure("\"name\":\"t\"", "\"name\":\"y\""),
                       "ValidationException: Invalid schema: multiple fields for name y: 2 and 8"));
  EXPECT_TRUE(contains(failure("\"source-id\":1,\"field-id\":1000", "\"source-id\":77,\"field-id\":1000"),
                       "Cannot find source column for partition field: 1000: x: identity(77)"));
  auto other = ParseTableMetadata("{}", "/x");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().exception_class, ExceptionClass::kIllegalArgument);
  EXPECT_FALSE(ParseTableMetadata("{", "/x").ok());
  EXPECT_FALSE(ParseTableMetadata("[]", "/x").ok());
}

TEST(Metadata, VersionOneWithoutLists) {
  auto metadata = ParseTableMetadata(R"({"format-version":1,"location":"/t","last-updated-ms":1,"last-column-id":2,
    "schema":{"type":"struct","fields":[{"id":1,"name":"x","required":true,"type":"long"},{"id":2,"name":"s","required":false,"type":"string"}]},
    "partition-spec":[{"name":"s","transform":"identity","source-id":2}],"properties":{},"current-snapshot-id":-1,"snapshots":[]})",
                                     "/t/v1");
  ASSERT_TRUE(metadata.ok()) << metadata.error().message;
  EXPECT_EQ((*metadata)->spec().fields[0].field_id, 1000);
  EXPECT_EQ((*metadata)->last_partition_id, 1000);
  EXPECT_FALSE((*metadata)->current_snapshot_id.has_value());
  EXPECT_EQ((*metadata)->sort_orders.size(), 1u);
  std::string written = WriteTableMetadata(**metadata);
  EXPECT_NE(written.find("\"schema\":{"), std::string::npos);
  EXPECT_NE(written.find("\"partition-spec\":["), std::string::npos);
  EXPECT_EQ(written.find("last-sequence-number"), std::string::npos);
  EXPECT_TRUE(ParseTableMetadata(written, "/t/v2").ok());
}

TEST(Metadata, CompressedFilesAreRead) {
  testing::TestTable table;
  std::string text = table.store().Read("/w/t/metadata/v1.metadata.json").value();
  std::string packed = codec::GzipCompress(text).value();
  ASSERT_TRUE(table.store().Write("/w/t/metadata/v2.gz.metadata.json", packed).ok());
  auto loaded = table.Load();
  EXPECT_EQ(static_cast<const IcebergTable&>(*loaded).metadata().metadata_location,
            "/w/t/metadata/v2.gz.metadata.json");
  EXPECT_FALSE(codec::GzipDecompress(packed.substr(0, packed.size() / 2)).ok());
}

TableMetadata ManifestMetadata(int version) {
  TableMetadata metadata;
  metadata.format_version = version;
  std::vector<NestedField> fields;
  int32_t id = 0;
  for (TypePtr type : {Type::Primitive(TypeKind::kLong), Type::Primitive(TypeKind::kString), Type::Decimal(20, 3),
                       Type::Decimal(20, 3), Type::Primitive(TypeKind::kUuid), Type::Primitive(TypeKind::kDouble),
                       Type::Fixed(3), Type::Primitive(TypeKind::kBoolean), Type::Primitive(TypeKind::kTimestampTz)}) {
    NestedField field;
    field.id = ++id;
    field.name = "c " + std::to_string(id);
    field.type = type;
    fields.push_back(field);
    SpecField part;
    part.source_id = id;
    part.field_id = 999 + id;
    part.name = field.name;
    if (metadata.specs.empty()) metadata.specs.emplace_back();
    metadata.specs[0].fields.push_back(part);
  }
  metadata.schemas.push_back(Schema::Make(0, fields));
  return metadata;
}

TEST(Manifest, GoesAndComesBackInAllVersions) {
  for (int version : {1, 2, 3}) {
    TableMetadata metadata = ManifestMetadata(version);
    auto file = std::make_shared<DataFile>();
    file->path = "/t/data/a.parquet";
    file->format = "PARQUET";
    file->partition = {Value(int64_t{-5}),
                       Value("x"),
                       Value(Decimal128{-123456}),
                       Value(Decimal128{7}),
                       Value("f79c3e09-677c-4bbd-a479-3f349cb785e7"),
                       Value(1.5),
                       Value("abc"),
                       Value(true),
                       Value()};
    file->record_count = 10;
    file->size = 1000;
    file->has_column_sizes = file->has_value_counts = file->has_bounds = true;
    file->column_sizes = {{1, 100}, {2, 200}};
    file->value_counts = {{1, 10}};
    file->lower_bounds = {{1, "\x01"}};
    file->split_offsets = std::vector<int64_t>{4, 500};
    file->sort_order_id = 3;
    auto writer = ManifestWriter::Make(metadata, 0, ManifestContent::kData, 77, "/t/m.avro");
    ASSERT_TRUE(writer.ok()) << writer.error().message;
    ASSERT_TRUE((*writer)->Added(file).ok());
    ManifestEntry old;
    old.snapshot_id = 5;
    old.sequence_number = 3;
    old.file_sequence_number = 2;
    auto other = std::make_shared<DataFile>(*file);
    other->path = "/t/data/b.parquet";
    other->partition[0] = Value(int64_t{9});
    old.file = other;
    ASSERT_TRUE((*writer)->Existing(old).ok());
    ASSERT_TRUE((*writer)->Deleted(old).ok());
    auto output = (*writer)->Finish();
    ASSERT_TRUE(output.ok());
    ManifestFile manifest = output->manifest;
    EXPECT_EQ(manifest.added_files, 1);
    EXPECT_EQ(manifest.existing_rows, 10);
    EXPECT_EQ(manifest.deleted_files, 1);
    EXPECT_EQ(manifest.min_sequence_number, 3);
    EXPECT_TRUE(manifest.summaries[8].contains_null);

    int64_t next_row_id = 1000;
    auto list = WriteManifestList(version, 77, 76, 12, {manifest}, &next_row_id);
    ASSERT_TRUE(list.ok());
    EXPECT_EQ(next_row_id, version == 3 ? 1020 : 1000);
    auto manifests = ReadManifestList(*list, "/t/snap.avro");
    ASSERT_TRUE(manifests.ok()) << manifests.error().message;
    ASSERT_EQ(manifests->size(), 1u);
    manifest = (*manifests)[0];
    EXPECT_EQ(manifest.path, "/t/m.avro");
    EXPECT_EQ(manifest.sequence_number, version == 1 ? 0 : 12);
    EXPECT_EQ(manifest.summaries, output->manifest.summaries);
    EXPECT_EQ(manifest.added_snapshot_id, 77);

    auto entries = ReadManifest(output->data, manifest, metadata.specs[0]);
    ASSERT_TRUE(entries.ok()) << entries.error().message;
    ASSERT_EQ(entries->size(), 3u);
    const ManifestEntry& added = (*entries)[0];
    EXPECT_EQ(added.status, EntryStatus::kAdded);
    EXPECT_EQ(added.snapshot_id, 77);
    EXPECT_EQ(added.sequence_number, version == 1 ? 0 : 12);
    EXPECT_EQ(added.file->partition, file->partition);
    EXPECT_EQ(added.file->column_sizes, file->column_sizes);
    EXPECT_EQ(added.file->lower_bounds, file->lower_bounds);
    EXPECT_EQ(added.file->split_offsets, file->split_offsets);
    EXPECT_EQ(added.file->sort_order_id, 3);
    EXPECT_FALSE(added.file->has_nan_counts);
    EXPECT_EQ(added.file->first_row_id, version == 3 ? std::optional<int64_t>(1000) : std::nullopt);
    const ManifestEntry& existing = (*entries)[1];
    EXPECT_EQ(existing.status, EntryStatus::kExisting);
    EXPECT_EQ(existing.snapshot_id, 5);
    if (version > 1) {
      EXPECT_EQ(existing.sequence_number, 3);
      EXPECT_EQ(existing.file_sequence_number, 2);
    }
    EXPECT_EQ(existing.file->first_row_id, version == 3 ? std::optional<int64_t>(1010) : std::nullopt);
    EXPECT_EQ((*entries)[2].status, EntryStatus::kDeleted);
    EXPECT_EQ((*entries)[2].snapshot_id, 77);
    // Files that are cut off or changed do not pass for others.
    for (size_t cut : {size_t{10}, output->data.size() / 2, output->data.size() - 1}) {
      EXPECT_FALSE(ReadManifest(output->data.substr(0, cut), manifest, metadata.specs[0]).ok()) << cut;
    }
  }
}

TEST(Manifest, WrongPartitionValuesAreNotWritten) {
  TableMetadata metadata = ManifestMetadata(2);
  auto writer = ManifestWriter::Make(metadata, 0, ManifestContent::kData, 77, "/t/m.avro");
  auto file = std::make_shared<DataFile>();
  file->partition.resize(9);
  EXPECT_TRUE((*writer)->Added(file).ok());
  auto wrong = std::make_shared<DataFile>(*file);
  wrong->partition[0] = Value("text");
  EXPECT_FALSE((*writer)->Added(wrong).ok());
  auto short_one = std::make_shared<DataFile>(*file);
  short_one->partition.resize(2);
  EXPECT_FALSE((*writer)->Added(short_one).ok());
  metadata.specs[0].fields[0].unknown_transform = "zorder";
  EXPECT_FALSE(ManifestWriter::Make(metadata, 0, ManifestContent::kData, 77, "/t/m.avro").ok());
}

}  // namespace
}  // namespace frazil::tables::iceberg
