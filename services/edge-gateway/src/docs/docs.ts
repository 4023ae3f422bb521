import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { openApi } from '@overtone/contracts';
import { createAsset, type Asset } from '../ui/ui.ts';

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Overtone API</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/api/docs/swagger-ui.css" />
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/api/docs/swagger-ui-bundle.js"></script>
    <script src="/api/docs/start.js"></script>
  </body>
</html>
`;

// "Try it out" works with the session's cookies, so a change needs the CSRF header like any other.
const start = `
const csrf = () => /(?:^|; )csrf_token=([^;]*)/.exec(document.cookie)?.[1] ?? '';
window.SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  requestInterceptor: (request) => {
    request.headers['X-CSRF-Token'] = csrf();
    return request;
  },
});
`;

/** The description of the API and its browsable form, all from our own origin. */
export function createDocs(version: string): (path: string) => Asset | undefined {
  const require = createRequire(import.meta.url);
  const folder = join(require.resolve('swagger-ui-dist/package.json'), '..');
  const vendor = (name: string) => createAsset(name, readFileSync(join(folder, name)));
  const make: Record<string, () => Asset> = {
    '/api/openapi.json': () => createAsset('openapi.json', Buffer.from(JSON.stringify(openApi(version)))),
    '/api/docs': () => createAsset('docs.html', Buffer.from(page)),
    '/api/docs/start.js': () => createAsset('start.js', Buffer.from(start)),
    '/api/docs/swagger-ui.css': () => vendor('swagger-ui.css'),
    '/api/docs/swagger-ui-bundle.js': () => vendor('swagger-ui-bundle.js'),
  };
  const made = new Map<string, Asset>();
  return (path) => {
    const build = Object.hasOwn(make, path) ? make[path] : undefined;
    if (!build) return undefined;
    const asset = made.get(path) ?? build();
    made.set(path, asset);
    return asset;
  };
}
