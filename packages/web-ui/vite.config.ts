import { lingui } from '@lingui/vite-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv } from 'vite';

/** Where `vite dev` finds the platform: a running `./overtone up`. */
const api = loadEnv('development', import.meta.dirname, 'OT_')['OT_DEV_API'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [lingui({ macroTransform: true, cwd: import.meta.dirname }), react()],
  build: {
    target: 'es2022',
    // The content policy forbids inline anything; every asset is an own file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'en', test: /[\\/]locales[\\/]en[.]po$/ },
            { name: 'react', test: /node_modules[\\/](?:react|react-dom|scheduler)[\\/]/ },
            {
              name: 'tanstack',
              test: /node_modules[\\/]@tanstack[\\/](?:react-router|router-core|history|react-query|query-core|react-store|store)[\\/]/,
            },
          ],
        },
      },
    },
  },
  server: { proxy: { '/api': { target: api, ws: true, changeOrigin: false } } },
});
