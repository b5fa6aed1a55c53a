// TamisError: the one exception type of the package.

/**
 * Thrown by every function that refuses its arguments, before anything is written. `kind` says what rule was broken:
 * shape, dtype, index, value, unsupported, memory, format, io, device, argument or condition.
 */
export class TamisError extends Error {
  constructor(kind, message, options) {
    super(message, options);
    this.name = "TamisError";
    this.kind = kind;
  }
}
