import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  build: {
    // Those that know light-dark(), by which every colour is told.
    target: ['chrome123', 'firefox128', 'safari17.5'],
    // The policy of the page allows no data: addresses for what is loaded.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    // `npm run dev:console` beside a service that runs on its usual port.
    proxy: Object.fromEntries(
      ['/1', '/console', '/chat', '/webmessenger', '/docs', '/openapi.json'].map((path) => [
        path,
        { target: 'http://127.0.0.1:8080', ws: true },
      ]),
    ),
  },
});
