// Assertions about types, which tsc checks.

/** Whether two types are the same, and not only assignable. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** is<Expected>()(value): the type of the value is exactly the expected one. */
export const is =
  <Expected>() =>
  <Actual>(_value: Actual, ..._: Equal<Actual, Expected> extends true ? [] : [{ expected: Expected; actual: Actual }]): void => {};
