import { join } from 'node:path';
import type { AnswerOf, dispatcherRoutes } from '@overtone/contracts';
import { signIn } from '@overtone/e2e/client';
import { admin } from '@overtone/e2e/instance';
import { meeting } from '@overtone/e2e/recordings';
import { recordLong } from '@overtone/testkit/recordings';
import type { Bench } from './bench.ts';

const goal = 1.1;

/** The whole job compared with its engine time: the overhead of the pipeline. */
export const pipelineBench: Bench = {
  name: 'pipeline',
  about: 'wall time of the whole job for ten minutes of speech, compared with the engine time',
  run: async function* ({ size, instance, folder }) {
    const running = await instance();
    const api = await signIn(running.baseUrl, admin.email, admin.password);
    const seconds = Math.max(30, Math.round(600 * size));
    const recording = await recordLong(join(folder, 'ten-minutes.wav'), meeting, seconds);
    const from = performance.now();
    const sent = await api.upload(recording.path, { allow_duplicate: 'true' });
    if (sent.status !== 201) throw new Error(`upload: ${sent.status} ${sent.text}`);
    await api.completed(sent.body.uuid, 60_000 + seconds * 2_000);
    const wall = (performance.now() - from) / 1000;
    const timeline = await api.ok<AnswerOf<typeof dispatcherRoutes.fileTimeline>>(
      'GET',
      `/api/tasks/files/${sent.body.uuid}`,
    );
    const engine = timeline.stages.reduce((sum, stage) => sum + (stage.engine_seconds ?? 0), 0);
    for (const stage of timeline.stages)
      console.error(`  ${stage.stage}: ${stage.seconds?.toFixed(2)} s, engine ${stage.engine_seconds?.toFixed(2)} s`);
    await api.ok('DELETE', `/api/files/${sent.body.uuid}`);
    const ratio = wall / engine;
    yield* [
      {
        name: `pipeline: ${seconds} s of speech`,
        ours: `${wall.toFixed(1)} s`,
        peer: `engine ${engine.toFixed(1)} s`,
        ratio,
        goal: `<= ${goal.toFixed(2)}`,
        met: ratio <= goal,
      },
    ];
  },
};
