# FFmpeg's libraries (LGPL-2.1+), from the system: 5.1 and newer.
pkg_check_modules(FFMPEG REQUIRED IMPORTED_TARGET libavformat>=59 libavcodec>=59 libavutil>=57 libswscale>=6
                  libswresample>=4)
# Of this one the headers alone: src/ingest/ffmpeg/devices.h loads it when it is needed.
pkg_check_modules(AVDEVICE REQUIRED libavdevice>=59)
