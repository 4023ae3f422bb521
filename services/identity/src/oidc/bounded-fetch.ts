import type { CustomFetchOptions } from 'openid-client';

const mostBytes = 1024 * 1024;

/** The provider sent more than any honest answer has. */
export const tooLarge = 'provider_answer_too_large';

const readAll = async (response: Response): Promise<Uint8Array<ArrayBuffer>> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > mostBytes) throw new Error(tooLarge);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
};

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;
/** Plain HTTP is for a provider on this very machine; elsewhere secrets and tokens could be read on the way. */
export const safeAddress = (url: URL): boolean =>
  url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname));

type Seen = { url: string; status: number; text: string };

/** A fetch that ends in time, reads no more than it must, follows nothing, and tells what it has read. */
export const boundedFetch =
  (signal: AbortSignal, seen: (answer: Seen) => void = () => {}) =>
  async (url: string, options: CustomFetchOptions): Promise<Response> => {
    if (!safeAddress(new URL(url))) throw new Error('insecure_address');
    const signals = options.signal ? [signal, options.signal] : [signal];
    const { method, headers: sent, body: form } = options;
    const init: RequestInit = { method, headers: sent, redirect: 'manual', signal: AbortSignal.any(signals) };
    const response = await fetch(
      url,
      form == null ? init : { ...init, body: form as NonNullable<RequestInit['body']> },
    );
    const body = await readAll(response);
    const { status, headers } = response;
    seen({ url, status, text: Buffer.from(body).toString() });
    return new Response([204, 205, 304].includes(status) ? null : body, { status, headers });
  };
