// Enough of WASI for programs that run in Node on the files of this system. Node's own (node:wasi) ends the process when
// the memory of a program grows large.
import {
  closeSync, constants, fstatSync, fsyncSync, ftruncateSync, lstatSync, mkdirSync, openSync, readdirSync, readSync,
  renameSync, rmdirSync, statSync, unlinkSync, writeSync,
} from "node:fs";
import { getRandomValues } from "node:crypto";

const codes = { EBADF: 8, EEXIST: 20, EINVAL: 28, EISDIR: 31, ENOENT: 44, ENOTDIR: 54, ENOTEMPTY: 55, EACCES: 2, ENOSYS: 52 };
const root = 3;

export class Ended {
  constructor(code) {
    this.code = code;
  }
}

/** The imports of a program; `memory` returns its memory once there is one. */
export function imports(args, memory) {
  const view = () => new DataView(memory().buffer);
  const bytes = (at, length) => new Uint8Array(memory().buffer, at, length);
  const text = (at, length) => new TextDecoder().decode(bytes(at, length));
  const open = new Map([[root, { path: "/", directory: true }]]);
  let next = root + 1;

  // What a call of the system refuses is its error number.
  const attempt = (call) => {
    try {
      return call() ?? 0;
    } catch (error) {
      if (error instanceof Ended || !error.code) throw error;
      return codes[error.code] ?? 29;
    }
  };
  const refuse = (code) => {
    throw Object.assign(new Error(code), { code });
  };
  const file = (fd) => open.get(fd) ?? refuse("EBADF");
  const join = (fd, at, length) => `${file(fd).path}/${text(at, length)}`;
  const set64 = (at, value) => view().setBigUint64(at, BigInt(value), true);
  const set32 = (at, value) => view().setUint32(at, value, true);

  const strings = (list) => list.map((one) => new TextEncoder().encode(`${one}\0`));
  const environment = strings(Object.entries(process.env).map(([name, value]) => `${name}=${value}`));
  const sizes = (list) => (count, size) => {
    set32(count, list.length);
    set32(size, list.reduce((sum, one) => sum + one.length, 0));
    return 0;
  };
  const contents = (list) => (pointers, buffer) => {
    list.forEach((one, i) => {
      set32(pointers + 4 * i, buffer);
      bytes(buffer, one.length).set(one);
      buffer += one.length;
    });
    return 0;
  };

  const put_status = (at, status) => {
    bytes(at, 64).fill(0);
    view().setUint8(at + 16, status.isDirectory() ? 3 : status.isFile() ? 4 : 2);
    set64(at + 24, 1);
    set64(at + 32, status.size);
    set64(at + 48, BigInt(Math.round(status.mtimeMs)) * 1000000n);
    return 0;
  };
  // Moves the buffers of a list by call(buffer, offset), from a position on; how many bytes were moved.
  const move = (call, list, count, from) => {
    let total = 0;
    for (let i = 0; i < count; ++i) {
      const buffer = bytes(view().getUint32(list + 8 * i, true), view().getUint32(list + 8 * i + 4, true));
      const n = buffer.length ? call(buffer, from + total) : 0;
      total += n;
      if (n < buffer.length) break;
    }
    return total;
  };
  const host = (fd) => (fd < root ? fd : file(fd).host);
  const reads = (fd) => (buffer, at) => readSync(host(fd), buffer, 0, buffer.length, fd < root ? null : at);
  const writes = (fd) => (buffer, at) => writeSync(host(fd), buffer, 0, buffer.length, fd < root ? null : at);
  const sequential = (way) => (fd, list, count, done) =>
    attempt(() => {
      const at = fd < root ? { position: 0 } : file(fd);
      if (at.append) at.position = fstatSync(at.host).size;
      const n = move(way(fd), list, count, at.position);
      at.position += n;
      set32(done, n);
    });
  const positioned = (way) => (fd, list, count, at, done) =>
    attempt(() => set32(done, move(way(fd), list, count, Number(at))));

  const open_path = (fd, flags, at, length, oflags, rights, inheriting, fdflags, result) =>
    attempt(() => {
      const path = join(fd, at, length);
      const [create, directory, exclusive, truncate] = [oflags & 1, oflags & 2, oflags & 4, oflags & 8];
      if (!create && statSync(path).isDirectory()) {
        open.set(next, { path, directory: true });
      } else {
        if (directory) refuse("ENOTDIR");
        const mode = rights & 64n ? constants.O_RDWR : constants.O_RDONLY; // may be written
        const how = (create && constants.O_CREAT) | (exclusive && constants.O_EXCL) | (truncate && constants.O_TRUNC);
        open.set(next, { path, host: openSync(path, mode | how, 0o666), position: 0, append: fdflags & 1 });
      }
      set32(result, next++);
    });

  const read_directory = (fd, buffer, length, cookie, used) =>
    attempt(() => {
      const names = [".", "..", ...readdirSync(file(fd).path)];
      let at = 0;
      for (let i = Number(cookie); i < names.length && at < length; ++i) {
        const name = new TextEncoder().encode(names[i]);
        const entry = new Uint8Array(24 + name.length);
        const fields = new DataView(entry.buffer);
        fields.setBigUint64(0, BigInt(i + 1), true);
        fields.setUint32(16, name.length, true);
        fields.setUint8(20, statSync(`${file(fd).path}/${names[i]}`).isDirectory() ? 3 : 4);
        entry.set(name, 24);
        const part = entry.subarray(0, length - at);
        bytes(buffer + at, part.length).set(part);
        at += part.length;
      }
      set32(used, at);
    });

  const seek = (fd, offset, whence, result) =>
    attempt(() => {
      if (fd < root) return 70; // not seekable
      const at = file(fd);
      const base = whence === 0 ? 0 : whence === 1 ? at.position : fstatSync(at.host).size;
      at.position = base + Number(offset);
      set64(result, at.position);
    });

  const descriptor_status = (fd, result) =>
    attempt(() => {
      bytes(result, 24).fill(0);
      view().setUint8(result, fd < root ? 2 : file(fd).directory ? 3 : 4);
      bytes(result + 8, 16).fill(0xff);
    });

  return {
    args_sizes_get: sizes(strings(args)),
    args_get: contents(strings(args)),
    environ_sizes_get: sizes(environment),
    environ_get: contents(environment),
    clock_res_get: (id, result) => (set64(result, 1000), 0),
    clock_time_get: (id, precision, result) => {
      set64(result, Math.round((id === 0 ? Date.now() : performance.now()) * 1e6));
      return 0;
    },
    random_get: (at, length) => {
      for (let i = 0; i < length; i += 65536) getRandomValues(bytes(at + i, Math.min(65536, length - i)));
      return 0;
    },
    sched_yield: () => 0,
    poll_oneoff: () => codes.ENOSYS,
    proc_exit: (code) => {
      throw new Ended(code);
    },
    fd_prestat_get: (fd, result) => attempt(() => (fd === root ? (set32(result, 0), set32(result + 4, 1)) : refuse("EBADF"))),
    fd_prestat_dir_name: (fd, at) => attempt(() => void (bytes(at, 1)[0] = 47)),
    fd_close: (fd) =>
      attempt(() => {
        if (file(fd).host !== undefined) closeSync(file(fd).host);
        open.delete(fd);
      }),
    fd_fdstat_get: descriptor_status,
    fd_fdstat_set_flags: () => 0,
    fd_filestat_get: (fd, at) => attempt(() => put_status(at, fd < root || !file(fd).directory ? fstatSync(host(fd)) : statSync(file(fd).path))),
    fd_filestat_set_size: (fd, size) => attempt(() => ftruncateSync(host(fd), Number(size))),
    fd_read: sequential(reads),
    fd_pread: positioned(reads),
    fd_write: sequential(writes),
    fd_pwrite: positioned(writes),
    fd_readdir: read_directory,
    fd_seek: seek,
    fd_tell: (fd, result) => seek(fd, 0n, 1, result),
    fd_sync: (fd) => attempt(() => (file(fd).directory ? 0 : fsyncSync(host(fd)))),
    path_open: open_path,
    path_create_directory: (fd, at, length) => attempt(() => void mkdirSync(join(fd, at, length))),
    path_remove_directory: (fd, at, length) => attempt(() => rmdirSync(join(fd, at, length))),
    path_unlink_file: (fd, at, length) => attempt(() => unlinkSync(join(fd, at, length))),
    path_filestat_get: (fd, flags, at, length, result) =>
      attempt(() => put_status(result, (flags & 1 ? statSync : lstatSync)(join(fd, at, length)))),
    path_rename: (fd, at, length, to, to_at, to_length) =>
      attempt(() => renameSync(join(fd, at, length), join(to, to_at, to_length))),
  };
}
