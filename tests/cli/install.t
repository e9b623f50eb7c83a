What `make install` puts where, used as another project would.

$ cmake --install "$BUILD" --prefix "$PWD/prefix" > log || cat log
$ (cd prefix && find . -type f -o -type l | sed 's,lib/[^/]*-linux-gnu/,lib/,' | sort)
./bin/cloche
./include/cloche.h
./lib/cmake/cloche/cloche-config-version.cmake
./lib/cmake/cloche/cloche-config.cmake
./lib/libcloche.a
./lib/libcloche.so
./lib/libcloche.so.0
./lib/libcloche.so.0.1.0
./lib/pkgconfig/cloche.pc
$ dirname "$(find "$PWD/prefix" -name libcloche.so)" > lib
$ prefix/bin/cloche version | head -1
cloche 0.1.0

# Nothing is exported but the C API.
$ nm -D --defined-only "$(cat lib)/libcloche.so" | awk '{ print $3 }' | grep -v '^cloche_[a-z]'
[1]
$ readelf -d "$(cat lib)/libcloche.so" | grep -o 'libcloche.so.0'
libcloche.so.0

# C, C++, and a static link, through pkg-config.
$ cp "$ROOT/examples/embed/embed.c" . && export PKG_CONFIG_PATH="$(cat lib)/pkgconfig" &&
> cc -Wall -Wextra -Werror embed.c $(pkg-config --cflags --libs cloche) -Wl,-rpath,"$(cat lib)" -o embed && ./embed
adding
done: 6, after 3 calls
$ export PKG_CONFIG_PATH="$(cat lib)/pkgconfig" &&
> cc embed.c $(pkg-config --cflags cloche) "$(cat lib)/libcloche.a" -lsodium -lsqlite3 -lzstd -lm -pthread -o static && ./static
adding
done: 6, after 3 calls
$ printf '#include <cloche.h>\nint main() { return cloche_version()[0] == 0; }\n' > x.cc &&
> export PKG_CONFIG_PATH="$(cat lib)/pkgconfig" &&
> c++ -std=c++17 -Wall -Wextra -Werror x.cc $(pkg-config --cflags --libs cloche) -Wl,-rpath,"$(cat lib)" -o x && ./x

# And through CMake.
$ mkdir p && cat > p/CMakeLists.txt <<'E'
> cmake_minimum_required(VERSION 3.25)
> project(p C)
> find_package(cloche 0.1 REQUIRED)
> add_executable(shared ../embed.c)
> target_link_libraries(shared cloche::cloche)
> add_executable(static ../embed.c)
> target_link_libraries(static cloche::static)
> E
$ cmake -S p -B p/b -DCMAKE_PREFIX_PATH="$PWD/prefix" > log && cmake --build p/b > log || cat log
$ p/b/shared | tail -1; p/b/static | tail -1
done: 6, after 3 calls
done: 6, after 3 calls
