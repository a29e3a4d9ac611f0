# Language level, warnings, linker and sanitizers of everything that is ours.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")

# Line tables are enough for stack traces, and keep objects, precompiled headers and links small.
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1 -D_GLIBCXX_ASSERTIONS")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")

# One way to generate code for libraries and programs alike, or they could not share precompiled headers.
add_compile_options(-fPIC)

find_program(FRAZIL_MOLD mold)
if(FRAZIL_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
add_link_options(-Wl,--as-needed)

if(FRAZIL_SANITIZE)
  add_compile_options(-fsanitize=${FRAZIL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FRAZIL_SANITIZE})
endif()

find_package(Threads REQUIRED)

# Warnings are errors in our own folders only: third-party headers come in as SYSTEM.
add_library(frazil_warnings INTERFACE)
# Warnings are errors where we develop; a user's release build with another compiler must not fail for one.
target_compile_options(frazil_warnings INTERFACE -Wall -Wextra $<$<CONFIG:Debug>:-Werror>)

# GCC 12 looks through inlined code of its own standard library at -O2 and warns of what cannot be: bytes before a
# string's first (GCC bug 105651), an optional that is read while empty (80635). Debug builds keep these warnings.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  foreach(warning restrict array-bounds maybe-uninitialized stringop-overflow stringop-overread)
    target_compile_options(frazil_warnings INTERFACE $<$<CONFIG:Release>:-Wno-${warning}>)
  endforeach()
endif()
