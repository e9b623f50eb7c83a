# SPDX-License-Identifier: MIT
# For people; CMake does the work. `make` leaves the program at build/cloche.
.PHONY: all packages test-packages demo test bench bench-metering bench-peers install clean

all: build/build.ninja
	cmake --build build

# Anything missing is installed through apt; nothing happens when all of it is there.
packages:
	sh scripts/install-packages.sh

test-packages:
	sh scripts/install-packages.sh --with-tests

build/build.ninja: | packages
	cmake --preset release

demo: all
	python3 examples/refunds/demo.py build/cloche

test: test-packages all
	ctest --test-dir build --output-on-failure

bench: all
	cmake --build build --target bench_native bench_ours bench_limits bench_gate bench_files bench_shell
	build/cloche bench
	build/bench_limits
	python3 bench/compute.py build
	python3 bench/files.py build
	$$(test -x build/peers/bin/python && echo build/peers/bin/python || echo python3) bench/gate_peer.py build/bench_gate
	python3 bench/shell.py --ours build/bench_shell --jq build/oracles/jq $$(test ! -d build/peers/node_modules/just-bash || echo --peers build/peers)
	test ! -d build/peers/node_modules || (cd build/peers && node ../../bench/peers.mjs ../cloche)

# What fuel costs, beside the same guest without it, which takes as long to build as the guest.
bench-metering: all
	cmake --build build --target bench_ours bench_unmetered
	python3 bench/metering.py build

# Others to compare with, through npm and pip; `make bench` then prints them in the same run.
bench-peers:
	python3 -m venv build/peers
	build/peers/bin/pip install -q cedarpy==4.12.2
	cd build/peers && npm install --silent --no-save --no-package-lock quickjs-emscripten@0.32.0 quickjs-wasi@3.7.0 isolated-vm@5.0.4 just-bash@3.4.2 @everruns/bashkit@0.18.2

install: all
	cmake --install build

clean:
	rm -rf build build-*
