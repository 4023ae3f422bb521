import type {
  AnswerOf,
  approvalRoutes,
  askRoutes,
  asrRoutes,
  auditRoutes,
  authConfigRoutes,
  backupRoutes,
  BodyInputOf,
  directorySyncRoutes,
  dispatcherRoutes,
  engineSettingsRoutes,
  erasureRoutes,
  explanationRoutes,
  gpuRoutes,
  groupRoutes,
  identityRoutes,
  issuerRoutes,
  mappingRoutes,
  mediaRoutes,
  mirrorRoutes,
  modelProviderRoutes,
  modelRoutes,
  notificationRoutes,
  ParamsOf,
  promptRoutes,
  QueryInputOf,
  reindexRoutes,
  savedSearchRoutes,
  searchRoutes,
  speakerIndexRoutes,
  summaryRoutes,
  suggestionRoutes,
  systemRoutes,
  userRoutes,
} from '@overtone/contracts';

type ValueOf<T> = T[keyof T];
type Definition =
  | ValueOf<typeof approvalRoutes>
  | ValueOf<typeof askRoutes>
  | ValueOf<typeof asrRoutes>
  | ValueOf<typeof auditRoutes>
  | ValueOf<typeof authConfigRoutes>
  | ValueOf<typeof backupRoutes>
  | ValueOf<typeof directorySyncRoutes>
  | ValueOf<typeof dispatcherRoutes>
  | ValueOf<typeof engineSettingsRoutes>
  | ValueOf<typeof erasureRoutes>
  | ValueOf<typeof explanationRoutes>
  | ValueOf<typeof gpuRoutes>
  | ValueOf<typeof groupRoutes>
  | ValueOf<typeof identityRoutes>
  | ValueOf<typeof issuerRoutes>
  | ValueOf<typeof mappingRoutes>
  | ValueOf<typeof mediaRoutes>
  | ValueOf<typeof mirrorRoutes>
  | ValueOf<typeof modelProviderRoutes>
  | ValueOf<typeof modelRoutes>
  | ValueOf<typeof notificationRoutes>
  | ValueOf<typeof promptRoutes>
  | ValueOf<typeof reindexRoutes>
  | ValueOf<typeof savedSearchRoutes>
  | ValueOf<typeof searchRoutes>
  | ValueOf<typeof speakerIndexRoutes>
  | ValueOf<typeof summaryRoutes>
  | ValueOf<typeof suggestionRoutes>
  | ValueOf<typeof systemRoutes>
  | ValueOf<typeof userRoutes>;

/**
 * All routes by `METHOD path`. Only types are imported from the contracts, because their schemas would slow down the
 * first page load.
 */
type Routes = { [D in Definition as `${D['method']} ${D['path']}`]: D };
export type Route = keyof Routes;
export type ResponseBody<R extends Route> = AnswerOf<Routes[R]>;
export type RequestBody<R extends Route> = BodyInputOf<Routes[R]>;

/** The input of one call. A member that the route requires is required here too. */
export type Input<R extends Route> = UrlInput<R> & BodyInput<RequestBody<R>> & { signal?: AbortSignal };

type UrlInput<R extends Route> = ParamsInput<ParamsOf<Routes[R]>> & QueryInput<QueryInputOf<Routes[R]>>;

type ParamsInput<P> = string extends keyof P ? { params?: never } : { params: P };
type BodyInput<B> = undefined extends B ? { body?: B } : { body: B; encoding?: 'json' | 'form' };
type QueryInput<Q> = string extends keyof Q
  ? { query?: never }
  : object extends QueryFields<Q>
    ? { query?: QueryFields<Q> }
    : { query: QueryFields<Q> };
/** Checks the names only: values often come from the address of the page, and the server validates them. */
type QueryFields<Q> = { [K in keyof Q as undefined extends Q[K] ? never : K]: QueryValue } & {
  [K in keyof Q as undefined extends Q[K] ? K : never]?: QueryValue;
};

type QueryValue = string | number | boolean | null | undefined | readonly string[];
export type Query = Readonly<Record<string, QueryValue>>;

/** The address of a route: fills the `{names}` of its path and appends the query without empty values. */
export function urlOf<R extends Route>(route: R, input: UrlInput<R>): string {
  const { params = {}, query = {} } = input as { params?: Readonly<Record<string, string>>; query?: Query };
  const path = route.slice(route.indexOf('/'));
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? (value as readonly string[]) : [value]) {
      if (item !== undefined && item !== null && item !== '') search.append(name, String(item));
    }
  }
  const text = search.toString();
  return text === '' ? filled : `${filled}?${text}`;
}
