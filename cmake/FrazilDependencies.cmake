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

add_library(frazil_third_party_roaring INTERFACE)
find_library(FRAZIL_ROARING_LIBRARY roaring REQUIRED)
target_link_libraries(frazil_third_party_roaring INTERFACE ${FRAZIL_ROARING_LIBRARY})

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

# Spark Connect messages and service: generated and compiled once into FRAZIL_DEPS_DIR (minutes of compile time), so
# that every build folder shares them. tools/setup/spark_connect.py says how; it locks, and does nothing when all is there.
set(FRAZIL_SPARK_CONNECT_DIR "${FRAZIL_DEPS_DIR}/spark-connect")
set(FRAZIL_SPARK_CONNECT_LIBRARY "${FRAZIL_SPARK_CONNECT_DIR}/libspark_connect_proto.a")
find_program(FRAZIL_VENV_PYTHON python3 HINTS "${FRAZIL_DEPS_DIR}/../venv/bin" NO_DEFAULT_PATH)
if(NOT EXISTS "${FRAZIL_SPARK_CONNECT_DIR}/include/spark/connect/base.pb.h")
  if(NOT FRAZIL_VENV_PYTHON)
    message(FATAL_ERROR "The Spark Connect messages are not in ${FRAZIL_DEPS_DIR}: run 'make setup'")
  endif()
  execute_process(
    COMMAND ${FRAZIL_VENV_PYTHON} ${PROJECT_SOURCE_DIR}/tools/setup/spark_connect.py --only generate ${FRAZIL_SPARK_CONNECT_DIR}
    COMMAND_ERROR_IS_FATAL ANY)
endif()
add_custom_command(
  OUTPUT ${FRAZIL_SPARK_CONNECT_LIBRARY}
  COMMAND ${FRAZIL_VENV_PYTHON} ${PROJECT_SOURCE_DIR}/tools/setup/spark_connect.py ${FRAZIL_SPARK_CONNECT_DIR}
  COMMENT "Compiling the Spark Connect messages (once for all build folders)"
  USES_TERMINAL VERBATIM)
add_custom_target(spark_connect_proto_library DEPENDS ${FRAZIL_SPARK_CONNECT_LIBRARY})
add_library(frazil_third_party_spark_connect_proto INTERFACE)
add_dependencies(frazil_third_party_spark_connect_proto spark_connect_proto_library)
target_include_directories(frazil_third_party_spark_connect_proto SYSTEM INTERFACE ${FRAZIL_SPARK_CONNECT_DIR}/include)
# Under ThreadSanitizer protobuf's headers would lay out its maps otherwise than the library that is built once for all.
if(FRAZIL_SANITIZE STREQUAL "thread")
  target_compile_options(frazil_third_party_spark_connect_proto INTERFACE -U__SANITIZE_THREAD__)
endif()
target_link_libraries(frazil_third_party_spark_connect_proto INTERFACE
  ${FRAZIL_SPARK_CONNECT_LIBRARY} frazil_third_party_grpc frazil_third_party_protobuf)

if(FRAZIL_BUILD_TESTS)
  find_package(GTest REQUIRED CONFIG)
  add_library(frazil_third_party_gtest INTERFACE)
  target_link_libraries(frazil_third_party_gtest INTERFACE GTest::gtest GTest::gtest_main)
  if(TARGET GTest::gmock)
    target_link_libraries(frazil_third_party_gtest INTERFACE GTest::gmock)
  endif()
endif()
