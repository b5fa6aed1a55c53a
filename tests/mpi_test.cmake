# Runs PROGRAM by MPIRUN with 1, 3 and 4 processes: each must succeed and print the same, and that it is what one finds.
foreach(processes IN ITEMS 1 3 4)
  execute_process(
    COMMAND "${MPIRUN}" --allow-run-as-root --oversubscribe -n ${processes} "${PROGRAM}"
    OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${processes} processes: ${status}\n${output}${errors}")
  endif()
  if(NOT output MATCHES "as in one process: yes\n$")
    message(FATAL_ERROR "${processes} processes differ from one process:\n${output}")
  endif()
  if(DEFINED first AND NOT output STREQUAL first)
    message(FATAL_ERROR "${processes} processes print\n${output}but one prints\n${first}")
  endif()
  set(first "${output}")
endforeach()
