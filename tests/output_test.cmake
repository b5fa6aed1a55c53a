# Runs PROGRAM, keeps what it prints in ACTUAL and fails with a diff if that is not the file EXPECTED.
execute_process(COMMAND "${PROGRAM}" ${ARGUMENTS} OUTPUT_FILE "${ACTUAL}" RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${result}")
endif()

execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${EXPECTED}" "${ACTUAL}"
                RESULT_VARIABLE differs OUTPUT_QUIET ERROR_QUIET)
if(differs)
  execute_process(COMMAND diff -u "${EXPECTED}" "${ACTUAL}")
  message(FATAL_ERROR "the output is not as expected; if it is right now, copy\n  ${ACTUAL}\n"
                      "to\n  ${EXPECTED}")
endif()
