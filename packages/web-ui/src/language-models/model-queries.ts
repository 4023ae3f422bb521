import { queryOptions } from '@tanstack/react-query';
import type { RequestBody, ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';

export type SystemModels = ResponseBody<'GET /api/admin/llm-settings'>;
export type LanguageModel = SystemModels['providers'][number];
export type ModelBody = RequestBody<'POST /api/admin/llm-settings'>;
export type ModelFields = Omit<ModelBody, 'api_key'>;
export type TestBody = RequestBody<'POST /api/admin/llm-settings/test'>;
export type TestResult = ResponseBody<'POST /api/admin/llm-settings/test'>;
export type ListedModels = ResponseBody<'POST /api/admin/llm-settings/models'>;
export type ModelStatus = ResponseBody<'GET /api/llm/status'>;

const refreshMs = 15_000;

export const systemModelsQuery = queryOptions({
  queryKey: ['language-models', 'system'],
  queryFn: ({ signal }) => call('GET /api/admin/llm-settings', { signal }),
  refetchInterval: refreshMs,
});
export const ownModelsQuery = queryOptions({
  queryKey: ['language-models', 'own'],
  queryFn: ({ signal }) => call('GET /api/llm-settings', { signal }),
});
export const modelStatusQuery = queryOptions({
  queryKey: ['language-models', 'status'],
  queryFn: ({ signal }) => call('GET /api/llm/status', { signal }),
  refetchInterval: refreshMs,
});
export function modelUsageQuery(by: 'user' | 'file') {
  return queryOptions({
    queryKey: ['language-models', 'usage', by],
    queryFn: ({ signal }) => call('GET /api/admin/llm-settings/usage', { query: { days: '30', group_by: by }, signal }),
  });
}

/** The same actions on the language models of everyone, and on those of the person. */
export type ModelActions = {
  readonly create: (body: ModelBody) => Promise<unknown>;
  readonly update: (uuid: string, body: ModelBody) => Promise<unknown>;
  readonly remove: (uuid: string) => Promise<unknown>;
  readonly activate: (uuid: string | null) => Promise<unknown>;
  readonly test: (body: TestBody) => Promise<TestResult>;
  readonly list: (body: TestBody) => Promise<ListedModels>;
};

export const systemActions: ModelActions = {
  create: (body) => call('POST /api/admin/llm-settings', { body }),
  update: (uuid, body) => call('PUT /api/admin/llm-settings/config/{uuid}', { params: { uuid }, body }),
  remove: (uuid) => call('DELETE /api/admin/llm-settings/config/{uuid}', { params: { uuid } }),
  activate: (uuid) => call('POST /api/admin/llm-settings/set-active', { body: { configuration_id: uuid } }),
  test: (body) => call('POST /api/admin/llm-settings/test', { body }),
  list: (body) => call('POST /api/admin/llm-settings/models', { body }),
};
export const ownActions: ModelActions = {
  create: (body) => call('POST /api/llm-settings', { body }),
  update: (uuid, body) => call('PUT /api/llm-settings/config/{uuid}', { params: { uuid }, body }),
  remove: (uuid) => call('DELETE /api/llm-settings/config/{uuid}', { params: { uuid } }),
  activate: (uuid) => call('POST /api/llm-settings/set-active', { body: { configuration_id: uuid } }),
  test: (body) => call('POST /api/llm-settings/test', { body }),
  list: (body) => call('POST /api/llm-settings/models', { body }),
};
