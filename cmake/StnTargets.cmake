# The few shapes of target that this project has, so that flags and folders are set in one place.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# stn_pkg(NAME pkg-config-module...) makes PkgConfig::NAME once.
macro(stn_pkg name)
  if(NOT TARGET PkgConfig::${name})
    pkg_check_modules(${name} REQUIRED IMPORTED_TARGET GLOBAL ${ARGN})
  endif()
endmacro()

add_library(stn_flags INTERFACE)
target_compile_definitions(stn_flags INTERFACE _GNU_SOURCE)
target_compile_options(stn_flags INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith
  # A fused multiply-add rounds once where the reference rounds twice: it changes bits, so it is off everywhere.
  -ffp-contract=off
  -fno-strict-aliasing -fno-common)
if(STN_WERROR)
  target_compile_options(stn_flags INTERFACE -Werror)
endif()

if(STN_SANITIZE)
  add_compile_options(-fsanitize=${STN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${STN_SANITIZE})
  add_compile_definitions(STN_SANITIZED=1)
endif()
if(STN_FUZZ)
  # Coverage for the fuzzer in every library; the fuzz programs alone get the fuzzer's main.
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
  add_compile_definitions(STN_SANITIZED=1)
endif()

# stn_library(NAME sources...): a static library of the project. Headers are included from common/ or services/,
# as in "base/err.h" or "mesher/build.h".
function(stn_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PUBLIC stn_flags)
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/common)
  string(REGEX MATCH "/services/" in_services "${CMAKE_CURRENT_SOURCE_DIR}/")
  if(in_services)
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/services)
  endif()
endfunction()

# stn_program(NAME sources...): an executable in the bin folder of the build, installed.
function(stn_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE stn_flags)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/common ${PROJECT_SOURCE_DIR}/services)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()

# stn_unit_test(NAME LIBS...): tests/unit/test_NAME.c, a cmocka program run by ctest as unit.NAME.
function(stn_unit_test name)
  stn_pkg(cmocka cmocka)
  add_executable(test_${name} ${PROJECT_SOURCE_DIR}/tests/unit/test_${name}.c)
  target_link_libraries(test_${name} PRIVATE stn_test_support ${ARGN} PkgConfig::cmocka)
  set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/unit)
  add_test(NAME unit.${name} COMMAND test_${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT 120)
endfunction()

# What the thread sanitizer runs, and what the fuzz stage builds: `tests/run` builds these targets alone.
add_custom_target(threaded-tests)
add_custom_target(fuzz-tests)

# stn_threaded_tests(NAME...): unit tests of what has threads; they get the label `threads` too.
function(stn_threaded_tests)
  foreach(name ${ARGN})
    set_property(TEST unit.${name} APPEND PROPERTY LABELS threads)
    add_dependencies(threaded-tests test_${name})
  endforeach()
endfunction()

# stn_vector_suite(NAME LIBS...): tests/vectors/vec_NAME.c becomes BUILD/tests/vectors/vec-NAME, which takes a folder.
# It is run on the project's own part of the figures (tests/vectors/data/NAME), and on the whole where it is at hand.
function(stn_vector_suite name)
  string(REPLACE "-" "_" file ${name})
  add_executable(vec-${name} ${PROJECT_SOURCE_DIR}/tests/vectors/vec_${file}.c)
  target_link_libraries(vec-${name} PRIVATE stn_test_support ${ARGN})
  set_target_properties(vec-${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/vectors)
  add_test(NAME vectors.${name} COMMAND vec-${name} ${PROJECT_SOURCE_DIR}/tests/vectors/data/${name})
  set_tests_properties(vectors.${name} PROPERTIES LABELS vectors TIMEOUT 600)
  if(EXISTS ${PROJECT_SOURCE_DIR}/../shared/vectors/${name})
    add_test(NAME vectors.${name}.whole COMMAND vec-${name} ${PROJECT_SOURCE_DIR}/../shared/vectors/${name})
    set_tests_properties(vectors.${name}.whole PROPERTIES LABELS vectors TIMEOUT 900)
  endif()
endfunction()

# stn_bench(NAME LIBS...): tests/bench/bench_NAME.c; built, never run by ctest.
function(stn_bench name)
  add_executable(bench_${name} ${PROJECT_SOURCE_DIR}/tests/bench/bench_${name}.c)
  target_link_libraries(bench_${name} PRIVATE stn_test_support ${ARGN})
  set_target_properties(bench_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bench)
endfunction()

# stn_fuzz(NAME LIBS...): tests/fuzz/fuzz_NAME.c with the corpus tests/fuzz/corpus/NAME. With STN_FUZZ the program is a
# libFuzzer target; without it a plain driver runs the corpus once through the same entry, so that crashes stay tests.
function(stn_fuzz name)
  if(STN_FUZZ)
    add_executable(fuzz_${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_${name}.c)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    add_test(NAME fuzz.${name} COMMAND fuzz_${name} -max_total_time=5 -timeout=10 -rss_limit_mb=2048
             -print_final_stats=0 -artifact_prefix=${PROJECT_BINARY_DIR}/tests/fuzz/
             ${PROJECT_BINARY_DIR}/tests/fuzz/work/${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/tests/fuzz/work/${name})
  else()
    add_executable(fuzz_${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_${name}.c
                                ${PROJECT_SOURCE_DIR}/tests/fuzz/run_corpus.c)
    add_test(NAME fuzz.${name} COMMAND fuzz_${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
  endif()
  target_link_libraries(fuzz_${name} PRIVATE stn_test_support ${ARGN})
  set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/fuzz)
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 120)
  add_dependencies(fuzz-tests fuzz_${name})
endfunction()

# stn_script_test(NAME LABEL TIMEOUT script args...): a scenario, replay, e2e or chaos script; it is given the build folder
# in STN_BUILD and the source folder in STN_SOURCE. RUN_SERIAL: these measure or kill whole processes.
function(stn_script_test name label timeout)
  add_test(NAME ${label}.${name} COMMAND ${ARGN})
  set_tests_properties(${label}.${name} PROPERTIES LABELS ${label} TIMEOUT ${timeout} RUN_SERIAL TRUE
    ENVIRONMENT "STN_BUILD=${PROJECT_BINARY_DIR};STN_SOURCE=${PROJECT_SOURCE_DIR}")
endfunction()
