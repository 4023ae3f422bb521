import type { AsrProviderWithKey } from '@overtone/contracts';
import { createOpenAiEngine } from './openai.adapter.ts';
import type { FetchEndpoint } from '../ports/endpoint-fetch.adapter.ts';
import { createPocketSphinx } from './pocketsphinx.adapter.ts';
import type { Candidate, SpeechEngine } from './engines.ts';

type Deps = {
  childEnv: Record<string, string>;
  threads: () => number;
  /** An engine with this installed model; empty: the first one. */
  whisperWith: (model: string) => SpeechEngine;
  sherpaWith: (model: string) => SpeechEngine;
  fetchEndpoint: FetchEndpoint;
};

/** Makes engines of providers. A provider that did not change keeps its engine, and what the engine knows of its server. */
export function createProviderEngines({ childEnv, threads, whisperWith, sherpaWith, fetchEndpoint }: Deps) {
  let engines = new Map<string, SpeechEngine>();
  const create = ({ kind, model, ...provider }: AsrProviderWithKey): SpeechEngine => {
    switch (kind) {
      case 'faster-whisper':
        return whisperWith(model);
      case 'sherpa-onnx':
        return sherpaWith(model);
      case 'pocketsphinx':
        return createPocketSphinx({ env: childEnv, parallel: threads });
      case 'openai-compatible':
        return createOpenAiEngine({
          baseUrl: provider.base_url,
          apiKey: provider.api_key ?? undefined,
          model,
          fetchEndpoint,
          parallel: () => provider.parallel_requests,
          timeoutMs: provider.timeout_seconds * 1_000,
        });
      default:
        return kind satisfies never;
    }
  };
  return {
    create,
    /** The candidates of the enabled providers, in their order. */
    candidatesOf: (providers: readonly AsrProviderWithKey[]): Candidate[] => {
      const before = engines;
      engines = new Map();
      return providers
        .filter(({ enabled }) => enabled)
        .map((provider) => {
          const key = JSON.stringify(provider);
          const engine = before.get(key) ?? create(provider);
          engines.set(key, engine);
          return { engine, provider };
        });
    },
  };
}

export type ProviderEngines = ReturnType<typeof createProviderEngines>;
