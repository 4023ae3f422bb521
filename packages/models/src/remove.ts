import { access, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelError } from './errors.ts';
import { listPlaces, modelName } from './model-folder.ts';
import { readTasks, requestCancel, taskFolder } from './task-status.ts';

const stopMs = 10_000;

/** Deletes a model; stops its pull, and deletes what it downloaded. @throws ModelError when there is no such model. */
export async function removeModel(cacheDir: string, name: string): Promise<void> {
  const folders = (await listPlaces(cacheDir)).filter((place) => place.name === name).map(({ folder }) => folder);
  const work = taskFolder(cacheDir, name);
  const hasWork = await access(work).then(
    () => true,
    () => false,
  );
  if (!modelName.test(name) || (folders.length === 0 && !hasWork))
    throw new ModelError('model_missing', `No model ${name} is installed in ${cacheDir}.`);
  await stopPull(cacheDir, name);
  for (const folder of [...folders, work]) await rm(folder, { recursive: true, force: true });
}

async function stopPull(cacheDir: string, name: string): Promise<void> {
  const deadline = Date.now() + stopMs;
  const isRunning = async (): Promise<boolean> =>
    (await readTasks(cacheDir)).some((task) => task.name === name && task.state === 'running');
  while (await isRunning()) {
    if (Date.now() > deadline) throw new ModelError('pull_running', `The pull of ${name} did not stop. Try again.`);
    await requestCancel(cacheDir, name);
    await sleep(200);
  }
}
