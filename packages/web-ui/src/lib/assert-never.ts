/** Closes a switch over a union: a forgotten member does not compile. */
export const assertNever = (value: never): never => {
  throw new Error(`Unexpected value ${JSON.stringify(value)}`);
};
