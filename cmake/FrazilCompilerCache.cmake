# ccache is used when it is there. Paths are hashed relative to the source tree, so that all build folders share results;
# the sloppiness values are those that precompiled headers need.
find_program(FRAZIL_CCACHE ccache)
if(FRAZIL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(FRAZIL_COMPILER_LAUNCHER
      "${CMAKE_COMMAND};-E;env;CCACHE_BASEDIR=${CMAKE_CURRENT_SOURCE_DIR};CCACHE_NOHASHDIR=1;CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime;${FRAZIL_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${FRAZIL_COMPILER_LAUNCHER}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${FRAZIL_COMPILER_LAUNCHER}")
endif()
