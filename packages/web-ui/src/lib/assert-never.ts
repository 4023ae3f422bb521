/** The default case of a switch over a union: a missing case does not compile. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value ${JSON.stringify(value)}`);
}
