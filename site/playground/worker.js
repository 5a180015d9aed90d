// Runs the program for one request after the other. The program is made for WASI; of that, this has
// what it uses: standard input and output, a clock, random numbers. There are no files.
"use strict";

const BAD_FILE = 8;
const NO_SUCH_FILE = 44;

class Ended extends Error {}

// What the program may call: `input` is what it reads, `say` gets each line that it writes, `complain`
// what it writes to standard error.
const wasi = (input, say, complain) => {
  let memory;
  let read = 0;
  const view = () => new DataView(memory.buffer);
  const started = performance.now();
  const decoder = { 1: new TextDecoder(), 2: new TextDecoder() };
  let line = "";

  const write = (file, text) => {
    if (file === 2) return complain(text);
    const lines = (line + text).split("\n");
    line = lines.pop();
    lines.forEach(say);
  };
  // Calls `use` with each piece of memory that a list names; the bytes that it used, until it uses less.
  const pieces = (list, count, used, use) => {
    let total = 0;
    for (let at = list; at < list + 8 * count; at += 8) {
      const [start, length] = [view().getUint32(at, true), view().getUint32(at + 4, true)];
      const bytes = use(new Uint8Array(memory.buffer, start, length));
      total += bytes;
      if (bytes < length) break;
    }
    view().setUint32(used, total, true);
    return 0;
  };
  const known = {
    fd_write(file, list, count, used) {
      if (file !== 1 && file !== 2) return BAD_FILE;
      return pieces(list, count, used, (bytes) => {
        write(file, decoder[file].decode(bytes, { stream: true }));
        return bytes.length;
      });
    },
    fd_read(file, list, count, used) {
      if (file !== 0) return BAD_FILE;
      return pieces(list, count, used, (bytes) => {
        const next = input.subarray(read, read + bytes.length);
        bytes.set(next);
        read += next.length;
        return next.length;
      });
    },
    clock_time_get(clock, _precision, time) {
      const now = clock === 0 ? Date.now() : performance.now() - started;
      view().setBigUint64(time, BigInt(Math.round(now * 1e6)), true);
      return 0;
    },
    random_get(start, length) {
      crypto.getRandomValues(new Uint8Array(memory.buffer, start, length));
      return 0;
    },
    environ_sizes_get(count, bytes) {
      view().setUint32(count, 0, true);
      view().setUint32(bytes, 0, true);
      return 0;
    },
    environ_get: () => 0,
    sched_yield: () => 0,
    fd_fdstat_get(file, stat) {
      if (file > 2) return BAD_FILE;
      new Uint8Array(memory.buffer, stat, 24).fill(0);
      // A character device.
      view().setUint8(stat, 2);
      return 0;
    },
    path_open: () => NO_SUCH_FILE,
    path_unlink_file: () => NO_SUCH_FILE,
    proc_exit(code) {
      throw new Ended(`it ended with ${code}`);
    },
  };
  const none = () => BAD_FILE;
  return {
    imports: new Proxy(known, { get: (calls, name) => calls[name] ?? none }),
    start(instance) {
      memory = instance.exports.memory;
      try {
        instance.exports._start();
      } catch (error) {
        if (!(error instanceof Ended)) throw error;
      }
    },
  };
};

let program;

onmessage = async ({ data }) => {
  if (data.module) {
    program = data.module;
    return;
  }
  let complaints = "";
  const say = (line) => postMessage({ id: data.id, line });
  const input = new TextEncoder().encode(JSON.stringify(data.request));
  const system = wasi(input, say, (text) => {
    complaints += text;
  });
  try {
    system.start(await WebAssembly.instantiate(program, { wasi_snapshot_preview1: system.imports }));
  } catch (error) {
    complaints += `${error}`;
  }
  postMessage({ id: data.id, complaints });
};
