// Optimisers: steps along the gradients that backward collected, by PyTorch's formulas.

import { call, callAsync, own } from "./core.js";
import { internal } from "./table.js";

const drop = (number) => call(internal.drop_optimizer, [number]);

/** What the optimisers share. */
class Optimizer {
  #number;

  constructor(number) {
    this.#number = number;
    own(this, number, drop);
  }
  /** Changes every parameter that has a gradient, in place and unrecorded. */
  step() {
    call(internal.step, [this.#number]);
  }
  async step_async() {
    await callAsync(internal.step, [this.#number]);
  }
  /** Forgets the gradients. */
  zero_grad() {
    call(internal.zero_grad, [this.#number]);
  }
}

export class SGD extends Optimizer {
  constructor(params, { lr = 1e-3, momentum = 0, dampening = 0, weight_decay = 0, nesterov = false } = {}) {
    super(call(internal.sgd, [[...params], { lr, momentum, dampening, weight_decay, nesterov }]));
  }
}

function adam(params, { lr = 1e-3, betas = [0.9, 0.999], eps = 1e-8, weight_decay = 0 }, decoupled) {
  const [beta1, beta2] = betas;
  return call(internal.adam, [[...params], { lr, beta1, beta2, eps, weight_decay, decoupled }]);
}

export class Adam extends Optimizer {
  constructor(params, options = {}) {
    super(adam(params, options, false));
  }
}

/** Adam with decoupled weight decay. */
export class AdamW extends Optimizer {
  constructor(params, options = {}) {
    super(adam(params, { weight_decay: 1e-2, ...options }, true));
  }
}
