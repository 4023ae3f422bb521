import type {
  AnswerOf,
  BodyOf,
  dispatcherRoutes,
  identityRoutes,
  mediaRoutes,
  searchRoutes,
  systemRoutes,
} from '@overtone/contracts';

type Routes = typeof identityRoutes &
  typeof mediaRoutes &
  typeof searchRoutes &
  typeof dispatcherRoutes &
  typeof systemRoutes;

export type RouteLine = readonly [method: string, path: string];

/**
 * The routes this interface calls. Only types are imported from the contracts, because their schemas would slow down the
 * first page load. A test compares every line with the contracts.
 */
export const routes = {
  token: ['POST', '/api/auth/token'],
  refresh: ['POST', '/api/auth/token/refresh'],
  logout: ['POST', '/api/auth/logout'],
  logoutAll: ['POST', '/api/auth/logout/all'],
  sessions: ['GET', '/api/auth/sessions'],
  endSession: ['DELETE', '/api/auth/sessions/{uuid}'],
  me: ['GET', '/api/users/me'],
  updateMe: ['PUT', '/api/users/me'],
  uploadLimits: ['GET', '/api/files/upload-limits'],
  listFiles: ['GET', '/api/files'],
  getFile: ['GET', '/api/files/{uuid}'],
  listSegments: ['GET', '/api/files/{uuid}/segments'],
  updateFile: ['PUT', '/api/files/{uuid}'],
  deleteFile: ['DELETE', '/api/files/{uuid}'],
  restoreFile: ['POST', '/api/files/{uuid}/restore'],
  listBin: ['GET', '/api/files/bin'],
  purgeFile: ['DELETE', '/api/files/bin/{uuid}'],
  bulk: ['POST', '/api/files/bulk'],
  reprocess: ['POST', '/api/files/{uuid}/reprocess'],
  cancel: ['POST', '/api/files/{uuid}/cancel'],
  listShares: ['GET', '/api/files/{uuid}/shares'],
  share: ['PUT', '/api/files/{uuid}/shares'],
  unshare: ['DELETE', '/api/files/{uuid}/shares/{share_uuid}'],
  waveform: ['GET', '/api/files/{uuid}/waveform'],
  editSegment: ['PUT', '/api/files/{uuid}/transcript/segments/{segment_uuid}'],
  deleteSegment: ['DELETE', '/api/files/{uuid}/transcript/segments/{segment_uuid}'],
  undoChange: ['POST', '/api/files/{uuid}/undo/{undo_uuid}'],
  createSpeaker: ['POST', '/api/speakers'],
  updateSpeaker: ['PUT', '/api/speakers/{uuid}'],
  deleteSpeaker: ['DELETE', '/api/speakers/{uuid}'],
  mergeSpeaker: ['POST', '/api/speakers/{uuid}/merge/{target_uuid}'],
  listTags: ['GET', '/api/tags'],
  tagsOfFiles: ['GET', '/api/tags/files'],
  attachTag: ['POST', '/api/tags/files/{uuid}/tags'],
  detachTag: ['DELETE', '/api/tags/files/{uuid}/tags/{tag_name}'],
  search: ['GET', '/api/search'],
  reindex: ['POST', '/api/search/reindex'],
  reindexStatus: ['GET', '/api/search/reindex/status'],
  indexHealth: ['GET', '/api/search/index-health'],
  fileTimeline: ['GET', '/api/tasks/files/{uuid}'],
  version: ['GET', '/api/version'],
} as const satisfies Partial<Record<keyof Routes, RouteLine>>;

export type RouteName = keyof typeof routes;
export type ResponseBody<N extends RouteName> = AnswerOf<Routes[N]>;
export type RequestBody<N extends RouteName> = BodyOf<Routes[N]>;

type Param = string | number | boolean | null | undefined;
export type QueryInput = Readonly<Record<string, Param | readonly string[]>>;

/** Fills the `{names}` of a path and appends the query without empty values. */
export function urlOf(path: string, params: Readonly<Record<string, string>> = {}, query: QueryInput = {}): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? (value as readonly string[]) : [value as Param]) {
      if (item !== undefined && item !== null && item !== '') search.append(name, String(item));
    }
  }
  const text = search.toString();
  return text === '' ? filled : `${filled}?${text}`;
}
