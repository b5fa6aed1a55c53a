// The worker of the explorer: reads files piece by piece, and does what takes time. It is ended when its work is not wanted
// any more.

const ready = import("./library.js");

let queue = Promise.resolve();

self.onmessage = ({ data: { id, name, request, files } }) => {
  queue = queue.then(async () => {
    try {
      const library = await ready;
      library.setReport((progress) => self.postMessage({ id, progress }));
      const { answer, transfer } = await library.answer(name, request, files);
      self.postMessage({ id, answer }, transfer);
    } catch (error) {
      self.postMessage({ id, error: { kind: error.kind ?? "internal", message: error.message ?? String(error) } });
    }
  });
};
