# One INTERFACE target frazil_third_party_<name> for each package that tools/include_rules.json may name.
# Debian packages come through pkg-config; DuckDB, Arrow and the Spark Connect messages from FRAZIL_DEPS_DIR,
# which tools/setup fills.
if(DEFINED ENV{FRAZIL_CACHE})
  set(FRAZIL_DEFAULT_CACHE "$ENV{FRAZIL_CACHE}")
else()
  set(FRAZIL_DEFAULT_CACHE "$ENV{HOME}/.cache/frazil")
endif()
set(FRAZIL_DEPS_DIR "${FRAZIL_DEFAULT_CACHE}/deps" CACHE PATH "Folder with DuckDB, Arrow and the Spark Connect messages")

find_package(PkgConfig REQUIRED)

function(frazil_pkg_config NAME)
  pkg_check_modules(FRAZIL_${NAME} REQUIRED IMPORTED_TARGET ${ARGN})
  add_library(frazil_third_party_${NAME} INTERFACE)
  target_link_libraries(frazil_third_party_${NAME} INTERFACE PkgConfig::FRAZIL_${NAME})
endfunction()

frazil_pkg_config(lz4 liblz4)
frazil_pkg_config(zlib zlib)
frazil_pkg_config(zstd libzstd)
frazil_pkg_config(nlohmann_json nlohmann_json)
frazil_pkg_config(sqlite3 sqlite3)
frazil_pkg_config(libpq libpq)
frazil_pkg_config(pcre2 libpcre2-8)
frazil_pkg_config(icu icu-i18n icu-uc)
frazil_pkg_config(grpc grpc++)
frazil_pkg_config(protobuf protobuf)
frazil_pkg_config(libedit libedit)
frazil_pkg_config(curl libcurl)
frazil_pkg_config(openssl libcrypto)
frazil_pkg_config(libxml2 libxml-2.0)
frazil_pkg_config(rdkafka rdkafka)

# Debian packages that pkg-config does not know.
function(frazil_find_library NAME FILE)
  string(TOUPPER ${NAME} upper)
  find_library(FRAZIL_${upper}_LIBRARY ${FILE} REQUIRED)
  add_library(frazil_third_party_${NAME} INTERFACE)
  target_link_libraries(frazil_third_party_${NAME} INTERFACE ${FRAZIL_${upper}_LIBRARY})
endfunction()

frazil_find_library(bzip2 bz2)
frazil_find_library(roaring roaring)
frazil_find_library(snappy snappy)

# DuckDB: the official library, and the headers of the very same version. Internal headers of the extensions that are
# linked into the library (parquet, json, icu, core_functions) are used too.
file(GLOB FRAZIL_DUCKDB_SOURCE "${FRAZIL_DEPS_DIR}/duckdb-*/external/duckdb")
set(FRAZIL_DUCKDB_LIBRARY "${FRAZIL_DEPS_DIR}/duckdb/package/libduckdb.so")
if(NOT FRAZIL_DUCKDB_SOURCE OR NOT EXISTS "${FRAZIL_DUCKDB_LIBRARY}")
  message(FATAL_ERROR "DuckDB is not in ${FRAZIL_DEPS_DIR}: run 'make setup'")
endif()
list(SORT FRAZIL_DUCKDB_SOURCE COMPARE NATURAL)
list(GET FRAZIL_DUCKDB_SOURCE -1 FRAZIL_DUCKDB_SOURCE)
add_library(frazil_third_party_duckdb INTERFACE)
target_include_directories(frazil_third_party_duckdb SYSTEM INTERFACE
  ${FRAZIL_DUCKDB_SOURCE}/src/include
  ${FRAZIL_DUCKDB_SOURCE}/extension/core_functions/include
  ${FRAZIL_DUCKDB_SOURCE}/extension/parquet/include
  ${FRAZIL_DUCKDB_SOURCE}/extension/json/include
  ${FRAZIL_DUCKDB_SOURCE}/extension/icu/include
  ${FRAZIL_DUCKDB_SOURCE}/third_party/parquet
  ${FRAZIL_DUCKDB_SOURCE}/third_party/thrift
  ${FRAZIL_DUCKDB_SOURCE}/third_party/fmt/include
  ${FRAZIL_DUCKDB_SOURCE}/third_party/re2
  ${FRAZIL_DUCKDB_SOURCE}/third_party/utf8proc/include
  ${FRAZIL_DUCKDB_SOURCE}/third_party/yyjson/include
  ${FRAZIL_DUCKDB_SOURCE}/third_party/concurrentqueue
  ${FRAZIL_DUCKDB_SOURCE}/third_party/zstd/include)
# What parquet_reader.hpp includes on top.
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/frazil/engine/variant_files.cc" PROPERTIES
  COMPILE_OPTIONS "-isystem;${FRAZIL_DUCKDB_SOURCE}/third_party/fastpforlib")
target_link_libraries(frazil_third_party_duckdb INTERFACE ${FRAZIL_DUCKDB_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS})

# Arrow: headers and libraries of the pyarrow wheel, which has only versioned file names.
set(FRAZIL_ARROW_DIR "${FRAZIL_DEPS_DIR}/arrow/pyarrow")
file(GLOB FRAZIL_ARROW_LIBRARY "${FRAZIL_ARROW_DIR}/libarrow.so.*")
file(GLOB FRAZIL_PARQUET_LIBRARY "${FRAZIL_ARROW_DIR}/libparquet.so.*")
if(NOT FRAZIL_ARROW_LIBRARY OR NOT FRAZIL_PARQUET_LIBRARY)
  message(FATAL_ERROR "Arrow is not in ${FRAZIL_DEPS_DIR}: run 'make setup'")
