import type { ModelProviderInput, ModelProviderKind } from '@overtone/contracts';
import type { LlmProvider } from '../generated/client.ts';

export type ProviderRow = Omit<LlmProvider, 'kind'> & { kind: ModelProviderKind };
/** null: the providers of everyone. */
export type Owner = string | null;
/** A provider as it was entered, with its key. */
export type ProviderWithKey = Omit<ModelProviderInput, 'api_key'> & { api_key: string | null };
