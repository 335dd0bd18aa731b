# FFmpeg's libraries (LGPL-2.1+), from the system: 5.1 and newer.
pkg_check_modules(FFMPEG REQUIRED IMPORTED_TARGET libavformat>=59 libavcodec>=59 libavutil>=57 libswscale>=6
                  libswresample>=4 libavdevice>=59)
