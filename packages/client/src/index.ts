export type * from './api.ts';
export { createClient, type Client, type ClientOptions, type Credentials } from './client.ts';
export { ApiError, problemFrom } from './problem.ts';
export {
  urlOf,
  type Input,
  type OptionalInput,
  type Query,
  type RequestBody,
  type ResponseBody,
  type Route,
} from './routes.ts';
export { signIn } from './sign-in.ts';
