# cmake -DEXAMPLE= -DBUILD= -DSOURCE= -DGENERATOR= -P: installs, builds the example with find_package, asks it something.
set(prefix ${BUILD}/tests/prefix)
set(build ${BUILD}/tests/${EXAMPLE})

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${what} failed (${code}):\n${out}\n${err}")
  endif()
  set(output ${out} PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${build})
run("installing" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
run("configuring" ${CMAKE_COMMAND} -S ${SOURCE}/examples/${EXAMPLE} -B ${build} -G ${GENERATOR}
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${prefix})
run("building" ${CMAKE_COMMAND} --build ${build})
run("asking" ${build}/${EXAMPLE} ${SOURCE}/models/nano/samples/clip.mp4 "When did the umbrella appear?")
if(NOT output MATCHES "4\\.0s")
  message(FATAL_ERROR "the example said nothing of 4.0s:\n${output}")
endif()
