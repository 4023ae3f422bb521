import { randomUUID } from 'node:crypto';
import type { AnswerOf, AsrProviderInput, asrRoutes } from '@overtone/contracts';
import { signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { admin } from './instance.ts';
import type { Suite } from './suite.ts';

const path = '/api/admin/asr-providers';

/** Replaces the providers; without providers the workers use the engines of their environment. */
export async function saveProviders(api: Client, providers: readonly AsrProviderInput[]): Promise<void> {
  const { revision } = await api.ok<AnswerOf<typeof asrRoutes.asrProviders>>('GET', path);
  await api.send('PUT', path, { revision, providers });
}

/** The suite on an instance with the scripted engine, which uses PocketSphinx until the end of the suite. */
export function withRealEngine({ instance }: Context, suite: Suite): Suite {
  const use = async (providers: AsrProviderInput[]): Promise<void> =>
    saveProviders(await signIn(instance.baseUrl, admin.email, admin.password), providers);
  return {
    ...suite,
    checks: [{ rule: 'PocketSphinx transcribes', run: () => use([pocketSphinx()]) }, ...suite.checks],
    close: async () => {
      await suite.close?.();
      await use([]);
    },
  };
}

function pocketSphinx(): AsrProviderInput {
  return {
    id: randomUUID(),
    name: 'PocketSphinx',
    kind: 'pocketsphinx',
    enabled: true,
    selectable: false,
    languages: [],
    model: '',
    base_url: '',
    vocabulary: [],
    parallel_requests: 2,
    timeout_seconds: 600,
    max_audio_seconds: null,
  };
}
