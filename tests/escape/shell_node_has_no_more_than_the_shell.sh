#! end: done
#! why: JavaScript that the shell starts
#! calls: 2
#! stdout: "CapabilityError undefined fine\n"
node -e 'secret({}).catch((e) => process.stdout.write(e.name + " " + typeof process.binding + " "))'
node -e 'try { require("child_process").execSync("tool secret") } catch { }'
node -e 'for (const name of ["net", "http", "vm", "worker_threads", "inspector", "ffi"]) try { require(name).Socket; process.stdout.write(name) } catch { }'
echo fine
