// What a test file imports as `@jest/globals`; files.mjs has made them for this file.
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = globalThis;
