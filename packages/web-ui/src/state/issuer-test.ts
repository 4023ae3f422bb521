const stateKey = 'overtone-issuer-test';
const callbackKey = 'overtone-issuer-callback';

/** The parameters that the identity provider sent to the page /login. */
export type IssuerCallback = {
  readonly code?: string;
  readonly state?: string;
  readonly iss?: string;
  readonly error?: string;
};

/** Stores which sign-in at the identity provider is a test, while the browser is there. */
export function storeIssuerTest(authorizationUrl: string): void {
  sessionStorage.setItem(stateKey, new URL(authorizationUrl).searchParams.get('state') ?? '');
}

/** Stores a callback for the page that has started the test. @returns false for the callback of a sign-in. */
export function keepIssuerCallback({ code, state, iss, error }: IssuerCallback): boolean {
  try {
    if (!state || sessionStorage.getItem(stateKey) !== state) return false;
    sessionStorage.removeItem(stateKey);
    sessionStorage.setItem(callbackKey, JSON.stringify({ code, state, iss, error }));
    return true;
  } catch {
    // Without storage no test can be started.
    return false;
  }
}

/** The callback of the test, once. */
export function takeIssuerCallback(): IssuerCallback | null {
  try {
    const stored = sessionStorage.getItem(callbackKey);
    sessionStorage.removeItem(callbackKey);
    return stored === null ? null : (JSON.parse(stored) as IssuerCallback);
  } catch {
    return null;
  }
}
