import type { CustomFetchOptions } from 'openid-client';

const maxBytes = 1024 * 1024;

/** The response of the provider exceeds the size limit. */
export const responseTooLarge = 'provider_answer_too_large';

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i;
/** Plain HTTP is allowed only for a provider on the same machine: on the network, secrets and tokens could be read. */
export function safeAddress(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopback.test(url.hostname));
}

type ReadResponse = { url: string; status: number; text: string };

/** A fetch with limits on time and size, which follows no redirects. @param onResponse receives every response. */
export function boundedFetch(signal: AbortSignal, onResponse: (response: ReadResponse) => void = () => {}) {
  return async (url: string, options: CustomFetchOptions): Promise<Response> => {
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
    onResponse({ url, status, text: Buffer.from(body).toString() });
    return new Response([204, 205, 304].includes(status) ? null : body, { status, headers });
  };
}

async function readAll(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(responseTooLarge);
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}
