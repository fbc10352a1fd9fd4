# cmake -DOUT=file.c -DFILES="a;b" -P embed.cmake: every file becomes a NUL-terminated array stn_shader_NAME, so that an
# installed program needs no data folder.
separate_arguments(FILES)
set(text "/* Generated from gl/shaders by embed.cmake. */\n#include \"renderer/gl/shaders.h\"\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND text "const char stn_shader_${name}[] = {${hex}0};\n")
endforeach()
file(WRITE ${OUT} "${text}")
