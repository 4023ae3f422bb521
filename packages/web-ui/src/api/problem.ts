import { t } from '@lingui/core/macro';
import { ApiError } from '@overtone/client';

/** The detail of a body that does not fit its schema (packages/service-kit/src/http/route.ts). */
const schemaRefusal = 'The body does not have the expected form';

/** The message to show for any thrown value. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) {
    const message = detailOf(error);
    const others = error.fields.filter((field) => field.message !== message);
    const fields = others.map(({ path, message: rule }) => [nameOfField(path), rule].filter(Boolean).join(': '));
    // That the request does not fit its schema is said by the fields; a rule of a service has a sentence of its own.
    if (error.code === 'invalid_body' && error.detail === schemaRefusal && fields.length > 0) return fields.join(' ');
    return fields.length > 0 ? `${message} (${fields.join('; ')})` : message;
  }
  return error instanceof Error ? error.message : String(error);
}

/** The name of a field of the API in words: `providers.0.base_url` is "Base url". */
function nameOfField(path: string): string {
  const name = path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? '';
  const words = name.replace(/_?uuids?$/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function detailOf({ status, code, detail }: ApiError): string {
  if (code === 'bad_answer') return t`The response of the server couldn’t be read.`;
  if (detail !== null) return detail;
  if (status === 0) return t`Can’t connect. Check your connection, then try again.`;
  if (status === 413) return t`This is larger than the server accepts.`;
  if (status === 429) return t`Too many attempts. Wait a moment, then try again.`;
  if (status >= 500) return t`The server couldn’t do this. Try again in a moment.`;
  return t`The server answered with status ${status}.`;
}

export function codeOf(error: unknown): string | null {
  return error instanceof ApiError ? error.code : null;
}

/** True when the platform failed, not the request: the page then reports an outage, never an empty result. */
export function isOutage(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500 || error.status === 429;
}

/** The message of an API error for one field of a form; null when there is none. */
export function fieldOf(error: unknown, field: string): string | null {
  if (!(error instanceof ApiError)) return null;
  const messages = error.fields.filter(({ path }) => path === field).map(({ message }) => message);
  return messages.length > 0 ? messages.join(' ') : null;
}
