import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '@playwright/test';
import { record } from '@overtone/testkit/recordings';
import { containers } from './containers.e2e.ts';
import { openStack, type Stack } from './containers/stack.ts';
import { cooking, meeting } from './recordings.ts';
import { createDeferred, registerSuites } from './suite.ts';

// compose.yaml in real containers: `./overtone test containers`.
const stack = createDeferred<Stack>('the stack');
let folder = '';

test.beforeAll(async () => {
  test.setTimeout(120_000);
  folder = await mkdtemp(join(tmpdir(), 'overtone-container-recordings-'));
  stack.set(await openStack());
});
test.afterAll(async () => {
  test.setTimeout(600_000);
  await stack.value.close();
  await rm(folder, { recursive: true, force: true });
});

const recordings = {
  first: () => record(join(folder, 'meeting.wav'), meeting),
  second: () => record(join(folder, 'cooking.wav'), cooking),
};
registerSuites([containers({ stack: stack.value, recordings })], () => stack.value.evidence());
