# Compiles a folder of static files into a library.
#
# braid_embed(TARGET DIR HEADER FUNCTION): `FUNCTION`, declared in HEADER, gives the files of DIR as
# net::StaticFile; index.html is "/". cmake/embed_files.cmake writes them down when one has changed.
function(braid_embed target dir header function)
  file(GLOB files CONFIGURE_DEPENDS ${dir}/*.html ${dir}/*.css ${dir}/*.js ${dir}/*.svg)
  set(out ${CMAKE_BINARY_DIR}/embedded/${function}.cpp)
  set(script ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake)
  add_custom_command(
    OUTPUT ${out} DEPENDS ${files} ${script} VERBATIM COMMENT "Writing down the files of ${dir}"
    COMMAND ${CMAKE_COMMAND} "-DFILES=${files}" -DOUT=${out} -DHEADER=${header} -DFUNCTION=${function} -P ${script})
  target_sources(${target} PRIVATE ${out})
endfunction()
