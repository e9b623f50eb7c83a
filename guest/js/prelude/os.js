// SPDX-License-Identifier: MIT
/* os.js -- Node's `os`, describing the sandbox and nothing of the host. */
(function () {
  'use strict';
  const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGKILL: 9, SIGPIPE: 13, SIGALRM: 14, SIGTERM: 15 };
  return {
    EOL: '\n', devNull: '/dev/null', constants: { signals: SIGNALS },
    platform: () => 'linux', type: () => 'Cloche', release: () => '1.0.0', version: () => 'Cloche',
    arch: () => 'wasm32', machine: () => 'wasm32', endianness: () => 'LE', hostname: () => 'cloche',
    homedir: () => '/workspace', tmpdir: () => '/tmp',
    userInfo: () => ({ uid: 1000, gid: 1000, username: 'user', homedir: '/workspace', shell: '/bin/sh' }),
    cpus: () => [{ model: 'sandbox', speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
    availableParallelism: () => 1, totalmem: () => 67108864, freemem: () => 67108864,
    loadavg: () => [0, 0, 0], uptime: () => performance.now() / 1000, networkInterfaces: () => ({}),
  };
})
