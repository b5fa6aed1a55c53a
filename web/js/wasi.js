// A file system in memory, and the other imports that the library's C functions need (WASI preview 1).
// Files are bytes, or Blobs that are read piece by piece where the platform can do that without waiting (workers).

const errno = { success: 0, badf: 8, exist: 20, inval: 28, io: 29, noent: 44, nosys: 52, notdir: 54, isdir: 31 };
const type = { directory: 3, file: 4, character: 2 };
const root = 3; // the descriptor of "/"

const clean = (path) =>
  "/" +
  path
    .split("/")
    .filter((part) => part && part !== ".")
    .join("/");

/** The content of a file: bytes that can grow. */
class Bytes {
  constructor(bytes = new Uint8Array(0)) {
    this.bytes = bytes;
    this.size = bytes.length;
  }
  read(at, length) {
    return this.bytes.subarray(at, Math.min(at + length, this.size));
  }
  write(at, bytes) {
    this.resize(Math.max(this.size, at + bytes.length));
    this.bytes.set(bytes, at);
  }
  resize(size) {
    if (size > this.bytes.length) {
      const grown = new Uint8Array(Math.max(size, 2 * this.bytes.length));
      grown.set(this.bytes.subarray(0, this.size));
      this.bytes = grown;
    }
    if (size < this.size) this.bytes.fill(0, size, this.size);
    this.size = size;
  }
}

const pieceSize = 1 << 20;

/** The content of a file that is being written: in pieces, so that a large one is never copied to grow. */
class Pieces {
  #pieces = [];
  size = 0;

  read(at, length) {
    const end = Math.min(at + length, this.size);
    if (at >= end) return new Uint8Array(0);
    const begin = at % pieceSize;
    if (begin + end - at <= pieceSize) return this.#pieces[Math.floor(at / pieceSize)].subarray(begin, begin + end - at);
    const bytes = new Uint8Array(end - at);
    this.#each(at, bytes, (piece, part) => part.set(piece));
    return bytes;
  }
  write(at, bytes) {
    this.resize(Math.max(this.size, at + bytes.length));
    this.#each(at, bytes, (piece, part) => piece.set(part));
  }
  resize(size) {
    while (this.#pieces.length * pieceSize < size) this.#pieces.push(new Uint8Array(pieceSize));
    if (size < this.size) {
      this.#pieces.length = Math.ceil(size / pieceSize);
      if (size % pieceSize) this.#pieces.at(-1).fill(0, size % pieceSize);
    }
    this.size = size;
  }
  /** Without a copy in between. */
  blob() {
    return new Blob(this.#pieces.map((piece, i) => piece.subarray(0, Math.min(pieceSize, this.size - i * pieceSize))));
  }
  /** Calls visit with the parts of the pieces and of the bytes that lie at the same place. */
  #each(at, bytes, visit) {
    for (let done = 0; done < bytes.length; ) {
      const begin = (at + done) % pieceSize;
      const n = Math.min(pieceSize - begin, bytes.length - done);
      visit(this.#pieces[Math.floor((at + done) / pieceSize)].subarray(begin, begin + n), bytes.subarray(done, done + n));
      done += n;
    }
  }
}

/** A file of the user's that stays where it is. Reading costs much more by the call than by the byte, so it reads ahead. */
class BlobContent {
  #piece = new Uint8Array(0);
  #begin = 0; // of the piece
  constructor(blob) {
    this.blob = blob;
    this.size = blob.size;
    this.reader = new FileReaderSync();
  }
  read(at, length) {
    const end = Math.min(at + length, this.size);
    if (at < this.#begin || end > this.#begin + this.#piece.length) {
      const stop = Math.max(end, Math.min(at + ahead, this.size));
      this.#piece = new Uint8Array(this.reader.readAsArrayBuffer(this.blob.slice(at, stop)));
      this.#begin = at;
    }
    return this.#piece.subarray(at - this.#begin, end - this.#begin);
  }
}
const ahead = 8 << 20;

export class Files {
  #content = new Map(); // by path
  #open = new Map(); // by descriptor
  #next = root + 1;
  #memory = null;
  /** Called with what is printed: (descriptor, text). */
  print = (descriptor, text) => (descriptor === 2 ? console.error(text) : console.log(text));

  attach(memory) {
    this.#memory = memory;
  }

  // ---- for the package ----

  put(path, bytes) {
    this.#content.set(clean(path), new Bytes(bytes));
  }
  /** Only where FileReaderSync exists. */
  putBlob(path, blob) {
    this.#content.set(clean(path), new BlobContent(blob));
  }
  has(path) {
    return this.#content.has(clean(path));
  }
  get(path) {
    const file = this.#content.get(clean(path));
    return file.read(0, file.size).slice();
  }
  /** The content as a Blob. */
  blob(path) {
    const file = this.#content.get(clean(path));
    return file.blob?.() ?? new Blob([file.read(0, file.size)]);
  }
  remove(path) {
    this.#content.delete(clean(path));
  }
  list() {
    return [...this.#content.keys()];
  }

  // ---- imports ----

  #view() {
    return new DataView(this.#memory.buffer);
  }
  #text(pointer, length) {
    return new TextDecoder().decode(new Uint8Array(this.#memory.buffer, pointer, length).slice());
  }

  /** The buffers of a list of (pointer, length). */
  *#buffers(list, count) {
    for (let i = 0; i < count; ++i) {
      const view = this.#view();
      yield new Uint8Array(this.#memory.buffer, view.getUint32(list + 8 * i, true), view.getUint32(list + 8 * i + 4, true));
    }
  }

  #read(descriptor, list, count, at, done) {
    const file = this.#open.get(descriptor);
    if (!file) return errno.badf;
    let total = 0;
    try {
      for (const buffer of this.#buffers(list, count)) {
        const bytes = file.content.read(at + total, buffer.length);
        buffer.set(bytes);
        total += bytes.length;
        if (bytes.length < buffer.length) break;
      }
    } catch {
      return errno.io; // the file behind a Blob has changed or is gone
    }
    this.#view().setUint32(done, total, true);
    return errno.success;
  }

  #write(descriptor, list, count, at, done) {
    const file = this.#open.get(descriptor);
    if (!file?.content.write) return errno.badf;
    let total = 0;
    for (const buffer of this.#buffers(list, count)) {
      file.content.write(at + total, buffer);
      total += buffer.length;
    }
    this.#view().setUint32(done, total, true);
    return errno.success;
  }

  #print(descriptor, list, count, done) {
    let total = 0;
    let text = "";
    for (const buffer of this.#buffers(list, count)) {
      text += new TextDecoder().decode(buffer.slice());
      total += buffer.length;
    }
    this.print(descriptor, text);
    this.#view().setUint32(done, total, true);
    return errno.success;
  }

  #stat(pointer, which, size) {
    const view = this.#view();
    for (let i = 0; i < 64; i += 8) view.setBigUint64(pointer + i, 0n, true);
    view.setUint8(pointer + 16, which);
    view.setBigUint64(pointer + 24, 1n, true);
    view.setBigUint64(pointer + 32, BigInt(size), true);
    return errno.success;
  }