endif()
add_library(frazil_third_party_arrow INTERFACE)
target_include_directories(frazil_third_party_arrow SYSTEM INTERFACE ${FRAZIL_ARROW_DIR}/include)
target_link_libraries(frazil_third_party_arrow INTERFACE ${FRAZIL_PARQUET_LIBRARY} ${FRAZIL_ARROW_LIBRARY})

# DataSketches: headers only.
set(FRAZIL_DATASKETCHES_DIR "${FRAZIL_DEPS_DIR}/datasketches")
if(NOT EXISTS "${FRAZIL_DATASKETCHES_DIR}/common/include/common_defs.hpp")
  message(FATAL_ERROR "DataSketches is not in ${FRAZIL_DEPS_DIR}: run 'make setup'")
endif()
add_library(frazil_third_party_datasketches INTERFACE)
target_include_directories(frazil_third_party_datasketches SYSTEM INTERFACE
  ${FRAZIL_DATASKETCHES_DIR}/common/include
  ${FRAZIL_DATASKETCHES_DIR}/hll/include
  ${FRAZIL_DATASKETCHES_DIR}/kll/include
  ${FRAZIL_DATASKETCHES_DIR}/theta/include)

# Spark Connect messages and service, and the messages that Delta adds: generated and compiled once into FRAZIL_DEPS_DIR
# (minutes of compile time), so that every build folder shares them. tools/setup/spark_connect.py says how; it locks, and
# does nothing when all is there.
find_program(FRAZIL_VENV_PYTHON python3 HINTS "${FRAZIL_DEPS_DIR}/../venv/bin" NO_DEFAULT_PATH)

# frazil_third_party_NAME: the messages in FOLDER of FRAZIL_DEPS_DIR, of which HEADER is one; more arguments are the
# script's options.
function(frazil_connect_messages NAME FOLDER HEADER)
  set(directory "${FRAZIL_DEPS_DIR}/${FOLDER}")
  set(library "${directory}/lib${NAME}.a")
  set(command ${FRAZIL_VENV_PYTHON} ${PROJECT_SOURCE_DIR}/tools/setup/spark_connect.py ${ARGN})
  if(NOT EXISTS "${directory}/include/${HEADER}")
    if(NOT FRAZIL_VENV_PYTHON)
      message(FATAL_ERROR "The messages ${NAME} are not in ${FRAZIL_DEPS_DIR}: run 'make setup'")
    endif()
    execute_process(COMMAND ${command} --only generate ${directory} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  add_custom_command(
    OUTPUT ${library}
    COMMAND ${command} ${directory}
    COMMENT "Compiling the messages ${NAME} (once for all build folders)"
    USES_TERMINAL VERBATIM)
  add_custom_target(${NAME}_library DEPENDS ${library})
  add_library(frazil_third_party_${NAME} INTERFACE)
  add_dependencies(frazil_third_party_${NAME} ${NAME}_library)
  target_link_libraries(frazil_third_party_${NAME} INTERFACE ${library})
endfunction()

frazil_connect_messages(spark_connect_proto spark-connect spark/connect/base.pb.h)
target_include_directories(frazil_third_party_spark_connect_proto SYSTEM INTERFACE
  ${FRAZIL_DEPS_DIR}/spark-connect/include)
target_link_libraries(frazil_third_party_spark_connect_proto INTERFACE
  frazil_third_party_grpc frazil_third_party_protobuf)
# Under ThreadSanitizer protobuf's headers would lay out its maps otherwise than the library that is built once for all.
if(FRAZIL_SANITIZE STREQUAL "thread")
  target_compile_options(frazil_third_party_spark_connect_proto INTERFACE -U__SANITIZE_THREAD__)
endif()

if(NOT EXISTS "${FRAZIL_DEPS_DIR}/delta-spark/delta")
  message(FATAL_ERROR "delta-spark is not in ${FRAZIL_DEPS_DIR}: run 'make setup'")
endif()
frazil_connect_messages(delta_connect_proto delta-connect delta/connect/base.pb.h --delta ${FRAZIL_DEPS_DIR}/delta-spark)
# They hold messages of Spark Connect.
add_dependencies(delta_connect_proto_library spark_connect_proto_library)
target_link_libraries(frazil_third_party_delta_connect_proto INTERFACE frazil_third_party_spark_connect_proto)
# One file includes them; for all others the folder would only be one more place to look.
set_source_files_properties("${PROJECT_SOURCE_DIR}/src/frazil/connect/delta_extension.cc" PROPERTIES
  COMPILE_OPTIONS "-isystem;${FRAZIL_DEPS_DIR}/delta-connect/include")

if(FRAZIL_BUILD_TESTS)
  find_package(GTest REQUIRED CONFIG)
  add_library(frazil_third_party_gtest INTERFACE)
  target_link_libraries(frazil_third_party_gtest INTERFACE GTest::gtest GTest::gtest_main)
  if(TARGET GTest::gmock)
    target_link_libraries(frazil_third_party_gtest INTERFACE GTest::gmock)
  endif()
endif()
