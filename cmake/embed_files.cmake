# Run by braid_embed: cmake -DFILES=... -DOUT=... -DHEADER=... -DFUNCTION=... -P embed_files.cmake
set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")
set(type_svg "image/svg+xml")

set(arrays "")
set(rows "")
set(number 0)
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  get_filename_component(kind ${file} LAST_EXT)
  string(SUBSTRING ${kind} 1 -1 kind)
  set(path /${name})
  if(name STREQUAL "index.html")
    set(path /)
  endif()
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${hex}")
  string(APPEND arrays "constexpr char kFile${number}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${path}\", \"${type_${kind}}\", {kFile${number}, sizeof(kFile${number})}, {}},\n")
  math(EXPR number "${number} + 1")
endforeach()

set(text "// Made by cmake/embed_files.cmake from the files it names; not to be edited.
#include \"${HEADER}\"

namespace braid::serve {

namespace {

${arrays}
constexpr net::StaticFile kFiles[] = {
${rows}};

}  // namespace

std::span<const net::StaticFile> ${FUNCTION}() { return kFiles; }

}  // namespace braid::serve
")
file(WRITE ${OUT} "${text}")