  #openPath(path, flags, fdflags, result) {
    const [create, directory, exclusive, truncate] = [flags & 1, flags & 2, flags & 4, flags & 8];
    let content = this.#content.get(path);
    if (!content && path === "/") return errno.isdir;
    if (directory && content) return errno.notdir;
    if (content && create && exclusive) return errno.exist;
    if (!content && !create) return errno.noent;
    if (!content) this.#content.set(path, (content = new Pieces()));
    if (truncate) content.resize(0);
    this.#open.set(this.#next, { content, path, position: 0, append: fdflags & 1 });
    this.#view().setUint32(result, this.#next++, true);
    return errno.success;
  }

  #environment() {
    const all = typeof process === "object" ? (process.env ?? {}) : {};
    return Object.entries(all)
      .filter(([name]) => name.startsWith("TAMIS_"))
      .map(([name, value]) => new TextEncoder().encode(`${name}=${value}\0`));
  }

  /** Addresses from 2 GiB on come as negative numbers. */
  imports() {
    const unsigned = (value) => (typeof value === "number" ? value >>> 0 : value);
    return Object.fromEntries(
      Object.entries(this.#functions()).map(([name, f]) => [name, (...args) => f(...args.map(unsigned))]),
    );
  }

  #functions() {
    const none = () => errno.nosys;
    const fine = () => errno.success;
    // Moves bytes at the position of a file, and the position after them.
    const advance = (fd, done, move) => {
      const file = this.#open.get(fd);
      if (!file) return errno.badf;
      const code = move(file);
      if (code === errno.success) file.position += this.#view().getUint32(done, true);
      return code;
    };
    return {
      args_get: fine,
      args_sizes_get: (count, size) => {
        this.#view().setUint32(count, 0, true);
        this.#view().setUint32(size, 0, true);
        return errno.success;
      },
      environ_sizes_get: (count, size) => {
        const all = this.#environment();
        this.#view().setUint32(count, all.length, true);
        this.#view().setUint32(size, all.reduce((sum, text) => sum + text.length, 0), true);
        return errno.success;
      },
      environ_get: (pointers, buffer) => {
        for (const text of this.#environment()) {
          this.#view().setUint32(pointers, buffer, true);
          new Uint8Array(this.#memory.buffer, buffer, text.length).set(text);
          pointers += 4;
          buffer += text.length;
        }
        return errno.success;
      },
      clock_res_get: (id, result) => {
        this.#view().setBigUint64(result, 1000n, true);
        return errno.success;
      },
      clock_time_get: (id, precision, result) => {
        const milliseconds = id === 0 ? Date.now() : performance.now();
        this.#view().setBigUint64(result, BigInt(Math.round(milliseconds * 1e6)), true);
        return errno.success;
      },
      random_get: (pointer, length) => {
        for (let at = 0; at < length; at += 65536) {
          crypto.getRandomValues(new Uint8Array(this.#memory.buffer, pointer + at, Math.min(65536, length - at)));
        }
        return errno.success;
      },
      sched_yield: fine,
      poll_oneoff: none,
      proc_exit: (code) => {
        throw new Error(`the library ended with code ${code}`);
      },
      fd_advise: fine,
      fd_allocate: none,
      fd_sync: fine,
      fd_datasync: fine,
      fd_close: (fd) => (this.#open.delete(fd) ? errno.success : errno.badf),
      fd_fdstat_get: (fd, result) => {
        if (fd > root && !this.#open.has(fd)) return errno.badf;
        const view = this.#view();
        for (let i = 0; i < 24; i += 8) view.setBigUint64(result + i, 0n, true);
        view.setUint8(result, fd === root ? type.directory : fd < root ? type.character : type.file);
        view.setBigUint64(result + 8, 0xffffffffffffffffn, true);
        view.setBigUint64(result + 16, 0xffffffffffffffffn, true);
        return errno.success;
      },
      fd_fdstat_set_flags: fine,
      fd_filestat_get: (fd, result) => {
        if (fd === root) return this.#stat(result, type.directory, 0);
        if (fd < root) return this.#stat(result, type.character, 0);
        const file = this.#open.get(fd);
        return file ? this.#stat(result, type.file, file.content.size) : errno.badf;
      },
      fd_filestat_set_size: (fd, size) => {
        const file = this.#open.get(fd);
        if (!file?.content.resize) return errno.badf;
        file.content.resize(Number(size));
        return errno.success;
      },
      fd_filestat_set_times: fine,
      fd_read: (fd, list, count, done) =>
        advance(fd, done, (file) => this.#read(fd, list, count, file.position, done)),
      fd_pread: (fd, list, count, at, done) => this.#read(fd, list, count, Number(at), done),
      fd_write: (fd, list, count, done) => {
        if (fd === 1 || fd === 2) return this.#print(fd, list, count, done);
        return advance(fd, done, (file) => {
          if (file.append) file.position = file.content.size;
          return this.#write(fd, list, count, file.position, done);
        });
      },
      fd_pwrite: (fd, list, count, at, done) => this.#write(fd, list, count, Number(at), done),
      fd_seek: (fd, offset, whence, result) => {
        const file = this.#open.get(fd);
        if (!file) return errno.badf;
        const from = [0, file.position, file.content.size][whence];
        const position = from + Number(offset);
        if (position < 0) return errno.inval;
        file.position = position;
        this.#view().setBigUint64(result, BigInt(position), true);
        return errno.success;
      },
      fd_tell: (fd, result) => {
        const file = this.#open.get(fd);
        if (!file) return errno.badf;
        this.#view().setBigUint64(result, BigInt(file.position), true);
        return errno.success;
      },
      fd_readdir: none,
      fd_renumber: none,
      fd_prestat_get: (fd, result) => {
        if (fd !== root) return errno.badf;
        this.#view().setUint32(result, 0, true);
        this.#view().setUint32(result + 4, 1, true);
        return errno.success;
      },
      fd_prestat_dir_name: (fd, pointer, length) => {
        if (fd !== root || length < 1) return errno.badf;
        this.#view().setUint8(pointer, "/".charCodeAt(0));
        return errno.success;
      },
      path_open: (fd, lookup, pointer, length, flags, rights, inheriting, fdflags, result) =>
        this.#openPath(clean(this.#text(pointer, length)), flags, fdflags, result),
      path_filestat_get: (fd, lookup, pointer, length, result) => {
        const path = clean(this.#text(pointer, length));
        const content = this.#content.get(path);
        if (content) return this.#stat(result, type.file, content.size);
        const isFolder = path === "/" || this.list().some((name) => name.startsWith(`${path}/`)) || path === "/tmp";
        return isFolder ? this.#stat(result, type.directory, 0) : errno.noent;
      },
      path_filestat_set_times: fine,
      path_rename: (fd, from, fromLength, toFd, to, toLength) => {
        const [before, after] = [clean(this.#text(from, fromLength)), clean(this.#text(to, toLength))];
        const content = this.#content.get(before);
        if (!content) return errno.noent;
        this.#content.delete(before);
        this.#content.set(after, content);
        return errno.success;
      },
      path_unlink_file: (fd, pointer, length) =>
        this.#content.delete(clean(this.#text(pointer, length))) ? errno.success : errno.noent,
      path_create_directory: fine,
      path_remove_directory: fine,
      path_readlink: () => errno.inval,
      path_link: none,
      path_symlink: none,
    };
  }
}
